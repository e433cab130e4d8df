#include "chamomile/integrate/measures/layzer_irvine.hpp"

#include <cmath>
#include <vector>

#include "chamomile/core/files/archive.hpp"

namespace chamomile {

void LayzerIrvine::add(double a, const Diagnostics& comoving)
{
    const State next{a, comoving.kinetic / (a * a), comoving.potential / a};
    if (!(first_.a > 0))
        first_ = next;
    else if (now_.kinetic > 0 && next.kinetic > 0 && a != now_.a) {
        const double power = std::log(next.kinetic / now_.kinetic) / std::log(a / now_.a) + 1;
        expansion_work_ += std::abs(power) > 1e-6
                               ? (a * next.kinetic - now_.a * now_.kinetic) / power
                               : now_.a * now_.kinetic * std::log(a / now_.a);
    } else
        expansion_work_ += (a - now_.a) * (next.kinetic + now_.kinetic) / 2;
    now_ = next;
}

double LayzerIrvine::residue() const
{
    const auto sum = [](const State& s) { return s.a * (s.kinetic + s.potential); };
    const double size = std::abs(now_.a * now_.potential - first_.a * first_.potential) +
                        1.5 * first_.a * first_.kinetic;
    const double change = sum(now_) - sum(first_) + expansion_work_;
    return change == 0 ? 0 : change / size;
}

void LayzerIrvine::exchange(Archive& archive)
{
    std::vector<State> states{first_, now_};
    archive.records("layzer_irvine/states", states);
    if (states.size() != 2)
        throw Error(Fault::restart, "layzer_irvine/states: has the wrong length");
    first_ = states[0];
    now_ = states[1];
    archive("layzer_irvine/expansion_work", expansion_work_);
}

} // namespace chamomile
