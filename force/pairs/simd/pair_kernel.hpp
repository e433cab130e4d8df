/// \file  The Chamomile scheme on a CPU core for any law: all pairs of a group and its tiles.
///
/// Each lane of a pack is one target. A tile of sources is centered on the group in double and
/// rounded (J-PACKING). The group's targets pass over it, a few packs at a time, and keep sums in
/// registers (FORCE-LOOP). The sums over a tile or two are added in double; no sum crosses lanes.
/// Tiles that may be near have coordinates in two floats. In tiles with excluded pairs, a mask
/// decides which sums stay unchanged.
#pragma once

#include "chamomile/force/pairs/simd/packed_group.hpp"
#include "chamomile/force/simd/tile_loop.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Sums a compiled law for one group of targets.
template <class Law, class T>
class GroupSum {
public:
    using P = Pack<T>;

private:
    using Target = typename Law::template Target<P>;
    using Source = typename Law::template Source<P>;
    using Sum = typename Law::template Sum<P>;
    static constexpr LawShape shape = shape_of<Law>();
    static constexpr bool positions = has_positions<Law>();
    static_assert(sizeof(Target) == shape.target * sizeof(P) &&
                  sizeof(Source) == shape.source * sizeof(P) &&
                  sizeof(Sum) == shape.sum * sizeof(P));
    /// Number of target packs processed together: enough to hide a root's latency, as registers
    /// allow.
    static constexpr int together = shape.target + shape.sum <= 8 ? 4 : 2;

public:
    GroupSum(const PairGroupWork& work, KernelScratch& scratch)
        : work_(work), law_(*static_cast<const Law*>(work.law)),
          group_(work, shape, positions, scratch)
    {}

    void run()
    {
        group_.for_each_batch(shape, positions, PackedGroup<T>::max_sources,
                              [&](int sources, bool near, bool excludes) {
                                  if (near && excludes)
                                      meet_tiles<positions, true>(sources);
                                  else if (near)
                                      meet_tiles<positions, false>(sources);
                                  else if (excludes)
                                      meet_tiles<false, true>(sources);
                                  else
                                      meet_tiles<false, false>(sources);
                              });
        group_.store(shape);
    }

    // The targets and the sources of a force loop. Its sums begin with 0 and are added in double.
    template <class>
    CHAMOMILE_HD Target target(int t) const
    {
        Target target;
        for (int f = 0; f < shape.target; ++f)
            fields<P>(target)[f] = group_.target(f, t);
        return target;
    }
    CHAMOMILE_HD Vec3<P> residue(int t) const { return group_.residue(t); }
    template <class>
    CHAMOMILE_HD Sum begin(int) const
    {
        return {};
    }
    CHAMOMILE_HD void end(int t, const Sum& sum)
    {
        for (int f = 0; f < shape.sum; ++f)
            group_.add(f, t, fields<const P>(sum)[f]);
    }

private:
    struct Sources {
        const PackedGroup<T>& group;

        CHAMOMILE_HD Source source(int j) const
        {
            Source source;
            const T* row = group.row(j, shape);
            for (int f = 0; f < shape.source; ++f)
                fields<P>(source)[f] = P(row[f]);
            return source;
        }
        CHAMOMILE_HD Vec3<P> residue(int j) const { return group.row_residue(j); }
    };

    template <bool near, bool masked>
    void meet_tiles(int sources)
    {
        constexpr int step = together * P::width;
        int t = 0;
        for (; t + step <= group_.padded(); t += step)
            meet<together, near, masked>(t, sources);
        for (; t < group_.padded(); t += P::width)
            meet<1, near, masked>(t, sources);
    }

    /// Adds the packed sources to the sums for a few packs of targets.
    template <int packs, bool near, bool masked>
    CHAMOMILE_HD void meet(int first, int sources)
    {
        [[maybe_unused]] typename P::Mask mask[packs];
        if constexpr (masked)
            for (int k = 0; k < packs; ++k)
                mask[k] = group_.mask(first + k * P::width);
        const auto add = [&](int j, const Target* target, const Source* seen, Sum* sum) {
            for (int k = 0; k < packs; ++k) {
                [[maybe_unused]] const Sum before = sum[k];
                law_(target[k], seen[k], sum[k]);
                if constexpr (masked) {
                    const typename P::Mask excluded = -((mask[k] >> j) & 1);
                    for (int f = 0; f < shape.sum; ++f)
                        fields<P>(sum[k])[f] =
                            select(excluded, fields<const P>(before)[f], fields<P>(sum[k])[f]);
                }
            }
        };
        if constexpr (near || masked)
            pair_loop_of<packs, near, 0, Law>(first, Sources{group_}, sources, *this, add);
        else
            force_loop_of<packs>(law_, first, Sources{group_}, sources, *this);
    }

    const PairGroupWork& work_;
    const Law law_;
    PackedGroup<T> group_;
};

/// Returns a law's kernel for single or double precision.
template <class Law>
PairKernel pair_kernel(bool double_precision)
{
    if (double_precision)
        return [](const PairGroupWork& work, KernelScratch& scratch) {
            GroupSum<Law, double>(work, scratch).run();
        };
    return [](const PairGroupWork& work, KernelScratch& scratch) {
        GroupSum<Law, float>(work, scratch).run();
    };
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
