#include "chamomile/core/options/range.hpp"

#include <cmath>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

std::string Range::words() const
{
    const bool below = std::isfinite(least), bounded = std::isfinite(most);
    std::string text;
    if (below && bounded)
        text = least_excluded ? " > " + number_text(least) + " and <= " + number_text(most)
                              : " from " + number_text(least) + " to " + number_text(most);
    else if (below)
        text = (least_excluded ? " > " : " >= ") + number_text(least);
    else if (bounded)
        text = " <= " + number_text(most);
    return text + (or_zero ? ", or 0" : "");
}

} // namespace chamomile
