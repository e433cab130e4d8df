/// \file  A group's listed particles, packed into tiles: the same code for all laws.
#pragma once

#include "chamomile/core/interruption.hpp"
#include "chamomile/force/simd/force_loop.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/near_box.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

inline constexpr Index ranges_ahead = 8; // about a tile

/// A kernel derives from it and evaluates the tiles: one call through a pointer per 64 sources.
template <class T, bool per_particle, bool is_periodic>
class ListedParticles {
protected:
    using Particles = ParticleTile<T, per_particle>;
    static constexpr bool is_centered = sizeof(T) < sizeof(double);

    struct Tile : Particles {
        int count = 0;
    };
    /// Particles that may be targets or close to targets.
    struct NearTile : Particles {
        typename Particles::Row residues[tile_size]; ///< of rounding
        Index sorted[tile_size];
        int count = 0;

        CHAMOMILE_HD auto residue(int j) const
        {
            return Particles::broadcast_row(residues[j]).position;
        }
    };

    explicit ListedParticles(const GroupWork& work)
        : work_(work), frame_{is_centered ? work.row.center : Vec3<double>{}, work.inverse_length,
                              work.inverse_mass},
          rows_(frame_, work.periodicity, work.row.center),
          near_box_(work.row.near_distance, frame_, work.row.center)
    {}
    ~ListedParticles() = default;

    virtual void add_tile(Tile& tile) = 0;
    /// Evaluates a tile that may hold targets, with coordinates in two floats.
    virtual void add_near_tile(NearTile& tile) = 0;

    /// Adds the listed particles, in two kinds of tiles. Particles own_begin .. own_end may be
    /// targets.
    void sum_over_particles(Index own_begin, Index own_end); // listed_particles.cpp

    const GroupWork& work_;
    const Frame frame_;
    const ParticleReader<is_periodic> rows_;

private:
    /// Prefetches the beginning of a range; the hardware then prefetches the rest.
    CHAMOMILE_HD void prefetch(Index first) const
    {
        constexpr int ahead = 16;
        for (int k = 0; k < ahead; k += 2)
            __builtin_prefetch(work_.sources + first + k);
        if constexpr (per_particle)
            for (int k = 0; k < ahead; k += 8)
                __builtin_prefetch(work_.own.of_source + first + k);
    }

    static Index within(Index x, Index low, Index high)
    {
        return x < low ? low : x > high ? high : x;
    }

    /// Adds particles that are no targets. A direct sum has one long range, so this checks for an
    /// interruption between slices.
    void add_slices(Tile& tile, NearTile& near, Index begin, Index end)
    {
        constexpr Index slice = 8192;
        for (; end - begin > slice; begin += slice) {
            add_particles(tile, near, begin, begin + slice);
            look_for_interruption();
        }
        add_particles(tile, near, begin, end);
    }

    /// Packs particles that are no targets into a tile, across ranges, and judges full tiles.
    /// Without a near box every tile is plain.
    void add_particles(Tile& tile, NearTile& near, Index begin, Index end)
    {
        if (!near_box_)
            return fill<&ListedParticles::add_tile>(tile, begin, end);
        while (begin < end) {
            const Index taken = min(end - begin, Index(tile_size - tile.count));
            pack(begin, int(taken), tile);
            runs_[run_count_++] = {begin, begin + taken};
            begin += taken;
            if ((tile.count += int(taken)) == tile_size)
                add_judged(tile, near);
        }
    }

    /// Adds a tile; if any particle in it is near, moves all to near tiles.
    void add_judged(Tile& tile, NearTile& near)
    {
        if (near_box_ && near_box_.holds_any(tile.row, tile.count)) {
            for (int r = 0; r < run_count_; ++r)
                fill<&ListedParticles::add_near_tile>(near, runs_[r].begin, runs_[r].end);
            tile.count = 0;
        } else {
            add_tile(tile);
        }
        run_count_ = 0;
    }

    static Index min(Index a, Index b) { return a < b ? a : b; }

    /// J-PACKING: packs sorted particles begin .. end and evaluates full tiles.
    template <auto evaluate, class AnyTile>
    CHAMOMILE_HD void fill(AnyTile& tile, Index begin, Index end)
    {
        while (begin < end) {
            const Index taken = min(end - begin, Index(tile_size - tile.count));
            pack(begin, int(taken), tile);
            tile.count += int(taken);
            begin += taken;
            if (tile.count == tile_size)
                (this->*evaluate)(tile);
        }
    }

    CHAMOMILE_HD void pack(Index first, int count, Tile& tile) const
    {
        rows_.pack(work_.sources + first, count, fields<T>(tile.row[tile.count]));
        pack_softenings(first, count, tile, tile.count);
    }

    void pack(Index first, int count, NearTile& tile) const
    {
        rows_.pack(work_.sources + first, count, fields<T>(tile.row[tile.count]),
                   fields<T>(tile.residues[tile.count]));
        pack_softenings(first, count, tile, tile.count);
        for (int k = 0; k < count; ++k)
            tile.sorted[tile.count + k] = first + Index(k);
    }

    /// Packs eps^2 in internal units.
    CHAMOMILE_HD void pack_softenings(Index first, int count, [[maybe_unused]] Particles& tile,
                                      int at) const
    {
        if constexpr (per_particle) {
            const double unit = work_.inverse_length * work_.inverse_length; // a power of two
            scale_row(work_.own.of_source + first, count, unit, tile.eps2 + at);
        }
    }

    const NearBox<T> near_box_;
    /// Sorted particles in the current tile, with a near box.
    struct Run {
        Index begin, end;
    } runs_[tile_size];
    int run_count_ = 0;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
