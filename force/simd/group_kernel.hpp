/// \file  The Chamomile scheme on a CPU core: all pairs of a group and its list, tile by tile.
///
/// Each lane of a pack is one target. A tile of sources is gathered by index, centered on the group
/// in double and rounded (J-PACKING, rows.hpp). The group's targets pass over it, a few packs at a
/// time to hide the root's latency, and keep sums in registers (FORCE-LOOP). Tile sums are added in
/// double; no sum crosses lanes. Sources among or near the targets go to separate tiles, with
/// coordinates in two floats. In double, coordinates are not centered: differences use the given
/// coordinates, however wide the group. Far cells come first, as an expansion (far_field.hpp).
#pragma once

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/force/simd/far_field.hpp"
#include "chamomile/force/simd/force_loop.hpp"
#include "chamomile/force/simd/group_targets.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/listed_particles.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

inline constexpr int near_run = 8; // near sources per partial sum

/// Sums the list of one group. Law: Gravity, or ShortRange<Gravity>.
template <class Law, class T>
class GroupKernel final : ListedParticles<T, Law::per_particle, Law::is_periodic> {
public:
    using CellLaw = typename Law::Cells;
    using P = Pack<T>;
    template <class U>
    using Source = typename Law::template Source<U>;
    using Target = typename Law::template Target<P>;
    using Sum = typename Law::template Sum<P>;
    static constexpr int width = P::width;
    static constexpr int sum_fields = int(sizeof(Sum) / sizeof(P));

    GroupKernel(const GroupWork& work, KernelScratch& scratch)
        : Listed(work), law_(Law::of(numbers_of(work))), targets_(work, rows_, scratch)
    {}

    void run(TargetSum* sums)
    {
        if (!Law::is_periodic && work_.expansion)
            add_expansion(*work_.expansion, work_.local_order, sum_fields > 3,
                          rounded<T>(frame_.of(work_.expansion->center)), targets_.positions(),
                          targets_.parts(*work_.expansion), targets_.padded(), targets_.sums());
        // Of separate targets none is known to be close.
        const bool separate = work_.separate_targets;
        this->sum_over_particles(separate ? 0 : targets_.sorted(0),
                                 separate ? 0 : targets_.sorted(targets_.count() - 1) + 1);
        const auto cells = CellLaw::of(Law::numbers_of_cells(numbers_of(work_)));
        if (work_.order == 0 && !CellLaw::per_particle)
            sum_over_cells<Source>(work_, frame_, law_, targets_);
        else if (Law::is_periodic || work_.order <= 2)
            sum_over_cells<CellLaw::template CellSource>(work_, frame_, cells, targets_);
        else if constexpr (!Law::is_periodic) {
            if (work_.order == 3)
                sum_over_cells<CellLaw::template OctupoleSource>(work_, frame_, cells, targets_);
            else
                sum_over_cells<CellLaw::template HexadecapoleSource>(work_, frame_, cells,
                                                                     targets_);
        }
        targets_.store(sums);
    }

private:
    using Listed = ListedParticles<T, Law::per_particle, Law::is_periodic>;
    using Listed::frame_, Listed::rows_, Listed::work_;
    using typename Listed::NearTile, typename Listed::Particles, typename Listed::Tile;

    static LawNumbers numbers_of(const GroupWork& work)
    {
        return {.softening_length = work.softening_length, .form = work.form};
    }

    void add_tile(Tile& tile) override
    {
        force_loop(law_, tile, tile.count, targets_);
        tile.count = 0;
    }

    /// Evaluates a tile that may hold targets, with coordinates in two floats. Its pulls are large
    /// and come from all sides; short partial sums halve the error.
    void add_near_tile(NearTile& tile) override
    {
        const bool separate = work_.separate_targets; // then self pairs name sources
        SelfPair own[tile_size];
        const SelfPair* const pairs = separate ? work_.self : own;
        int first[tile_size], last[tile_size], place = 0; // self pairs per source
        for (int j = 0; j < tile.count; ++j) {
            const Index sorted = tile.sorted[j];
            if (separate) {
                first[j] = targets_.self_before(sorted);
                last[j] = targets_.self_before(sorted + 1);
            } else {
                place = targets_.before(sorted, place);
                own[j] = {sorted, place};
                first[j] = j;
                last[j] = j + (place < targets_.count() && targets_.sorted(place) == sorted);
            }
        }
        // Calls leave_out(lane) for each target t .. that is source j.
        const auto find_self = [&](int j, int t, int lanes, auto leave_out) {
            for (int s = first[j]; s < last[j]; ++s)
                if (const int target = pairs[s].target; target >= t && target < t + lanes)
                    leave_out(target - t);
        };
        int t = 0;
        for (; t + 2 * width <= targets_.padded(); t += 2 * width)
            near_loop<2>(t, tile, find_self);
        for (; t < targets_.padded(); t += width)
            near_loop<1>(t, tile, find_self);
        tile.count = 0;
    }

    // Not a pair_loop_of(): with separate places and masses it takes 0.8 of the time.
    template <int packs, class FindSelf>
    CHAMOMILE_HD void near_loop(int t, const NearTile& tile, FindSelf find_self)
    {
        Vec3<P> position[packs], residue[packs];
        Target origin[packs];
        Sum sum[packs];
        for (int k = 0; k < packs; ++k) {
            if constexpr (Law::per_particle)
                origin[k].eps2 = targets_.softening(t + k * width);
            position[k] = targets_.position(t + k * width);
            residue[k] = targets_.residue(t + k * width);
        }
        for (int first = 0; first < tile.count; first += near_run) {
            const int last = first + near_run < tile.count ? first + near_run : tile.count;
            Sum run[packs];
            for (int j = first; j < last; ++j) {
                const Source<P> source = tile.source(j);
                const Vec3<P> source_residue = tile.residue(j);
                // Pairs with the target at the origin.
                Vec3<P> apart[packs];
                P mass[packs];
                for (int k = 0; k < packs; ++k) {
                    apart[k] = (source.position - position[k]) + (source_residue - residue[k]);
                    mass[k] = source.mass;
                }
                // Replaces the target itself by zero mass at a finite place.
                const auto leave_out = [&](const auto& where, int k) {
                    apart[k].x = select(where, P(1), apart[k].x);
                    mass[k] = select(where, P(0), mass[k]);
                };
                find_self(j, t, packs * width, [&](int lane) {
                    for (int k = 0; k < packs; ++k)
                        leave_out(is_lane<P>(lane - k * width), k);
                });
                const auto relative = [&](int k) {
                    Source<P> pair = source;
                    pair.position = apart[k];
                    pair.mass = mass[k];
                    return pair;
                };
                if (leaves_out_places_)
                    for (int k = 0; k < packs; ++k)
                        leave_out(is_nowhere(relative(k), origin[k]), k);
                for (int k = 0; k < packs; ++k)
                    law_(origin[k], relative(k), run[k]);
            }
            for (int k = 0; k < packs; ++k)
                for (int f = 0; f < sum_fields; ++f)
                    fields<P>(sum[k])[f] += fields<P>(run[k])[f];
        }
        for (int k = 0; k < packs; ++k)
            targets_.end(t + k * width, sum[k]);
    }

    /// Returns the lanes with r = 0 and no softening.
    CHAMOMILE_HD typename P::Mask is_nowhere(const Source<P>& j,
                                             [[maybe_unused]] const Target& i) const
    {
        const auto sign = [](P x) { return select(x < P(0), P(1), select(P(0) < x, P(1), P(0))); };
        const Vec3<P>& r = j.position;
        P sum = sign(r.x) + sign(r.y) + sign(r.z);
        if constexpr (Law::per_particle)
            sum += sign(law_.rule(i.eps2, j.eps2));
        return sum < P(0.5f);
    }

    const Law law_;
    GroupTargets<T, sum_fields> targets_;
    /// Without softening, sources at a separate target's place exert no force.
    const bool leaves_out_places_ =
        work_.separate_targets && (Law::per_particle || work_.softening_length == 0);
};

/// GroupKernel as a HostKernel function.
template <class Law, class T>
void evaluate_group(const GroupWork& work, KernelScratch& scratch, TargetSum* sums)
{
    GroupKernel<Law, T>(work, scratch).run(sums);
}

/// Returns the kernel for a choice, with the rule for a pair's length fixed.
template <class Rule>
HostKernel group_kernel(const LawChoice& choice)
{
    return visit_gravity<Rule>(choice.kind, choice.with_potential, [&]<class Law>() {
        const HostKernel kernel[2][2] = {
            {evaluate_group<Law, float>, evaluate_group<Law, double>},
            {evaluate_group<ShortRange<Law>, float>, evaluate_group<ShortRange<Law>, double>}};
        return kernel[choice.is_periodic][choice.in_double];
    });
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
