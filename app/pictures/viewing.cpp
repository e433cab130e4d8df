#include "app/pictures/viewing.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include <unistd.h>

namespace chamomile::app {

std::unique_ptr<LiveView> make_view(int port, const std::string& option)
{
    return std::make_unique<LiveView>(
        ViewPlace{.port = port == 0 ? std::nullopt : std::optional(port), .option = option});
}

void announce(const LiveView& view)
{
    std::printf("view         %s\n", view.url().c_str());
    char host[256] = "HOST";
    if (std::getenv("SSH_CONNECTION") && ::gethostname(host, sizeof host - 1) == 0)
        std::printf("             from elsewhere after: ssh -L %d:127.0.0.1:%d %s\n", view.port(),
                    view.port(), host);
    std::fflush(stdout);
}

} // namespace chamomile::app
