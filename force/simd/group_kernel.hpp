/// \file  The Chamomile scheme on a processor core: all pairs of a group and its list, tile by
/// tile.
///
/// Each lane of a pack is one target. A tile of sources is gathered by index, centred on the group
/// in double and rounded (J-PACKING, rows.hpp); the group's targets pass over it, a few packs at a
/// time to hide the latency of the root, and keep their sums in registers (FORCE-LOOP); the sums of
/// a tile are added in double. No sum crosses lanes. Sources among or near the targets go to tiles
/// of their own, with coordinates in two floats. In double coordinates are not centred: differences
/// are those of the coordinates as given, however wide the group. Far cells come first, as an
/// expansion (far_field.hpp).
#pragma once

#include "chamomile/force/short_range.hpp"
#include "chamomile/force/simd/far_field.hpp"
#include "chamomile/force/simd/group_targets.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/reach.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
inline constexpr int tile_size = 64;
inline constexpr int near_run = 8; // pairs of near tiles that are added before their sum is
inline constexpr Index ranges_ahead = 8, cells_ahead = 16; // about a tile

/// A struct of T as an array of its fields.
template <class T, class Record>
CHAMOMILE_HD T* fields(Record& record)
{
    return reinterpret_cast<T*>(&record);
}

/// The same source in every lane.
template <template <class> class Record, class T>
CHAMOMILE_HD Record<Pack<T>> broadcast(const Record<T>& record)
{
    Record<Pack<T>> packed;
    const T* from = reinterpret_cast<const T*>(&record);
    for (std::size_t f = 0; f < sizeof(Record<T>) / sizeof(T); ++f)
        fields<Pack<T>>(packed)[f] = Pack<T>(from[f]);
    return packed;
}

template <class Record>
inline constexpr bool is_series_of = false;
template <class T, int order>
inline constexpr bool is_series_of<SeriesSource<T, order>> = true;

template <class Law, class T>
class GroupKernel {
public:
    using P = Pack<T>;
    template <class U>
    using Source = typename Law::template Source<U>;
    template <class U>
    using CellSource = typename Law::template CellSource<U>;
    using Target = typename Law::template Target<P>;
    using Sum = typename Law::template Sum<P>;
    static constexpr int width = P::width;
    static constexpr int sum_fields = int(sizeof(Sum) / sizeof(P));
    static constexpr bool is_centred = sizeof(T) < sizeof(double);

    struct Tile {
        alignas(64) Source<T> source[tile_size + width]; // read in whole packs
        int count = 0;
    };
    /// Of particles that may be targets or close to them.
    struct NearTile {
        alignas(64) Source<T> source[tile_size];
        Source<T> residue[tile_size]; ///< what rounding leaves behind
        Index sorted[tile_size];
        int count = 0;
    };

    GroupKernel(const GroupWork& work, KernelScratch& scratch)
        : work_(work), frame_{is_centred ? work.row.center : Vec3<double>{}, work.inverse_length,
                              work.inverse_mass},
          rows_(frame_, work.periodicity, work.row.center), law_(make_law(work)),
          targets_(work, rows_, scratch), reach_(work.row.near_reach, frame_, work.row.center)
    {}

    void run(TargetSum* sums)
    {
        if (!Law::is_periodic && work_.expansion)
            add_expansion(*work_.expansion, work_.local_order, sum_fields > 3,
                          rounded<T>(frame_.of(work_.expansion->center)), targets_.positions(),
                          targets_.padded(), targets_.sums());
        sum_over_particles();
        if (work_.order == 0)
            sum_over_cells<Source>();
        else if (Law::is_periodic || work_.order == 2)
            sum_over_cells<CellSource>();
        else if constexpr (!Law::is_periodic) {
            if (work_.order == 3)
                sum_over_cells<Law::template OctupoleSource>();
            else
                sum_over_cells<Law::template HexadecapoleSource>();
        }
        targets_.store(sums);
    }

private:
    static Law make_law(const GroupWork& work)
    {
        if constexpr (Law::is_periodic)
            return Law::with_lengths(work.softening_length, *work.form);
        else
            return Law::with_length(work.softening_length);
    }

    /// Particles of the list, in two kinds of tiles.
    void sum_over_particles()
    {
        const bool apart = work_.targets_apart; // then none is surely close
        const Index own_begin = apart ? 0 : targets_.sorted(0),
                    own_end = apart ? 0 : targets_.sorted(targets_.count() - 1) + 1;
        Tile tile;
        NearTile near;
        for (Index r = work_.row.range_begin; r < work_.row.range_end; ++r) {
            const Index before = work_.ranges[r].before, begin = work_.ranges[r].first;
            const Index count = (r + 1 < work_.row.range_end ? work_.ranges[r + 1].before
                                                             : work_.row.particle_count) -
                                before;
            const Index end = begin + count, own_first = within(own_begin, begin, end),
                        own_last = within(own_end, own_first, end);
            if (r + ranges_ahead < work_.row.range_end)
                prefetch(work_.ranges[r + ranges_ahead].first);
            add_particles(tile, near, begin, own_first);
            fill<&GroupKernel::add_near_tile>(near, own_first, own_last);
            add_particles(tile, near, own_last, end);
        }
        add_tile(tile);
        add_near_tile(near);
    }

    /// The beginning of a range; the processor sees to the rest once it is read.
    CHAMOMILE_HD void prefetch(Index first) const
    {
        constexpr int ahead = 16;
        for (int k = 0; k < ahead; k += 2)
            __builtin_prefetch(work_.sources + first + k);
    }

    static Index within(Index x, Index low, Index high)
    {
        return x < low ? low : x > high ? high : x;
    }

    /// Particles that are not among the targets, to one tile or the other.
    void add_particles(Tile& tile, NearTile& near, Index begin, Index end)
    {
        if (!reach_)
            return fill<&GroupKernel::add_tile>(tile, begin, end);
        while (begin < end) {
            const Index taken = least(end - begin, Index(tile_size - tile.count));
            pack(begin, int(taken), tile);
            if (reach_.holds_any(tile.source + tile.count, int(taken)))
                fill<&GroupKernel::add_near_tile>(near, begin, begin + taken);
            else if ((tile.count += int(taken)) == tile_size)
                add_tile(tile);
            begin += taken;
        }
    }

    static Index least(Index a, Index b) { return a < b ? a : b; }

    /// J-PACKING of sorted particles begin .. end; full tiles are evaluated.
    template <auto evaluate, class AnyTile>
    CHAMOMILE_HD void fill(AnyTile& tile, Index begin, Index end)
    {
        while (begin < end) {
            const Index taken = least(end - begin, Index(tile_size - tile.count));
            pack(begin, int(taken), tile);
            tile.count += int(taken);
            begin += taken;
            if (tile.count == tile_size)
                (this->*evaluate)(tile);
        }
    }

    CHAMOMILE_HD void pack(Index first, int count, Tile& tile) const
    {
        rows_.pack(work_.sources + first, count, fields<T>(tile.source[tile.count]));
    }

    void pack(Index first, int count, NearTile& tile) const
    {
        rows_.pack(work_.sources + first, count, fields<T>(tile.source[tile.count]),
                   fields<T>(tile.residue[tile.count]));
        for (int k = 0; k < count; ++k)
            tile.sorted[tile.count + k] = first + Index(k);
    }

    void add_tile(Tile& tile)
    {
        force_loop<Source>(tile.source, tile.count);
        tile.count = 0;
    }

    template <template <class> class CellRecord>
    void sum_over_cells()
    {
        alignas(64) CellRecord<T> tile[tile_size];
        int filled = 0;
        for (Index c = work_.row.cell_begin; c < work_.row.cell_end; ++c) {
            constexpr bool is_series = is_series_of<CellRecord<T>>;
            if (c + cells_ahead < work_.row.cell_end)
                prefetch_cell<is_series>(work_.cells[c + cells_ahead]);
            const Index cell = work_.cells[c];
            if constexpr (is_series)
                Law::pack_cell(work_.multipoles[cell], work_.higher[cell], frame_, tile[filled]);
            else
                Law::pack_cell(image(work_.multipoles[cell]), frame_, tile[filled]);
            if (++filled == tile_size) {
                force_loop<CellRecord>(tile, filled);
                filled = 0;
            }
        }
        force_loop<CellRecord>(tile, filled);
    }

    /// Of the cell, that nearest to the group.
    CHAMOMILE_HD decltype(auto) image(const Multipole& cell) const
    {
        if constexpr (Law::is_periodic) {
            Multipole image = cell;
            image.center = work_.periodicity.nearest_to(work_.row.center, cell.center);
            return image;
        } else {
            return (cell);
        }
    }

    template <bool with_higher>
    CHAMOMILE_HD void prefetch_cell(Index cell) const
    {
        const Multipole& soon = work_.multipoles[cell];
        __builtin_prefetch(&soon);
        __builtin_prefetch(&soon.second.zz);
        if constexpr (with_higher) {
            constexpr int line = 64 / sizeof(double);
            for (int k = 0; k < HigherMoments::count; k += line)
                __builtin_prefetch(work_.higher[cell].moment + k);
            __builtin_prefetch(&work_.higher[cell].length);
        }
    }

    /// FORCE-LOOP: `in_flight` packs of targets against all sources of the tile.
    template <int in_flight, template <class> class Record>
    CHAMOMILE_HD void force_loop_of(int t, const Record<T>* tile, int count)
    {
        Target target[in_flight];
        Sum sum[in_flight];
        for (int k = 0; k < in_flight; ++k)
            target[k] = {targets_.position(t + k * width)};
        for (int j = 0; j < count; ++j) {
            if constexpr (is_series_of<Record<T>>) { // long enough to hide its root alone
                law_(target[0], tile[j], sum[0]);
            } else {
                const Record<P> source = broadcast<Record>(tile[j]);
                for (int k = 0; k < in_flight; ++k)
                    law_(target[k], source, sum[k]);
            }
        }
        for (int k = 0; k < in_flight; ++k)
            targets_.add(t + k * width, sum[k]);
    }

    template <template <class> class Record>
    void force_loop(const Record<T>* tile, int count)
    {
        int t = 0;
        if constexpr (!is_series_of<Record<T>>) {
            for (; t + 4 * width <= targets_.padded(); t += 4 * width)
                force_loop_of<4, Record>(t, tile, count);
            for (; t + 2 * width <= targets_.padded(); t += 2 * width)
                force_loop_of<2, Record>(t, tile, count);
        }
        for (; t < targets_.padded(); t += width)
            force_loop_of<1, Record>(t, tile, count);
    }

    /// The same with coordinates in two floats, for a tile that may hold some of the targets. Its
    /// pulls are large and come from all sides; summed in short runs they leave half the error.
    void add_near_tile(NearTile& tile)
    {
        if (work_.targets_apart)
            return add_near_tile_apart(tile);
        int lane[tile_size]; // the number of the target that the source is; -1 for none
        int place = 0;
        for (int j = 0; j < tile.count; ++j) {
            place = targets_.before(tile.sorted[j], place);
            lane[j] =
                place < targets_.count() && targets_.sorted(place) == tile.sorted[j] ? place : -1;
        }
        near_loop(tile, [&](int j, int t, int lanes, auto leave_out) {
            if (lane[j] >= t && lane[j] < t + lanes)
                leave_out(lane[j] - t);
        });
    }

    /// The same for targets that are no sources, though some may be said to be one.
    void add_near_tile_apart(NearTile& tile)
    {
        int first[tile_size], last[tile_size]; // of the self pairs of a source
        for (int j = 0; j < tile.count; ++j) {
            first[j] = targets_.self_before(tile.sorted[j]);
            last[j] = targets_.self_before(tile.sorted[j] + 1);
        }
        near_loop(tile, [&](int j, int t, int lanes, auto leave_out) {
            for (int s = first[j]; s < last[j]; ++s)
                if (const int target = work_.self[s].target; target >= t && target < t + lanes)
                    leave_out(target - t);
        });
    }

    /// `find_self(j, t, lanes, leave_out)` calls leave_out(lane) for those of the targets t .. that
    /// source j is.
    template <class FindSelf>
    CHAMOMILE_HD void near_loop(NearTile& tile, FindSelf find_self)
    {
        int t = 0;
        for (; t + 2 * width <= targets_.padded(); t += 2 * width)
            near_loop_of<2>(t, tile, find_self);
        for (; t < targets_.padded(); t += width)
            near_loop_of<1>(t, tile, find_self);
        tile.count = 0;
    }

    template <int in_flight, class FindSelf>
    CHAMOMILE_HD void near_loop_of(int t, const NearTile& tile, FindSelf find_self)
    {
        Vec3<P> position[in_flight], residue[in_flight];
        Sum sum[in_flight];
        for (int k = 0; k < in_flight; ++k) {
            position[k] = targets_.position(t + k * width);
            residue[k] = targets_.residue(t + k * width);
        }
        for (int first = 0; first < tile.count; first += near_run) {
            const int last = first + near_run < tile.count ? first + near_run : tile.count;
            Sum run[in_flight];
            for (int j = first; j < last; ++j) {
                const Source<P> source = broadcast<Source>(tile.source[j]);
                const Vec3<P> source_residue = broadcast<Source>(tile.residue[j]).position;
                // The same pairs with the target at the origin.
                Source<P> relative[in_flight];
                for (int k = 0; k < in_flight; ++k)
                    relative[k] = {(source.position - position[k]) + (source_residue - residue[k]),
                                   source.mass};
                // No mass at a finite place instead of the target itself.
                const auto leave_out = [&](const auto& where, int k) {
                    relative[k].position.x = select(where, P(1), relative[k].position.x);
                    relative[k].mass = select(where, P(0), relative[k].mass);
                };
                find_self(j, t, in_flight * width, [&](int lane) {
                    for (int k = 0; k < in_flight; ++k)
                        leave_out(is_lane<P>(lane - k * width), k);
                });
                if (leaves_out_places_)
                    for (int k = 0; k < in_flight; ++k)
                        leave_out(is_nowhere(relative[k].position), k);
                for (int k = 0; k < in_flight; ++k)
                    law_(Target{}, relative[k], run[k]);
            }
            for (int k = 0; k < in_flight; ++k)
                for (int f = 0; f < sum_fields; ++f)
                    fields<P>(sum[k])[f] += fields<P>(run[k])[f];
        }
        for (int k = 0; k < in_flight; ++k)
            targets_.add(t + k * width, sum[k]);
    }

    /// The lanes where r = 0.
    static CHAMOMILE_HD typename P::Mask is_nowhere(const Vec3<P>& r)
    {
        const auto sign = [](P x) { return select(x < P(0), P(1), select(P(0) < x, P(1), P(0))); };
        return sign(r.x) + sign(r.y) + sign(r.z) < P(0.5f);
    }

    const GroupWork& work_;
    const Frame frame_;
    const ParticleRows<Law::is_periodic> rows_;
    const Law law_;
    GroupTargets<T, sum_fields> targets_;
    /// Without softening sources at the place of a target apart pull at nothing.
    const bool leaves_out_places_ = work_.targets_apart && work_.softening_length == 0;
    const Reach<T> reach_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
