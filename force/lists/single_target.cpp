#include "chamomile/force/lists/single_target.hpp"

#include <algorithm>

#include "chamomile/core/norm.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/reference_sum.hpp"

namespace chamomile {
namespace {

/// Sums in units of the distance, so that no power over- or underflows.
template <class Law>
TargetSum sum_of_cell(const Multipole& whole, const Vec3<double>& place, double softening_length)
{
    const double unit = InternalScale::power_of_two_above(norm_of_any_size(place - whole.center));
    const Frame frame{whole.center, 1 / unit, 1};
    typename Law::template CellSource<double> cell;
    Law::pack_cell(whole, frame, cell);
    typename Law::template Sum<double> sum;
    Law::of({softening_length / unit})(typename Law::template Target<double>{frame.of(place)}, cell,
                                       sum);
    return {(1 / unit) * ((1 / unit) * sum.acceleration), sum.potential / unit};
}

} // namespace

TargetSum sum_of_single_target(const Particles& sources, const Vec3<double>& place,
                               std::int64_t self, const Softening& softening, double own)
{
    const bool per_particle = !sources.softening.empty();
    Particles pulling;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const double length = per_particle ? std::max(own, sources.softening[j]) : softening.length;
        if (std::int64_t(j) == self || (length == 0 && sources.position[j] == place))
            continue;
        if (per_particle)
            pulling.softening.push_back(sources.softening[j]);
        pulling.position.push_back(sources.position[j]);
        pulling.mass.push_back(sources.mass[j]);
    }
    pulling.position.push_back(place);
    pulling.mass.push_back(0);
    if (per_particle)
        pulling.softening.push_back(own);
    const Index last[] = {Index(pulling.size() - 1)};
    const ReferenceSums exact = reference_sum(pulling, last, softening, 1);
    return {exact.acceleration[0], exact.potential[0]};
}

TargetSum sum_from_afar(const Multipole& whole, const Vec3<double>& place,
                        const Softening& softening)
{
    return SofteningKernels::visit(softening.kind_of_pairs(), [&]<class Kernel>(Kernel) {
        return sum_of_cell<Gravity<Kernel, OneLength, true>>(whole, place, softening.length);
    });
}

} // namespace chamomile
