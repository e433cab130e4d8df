/// \file  FORCE-LOOP: target packs against a tile of particles or cells, one lane per target.
#pragma once

#include "chamomile/force/simd/group_targets.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/varied_gravity.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

inline constexpr int tile_size = 64;
inline constexpr Index cells_ahead = 16; // about a tile

/// Views a struct of T as an array of its fields.
template <class T, class Record>
CHAMOMILE_HD T* fields(Record& record)
{
    return reinterpret_cast<T*>(&record);
}

/// Copies a source to every lane.
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
template <class T, int order>
inline constexpr bool is_series_of<SoftenedSeries<T, order>> = true;

/// A tile of particles: positions and masses, with eps^2 for per-particle softening.
template <class T, bool is_varied>
struct ParticleTile {
    template <class U>
    using RowOf = typename Gravity<SofteningKind::plummer, false>::template Source<U>;
    using Row = RowOf<T>;
    using P = Pack<T>;

    alignas(64) Row row[tile_size + P::width]; // read in whole packs
    T eps2[is_varied ? tile_size : 1];

    static CHAMOMILE_HD RowOf<P> broadcast_row(const Row& row) { return broadcast<RowOf>(row); }
};

/// Returns source j in every lane.
template <class Law, class T, bool is_varied>
CHAMOMILE_HD typename Law::template Source<Pack<T>>
source_of(const ParticleTile<T, is_varied>* tile, int j)
{
    using P = Pack<T>;
    const auto& row = tile->row[j];
    const Vec3<P> position{P(row.position.x), P(row.position.y), P(row.position.z)};
    if constexpr (is_varied)
        return {position, P(row.mass), P(tile->eps2[j])};
    else
        return {position, P(row.mass)};
}
template <class, template <class> class Record, class T>
CHAMOMILE_HD Record<Pack<T>> source_of(const Record<T>* tile, int j)
{
    return broadcast<Record>(tile[j]);
}

/// FORCE-LOOP: `in_flight` target packs, from t on, against all sources in a tile (a ParticleTile,
/// or cell records).
template <int in_flight, class Law, class Tile, class T, int fields>
CHAMOMILE_HD void force_loop_of(const Law& law, int t, const Tile* tile, int count,
                                GroupTargets<T, fields>& targets)
{
    using P = Pack<T>;
    typename Law::template Target<P> target[in_flight];
    typename Law::template Sum<P> sum[in_flight];
    for (int k = 0; k < in_flight; ++k)
        target[k] = targets.template target<Law>(t + k * P::width);
    for (int j = 0; j < count; ++j) {
        if constexpr (is_series_of<Tile>) { // long enough to hide its root alone
            law(target[0], tile[j], sum[0]);
        } else {
            const auto source = source_of<Law>(tile, j);
            for (int k = 0; k < in_flight; ++k)
                law(target[k], source, sum[k]);
        }
    }
    for (int k = 0; k < in_flight; ++k)
        targets.add(t + k * P::width, sum[k]);
}

/// All target packs pass over a tile, as many at a time as hide the root's latency.
template <class Law, class Tile, class T, int fields>
void force_loop(const Law& law, const Tile* tile, int count, GroupTargets<T, fields>& targets)
{
    constexpr int width = Pack<T>::width;
    int t = 0;
    if constexpr (!is_series_of<Tile>) {
        for (; t + 4 * width <= targets.padded(); t += 4 * width)
            force_loop_of<4>(law, t, tile, count, targets);
        for (; t + 2 * width <= targets.padded(); t += 2 * width)
            force_loop_of<2>(law, t, tile, count, targets);
    }
    for (; t < targets.padded(); t += width)
        force_loop_of<1>(law, t, tile, count, targets);
}

/// Prefetches a cell that is packed soon.
template <bool with_higher, bool is_varied>
CHAMOMILE_HD void prefetch_cell(const GroupWork& work, Index cell)
{
    const Multipole& soon = work.multipoles[cell];
    __builtin_prefetch(&soon);
    __builtin_prefetch(&soon.second.zz);
    if constexpr (is_varied)
        __builtin_prefetch(&work.own.of_cell[cell].low);
    if constexpr (with_higher) {
        constexpr int line = 64 / sizeof(double);
        for (int k = 0; k < HigherMoments::count; k += line)
            __builtin_prefetch(work.higher[cell].moment + k);
        __builtin_prefetch(&work.higher[cell].length);
    }
}

/// M2P: adds the cells in the group's list, in images nearest to the group, to its targets.
template <template <class> class CellRecord, class Law, class T, int fields>
void sum_over_cells(const GroupWork& work, const Frame& frame, const Law& law,
                    GroupTargets<T, fields>& targets)
{
    constexpr bool is_series = is_series_of<CellRecord<T>>;
    alignas(64) CellRecord<T> tile[tile_size];
    int filled = 0;
    for (Index c = work.row.cell_begin; c < work.row.cell_end; ++c) {
        if (c + cells_ahead < work.row.cell_end)
            prefetch_cell<is_series, Law::is_varied>(work, work.cells[c + cells_ahead]);
        const Index cell = work.cells[c];
        if constexpr (is_series) {
            Law::pack_cell(work.multipoles[cell], work.higher[cell], frame, tile[filled]);
        } else if constexpr (Law::is_periodic || Law::is_varied) {
            Multipole taken = work.multipoles[cell];
            if constexpr (Law::is_periodic)
                taken.center = work.periodicity.nearest_to(work.row.center, taken.center);
            if (work.order == 0)
                taken.second = {};
            Law::pack_cell(taken, frame, tile[filled]);
        } else {
            Law::pack_cell(work.multipoles[cell], frame, tile[filled]);
        }
        if constexpr (Law::is_varied)
            Law::pack_softening(work.own.of_cell[cell], work.inverse_length, tile[filled]);
        if (++filled == tile_size) {
            force_loop(law, tile, filled, targets);
            filled = 0;
        }
    }
    force_loop(law, tile, filled, targets);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
