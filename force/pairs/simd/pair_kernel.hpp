/// \file  The Chamomile scheme on a CPU core for any law: all pairs of a group and its tiles.
///
/// Each lane of a pack is one target. A tile of sources is centered on the group in double and
/// rounded (J-PACKING). The group's targets pass over it, a few packs at a time, and keep sums in
/// registers (FORCE-LOOP). The sums over a tile or two are added in double; no sum crosses lanes.
/// Tiles that may be near have coordinates in two floats. In tiles with excluded pairs, a mask
/// decides which sums stay unchanged.
#pragma once

#include "chamomile/force/pairs/simd/packed_group.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Sums a compiled law for one group of targets.
template <class Law, class T>
class GroupSum {
    using P = Pack<T>;
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
    GroupSum(const PairGroupWork& work, PairScratch& scratch)
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

private:
    template <class Record>
    static CHAMOMILE_HD P* values(Record& record)
    {
        return reinterpret_cast<P*>(&record);
    }

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
        Target target[packs];
        Sum sum[packs];
        Vec3<P> place[packs], residue[packs];
        typename P::Mask mask[packs];
        for (int k = 0; k < packs; ++k) {
            const int t = first + k * P::width;
            for (int f = 0; f < shape.target; ++f)
                values(target[k])[f] = group_.target(f, t);
            for (int f = 0; f < shape.sum; ++f)
                values(sum[k])[f] = P(T(0));
            if constexpr (near) {
                place[k] = target[k].position;
                target[k].position = {P(T(0)), P(T(0)), P(T(0))};
                residue[k] = group_.residue(t);
            }
            if constexpr (masked)
                mask[k] = group_.mask(t);
        }
        for (int j = 0; j < sources; ++j) {
            Source source;
            const T* row = group_.row(j, shape);
            for (int f = 0; f < shape.source; ++f)
                values(source)[f] = P(row[f]);
            for (int k = 0; k < packs; ++k) {
                Source seen = source;
                if constexpr (near) // shift the pair so that the target is at the origin
                    seen.position =
                        (source.position - place[k]) + (group_.row_residue(j) - residue[k]);
                if constexpr (masked) {
                    const Sum before = sum[k];
                    law_(target[k], seen, sum[k]);
                    const typename P::Mask excluded = -((mask[k] >> j) & 1);
                    for (int f = 0; f < shape.sum; ++f)
                        values(sum[k])[f] = select(excluded, reinterpret_cast<const P*>(&before)[f],
                                                   values(sum[k])[f]);
                } else {
                    law_(target[k], seen, sum[k]);
                }
            }
        }
        for (int k = 0; k < packs; ++k)
            for (int f = 0; f < shape.sum; ++f)
                group_.add(f, first + k * P::width, values(sum[k])[f]);
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
        return [](const PairGroupWork& work, PairScratch& scratch) {
            GroupSum<Law, double>(work, scratch).run();
        };
    return [](const PairGroupWork& work, PairScratch& scratch) {
        GroupSum<Law, float>(work, scratch).run();
    };
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
