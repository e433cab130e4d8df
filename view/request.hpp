/// \file  Who may ask a view for what: the guards of its server, apart from any connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A RequestHead holds what of a request of HTTP the guards look at.
struct RequestHead {
    std::string_view method = {}, target = {};
    std::string_view host = {}, origin = {}, token = {}; ///< empty where the request has none
    std::string_view site = {}, mode = {}; ///< Sec-Fetch-Site and Sec-Fetch-Mode, of browsers
    bool has_body = false;
    bool is_ambiguous = false; ///< one of these headers stands there twice
};

/// A FrameWish says which points a page wants to draw.
struct FrameWish {
    std::uint64_t after = 0; ///< the sequence of the last frame
    std::size_t points = 0;
    unsigned types = 0; ///< bit k: those of type k
    Vec3<double> centre{};
    double half = 0; ///< of the side of the cube to draw; 0: a cube that holds all
};

enum class ViewCommand { pause, go, step, pace, checkpoint, stop, show };

/// A ViewRequest is a request that the guards let through, or the refusal of one.
struct ViewRequest {
    enum class Kind { refused, page, scene, frame, command };
    Kind kind = Kind::refused;
    int status = 200; ///< of HTTP
    std::string text; ///< the reason of a refusal, or the name of the page's file
    FrameWish wish;
    ViewCommand command = ViewCommand::go;
    double number = 0; ///< steps a second of `pace`, or number of the file of `show`
};

/// The most points of a frame.
inline constexpr std::size_t most_view_points = std::size_t(1) << 20;

/// The name of the header that holds the token. A page of another origin cannot send it unasked.
inline constexpr const char* view_token_header = "X-Chamomile-Token";

/// Returns what the request asks for, or why it is refused: 413 for a body, 421 for a Host that is
/// not this machine, 403 for another origin or a wrong token, 404, and 400 for malformed wishes.
ViewRequest judge(const RequestHead& head, std::string_view token);

} // namespace chamomile
