#include "chamomile/core/options/range.hpp"

#include <cmath>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

std::string Range::words() const
{
    const bool below = std::isfinite(min), bounded = std::isfinite(max);
    std::string text;
    if (below && bounded)
        text = min_excluded ? " > " + number_text(min) + " and <= " + number_text(max)
                            : " from " + number_text(min) + " to " + number_text(max);
    else if (below)
        text = (min_excluded ? " > " : " >= ") + number_text(min);
    else if (bounded)
        text = " <= " + number_text(max);
    return text + (or_zero ? ", or 0" : "");
}

} // namespace chamomile
