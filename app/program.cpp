#include "app/warning.hpp"

#include <cstdio>

#include "chamomile/io/one_line.hpp"

namespace chamomile::app {

void warn(const std::string& line)
{
    std::fflush(stdout); // what was told before comes before
    std::fprintf(stderr, "chamomile: warning: %s\n", one_line(line).c_str());
}

} // namespace chamomile::app
