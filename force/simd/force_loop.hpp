/// \file  Tiles of particles and of cells for the force loop.
#pragma once

#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/group_targets.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/tile_loop.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

inline constexpr int tile_size = 64;
inline constexpr Index cells_ahead = 16; // about a tile

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
inline constexpr bool is_series_of<SoftenedCell<T, SeriesSource<T, order>>> = true;

/// A tile of particles: positions and masses, with eps^2 for per-particle softening.
template <class T, bool per_particle>
struct ParticleTile {
    template <class U>
    using RowOf = CommonRecords::Source<U>;
    using Row = RowOf<T>;
    static constexpr bool is_series = false;
    using P = Pack<T>;

    alignas(64) Row row[tile_size + P::width]; // read in whole packs
    T eps2[per_particle ? tile_size : 1];

    static CHAMOMILE_HD RowOf<P> broadcast_row(const Row& row) { return broadcast<RowOf>(row); }

    CHAMOMILE_HD auto source(int j) const
    {
        const Vec3<P> position{P(row[j].position.x), P(row[j].position.y), P(row[j].position.z)};
        if constexpr (per_particle)
            return SoftenedRecords::Source<P>{position, P(row[j].mass), P(eps2[j])};
        else
            return CommonRecords::Source<P>{position, P(row[j].mass)};
    }
};

/// A tile of cells. Those with higher moments stay numbers of T: they hide their root alone.
template <template <class> class Record, class T>
struct CellTile {
    static constexpr bool is_series = is_series_of<Record<T>>;

    alignas(64) Record<T> cell[tile_size];

    CHAMOMILE_HD decltype(auto) source(int j) const
    {
        if constexpr (is_series)
            return (cell[j]);
        else
            return broadcast<Record>(cell[j]);
    }
};

/// All target packs pass over a tile, as many at a time as hide the root's latency.
template <class Law, class Tile, class T, int fields>
void force_loop(const Law& law, const Tile& tile, int count, GroupTargets<T, fields>& targets)
{
    constexpr int width = Pack<T>::width;
    int t = 0;
    if constexpr (!Tile::is_series) {
        for (; t + 4 * width <= targets.padded(); t += 4 * width)
            force_loop_of<4>(law, t, tile, count, targets);
        for (; t + 2 * width <= targets.padded(); t += 2 * width)
            force_loop_of<2>(law, t, tile, count, targets);
    }
    for (; t < targets.padded(); t += width)
        force_loop_of<1>(law, t, tile, count, targets);
}

/// Prefetches a cell that is packed soon.
template <bool with_higher, bool per_particle>
CHAMOMILE_HD void prefetch_cell(const GroupWork& work, Index cell)
{
    const Multipole& soon = work.multipoles[cell];
    __builtin_prefetch(&soon);
    __builtin_prefetch(&soon.second.zz);
    if constexpr (per_particle)
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
    CellTile<CellRecord, T> tile;
    constexpr bool is_series = tile.is_series;
    int filled = 0;
    for (Index c = work.row.cell_begin; c < work.row.cell_end; ++c) {
        if (c + cells_ahead < work.row.cell_end)
            prefetch_cell<is_series, Law::per_particle>(work, work.cells[c + cells_ahead]);
        const Index cell = work.cells[c];
        if constexpr (is_series) {
            Law::pack_cell(work.multipoles[cell], work.higher[cell], frame, tile.cell[filled]);
        } else if constexpr (Law::is_periodic || Law::per_particle) {
            Multipole taken = work.multipoles[cell];
            if constexpr (Law::is_periodic)
                taken.center = work.periodicity.nearest_to(work.row.center, taken.center);
            if (work.order == 0)
                taken.second = {};
            Law::pack_cell(taken, frame, tile.cell[filled]);
        } else {
            Law::pack_cell(work.multipoles[cell], frame, tile.cell[filled]);
        }
        if constexpr (Law::per_particle)
            Law::pack_softening(work.own.of_cell[cell], work.inverse_length, tile.cell[filled]);
        if (++filled == tile_size) {
            force_loop(law, tile, filled, targets);
            filled = 0;
        }
    }
    force_loop(law, tile, filled, targets);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
