/// \file  The server of a view: HTTP on this machine alone, in a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/view/request.hpp"

namespace chamomile {

/// Which pages may hold a view in a frame of theirs.
enum class ViewFraming {
    none,
    notebooks ///< those of servers on this machine, such as Jupyter's
};

/// A ViewPlace says where a view is.
struct ViewPlace {
    std::optional<int> port = {};  ///< none: any that is free
    std::string option = "{view}"; ///< that names the port, for messages
    ViewFraming framing = ViewFraming::none;
};

/// ViewAnswers are what a server gets its answers from. All are called by its thread.
struct ViewAnswers {
    std::function<std::string()> scene;
    /// Returns the frame, or none where it does not exist yet.
    std::function<std::optional<std::string>(const FrameWish&)> frame;
    std::function<void(ViewCommand, double number)> command;
};

/// A ViewServer listens at 127.0.0.1 from its construction to its destruction. A request of a frame
/// that does not exist yet waits for notify().
class ViewServer {
public:
    /// Throws Error(usage) for a port that is in use.
    ViewServer(const ViewPlace& place, ViewAnswers answers);
    ~ViewServer();
    ViewServer(const ViewServer&) = delete;
    ViewServer& operator=(const ViewServer&) = delete;

    int port() const;
    const std::string& token() const { return token_; }

    /// Looks again at the requests that wait; may be called by any thread.
    void notify();

private:
    class Connections;

    std::string token_;
    std::unique_ptr<Connections> connections_;
};

} // namespace chamomile
