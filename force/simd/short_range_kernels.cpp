// The Chamomile scheme with gravity's short range in a periodic cube. Contraction: fused.
#include "chamomile/force/simd/short_range_kernels.hpp"

#include "chamomile/force/simd/group_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

template <SofteningKind softening, bool with_potential, class T>
void evaluate_group(const GroupWork& work, KernelScratch& scratch, TargetSum* sums)
{
    GroupKernel<ShortRange<softening, with_potential>, T>(work, scratch).run(sums);
}

} // namespace

HostKernel short_range_kernel(bool spline, bool with_potential, bool precise)
{
    constexpr auto p = SofteningKind::plummer, s = SofteningKind::spline;
    static constexpr HostKernel kernel[2][2][2] = {
        {{evaluate_group<p, false, float>, evaluate_group<p, false, double>},
         {evaluate_group<p, true, float>, evaluate_group<p, true, double>}},
        {{evaluate_group<s, false, float>, evaluate_group<s, false, double>},
         {evaluate_group<s, true, float>, evaluate_group<s, true, double>}}};
    return kernel[spline][with_potential][precise];
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
