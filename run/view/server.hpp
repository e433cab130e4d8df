/// \file  The HTTP server of a view, for this machine only, in a separate thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/run/view/request.hpp"

namespace chamomile {

/// Which pages may embed a view in a frame.
enum class ViewFraming {
    none,
    notebooks ///< pages of local servers, such as Jupyter
};

/// A ViewPlace specifies port and framing of a view.
struct ViewPlace {
    std::optional<int> port = {};  ///< none: any free port
    std::string option = "{view}"; ///< option that sets the port, for messages
    ViewFraming framing = ViewFraming::none;
};

/// ViewAnswers holds the server's callbacks. All are called in the server's thread.
struct ViewAnswers {
    std::function<std::string()> scene;
    /// Returns the frame, or none if not available yet.
    std::function<std::optional<std::string>(const FrameWish&)> frame;
    std::function<void(ViewCommand, double number)> command;
};

/// A ViewServer listens at 127.0.0.1 during its lifetime. A request for a frame that is not
/// available yet waits for notify().
class ViewServer {
public:
    /// Throws Error(usage) if the port is in use.
    ViewServer(const ViewPlace& place, ViewAnswers answers);
    ~ViewServer();
    ViewServer(const ViewServer&) = delete;
    ViewServer& operator=(const ViewServer&) = delete;

    int port() const;
    const std::string& token() const { return token_; }

    /// Checks the waiting requests again. Thread-safe.
    void notify();

private:
    class Connections;

    std::string token_;
    std::unique_ptr<Connections> connections_;
};

} // namespace chamomile
