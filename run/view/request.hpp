/// \file  Access control and parsing of a view's requests, independent of connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A RequestHead holds the fields of an HTTP request that access control needs.
struct RequestHead {
    std::string_view method = {}, target = {};
    std::string_view host = {}, origin = {}, token = {}; ///< empty if missing
    std::string_view site = {}, mode = {}; ///< Sec-Fetch-Site and Sec-Fetch-Mode, from browsers
    bool has_body = false;
    bool is_ambiguous = false; ///< one of these headers occurs twice
};

/// A FrameWish describes the points that a page requests.
struct FrameWish {
    std::uint64_t after = 0; ///< sequence number of the last frame
    std::size_t points = 0;
    unsigned types = 0; ///< bit k: type k
    Vec3<double> center{};
    double half = 0; ///< half the side of the cube; 0: a cube that contains all points
};

enum class ViewCommand { pause, go, step, pace, checkpoint, stop, show };

/// A ViewRequest is an accepted request, or a refusal.
struct ViewRequest {
    enum class Kind { refused, page, scene, frame, command };
    Kind kind = Kind::refused;
    int status = 200; ///< HTTP status
    std::string text; ///< reason of a refusal, or path of the page file
    FrameWish wish;
    ViewCommand command = ViewCommand::go;
    double number = 0; ///< steps per second of `pace`, or file number of `show`
};

/// Max points per frame.
inline constexpr std::size_t max_view_points = std::size_t(1) << 20;

/// Name of the header with the token. Pages of another origin cannot send it without permission.
inline constexpr const char* view_token_header = "X-Chamomile-Token";

/// Returns the parsed request, or a refusal: 413 for a body, 421 for a Host other than this
/// machine, 403 for another origin or a wrong token, 404, and 400 for malformed requests.
ViewRequest judge(const RequestHead& head, std::string_view token);

} // namespace chamomile
