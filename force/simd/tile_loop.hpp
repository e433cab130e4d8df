/// \file  FORCE-LOOP on a processor: packs of targets, one lane per target, against the sources of
/// a tile. One loop serves lists of gravity, sums in double at a few targets, and any pairwise law.
///
/// `Targets` has a pack type P and, for the pack of targets from t on,
///
///     target<Law>(t), residue(t)   the law's target, and the rounding residue of its position
///     begin<Sum>(t), end(t, sum)   gives the sums with which a loop begins; takes them at its end
///
/// and `Sources` has, for source j in all lanes, source(j) and residue(j). Residues are read
/// in near loops only.
#pragma once

#include "chamomile/core/simd_math.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Views a record of T as an array.
template <class T, class Record>
CHAMOMILE_HD T* fields(Record& record)
{
    return reinterpret_cast<T*>(&record);
}

/// Adds sources 0 .. count to `packs` packs of targets, all pairs by the law alone.
template <int packs, class Law, class Sources, class Targets>
CHAMOMILE_HD void force_loop_of(const Law& law, int t, const Sources& sources, int count,
                                Targets& targets)
{
    using P = typename Targets::P;
    using Sum = typename Law::template Sum<P>;
    typename Law::template Target<P> target[packs];
    Sum sum[packs];
    for (int k = 0; k < packs; ++k) {
        target[k] = targets.template target<Law>(t + k * P::width);
        sum[k] = targets.template begin<Sum>(t + k * P::width);
    }
    for (int j = 0; j < count; ++j) {
        const auto& source = sources.source(j);
        for (int k = 0; k < packs; ++k)
            law(target[k], source, sum[k]);
    }
    for (int k = 0; k < packs; ++k)
        targets.end(t + k * P::width, sum[k]);
}

/// Like force_loop_of(), but add(j, target, seen, sum) adds source j to all packs as each pack sees
/// it, and may leave out pairs. near: a pair is shifted so that the target is at the origin, with
/// coordinates in two numbers. run: how many sources make a partial sum; 0: all.
template <int packs, bool near, int run, class Law, class Sources, class Targets, class Add>
CHAMOMILE_HD void pair_loop_of(int t, const Sources& sources, int count, Targets& targets,
                               const Add& add)
{
    using P = typename Targets::P;
    using Sum = typename Law::template Sum<P>;
    using Source = typename Law::template Source<P>;
    typename Law::template Target<P> target[packs];
    Sum sum[packs];
    Vec3<P> place[packs], residue[packs];
    for (int k = 0; k < packs; ++k) {
        target[k] = targets.template target<Law>(t + k * P::width);
        sum[k] = targets.template begin<Sum>(t + k * P::width);
        if constexpr (near) {
            place[k] = target[k].position;
            target[k].position = {P(0), P(0), P(0)};
            residue[k] = targets.residue(t + k * P::width);
        }
    }
    const auto meet = [&](int j, Sum* to) {
        const Source source = sources.source(j);
        Source seen[packs];
        for (int k = 0; k < packs; ++k)
            seen[k] = source;
        if constexpr (near) {
            const Vec3<P> source_residue = sources.residue(j);
            for (int k = 0; k < packs; ++k)
                seen[k].position = (source.position - place[k]) + (source_residue - residue[k]);
        }
        add(j, target, seen, to);
    };
    if constexpr (run == 0) {
        for (int j = 0; j < count; ++j)
            meet(j, sum);
    } else {
        for (int first = 0; first < count; first += run) {
            Sum part[packs];
            for (int j = first; j < count && j < first + run; ++j)
                meet(j, part);
            for (int k = 0; k < packs; ++k)
                for (int f = 0; f < int(sizeof(Sum) / sizeof(P)); ++f)
                    fields<P>(sum[k])[f] += fields<P>(part[k])[f];
        }
    }
    for (int k = 0; k < packs; ++k)
        targets.end(t + k * P::width, sum[k]);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
