#include "chamomile/force/pairs/laws/switching.hpp"

#include <cmath>

#include "chamomile/core/error.hpp"

namespace chamomile {

Switching Switching::between(double from, double to)
{
    if (!(from >= 0 && to > from))
        throw Error(Fault::usage, "switching: radii: must be 0 <= from < to");
    if (std::isinf(to))
        return {};
    const double slope = 1 / ((to - from) * (to + from));
    return {slope, -slope * from * from};
}

} // namespace chamomile
