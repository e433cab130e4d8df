#include "app/warning.hpp"

#include <algorithm>
#include <cstdio>

namespace chamomile::app {

void warn(const std::string& line)
{
    std::string one = line;
    std::replace(one.begin(), one.end(), '\n', ' ');
    std::fflush(stdout); // what was told before comes before
    std::fprintf(stderr, "chamomile: warning: %s\n", one.c_str());
}

} // namespace chamomile::app
