/// \file  The loop over tiles of the Chamomile scheme: a warp's targets meet sources, 32 at a time.
///
/// A lane keeps `per_lane` targets and their sums in registers. J-PACKING: each lane fetches one
/// source of a tile, rounds it and puts it into the warp's tile in shared memory; no barrier is
/// wider than the warp. FORCE-LOOP: all lanes read the same source of the tile at once (a broadcast
/// of 16-byte loads) and add its effect to their sums in T. Every `tiles_in_float` tiles these are
/// added to sums in double, kept in shared memory to spare registers.
///
/// A tile that is NEAR to targets includes the sources' numbers, by which a target skips itself. If
/// T is float it also has coordinates in two floats: the target is then at the origin, and the
/// source at the difference of both. Nearness is tested for `together` targets of a lane at once
/// and kept as a bit.
///
/// The loop knows neither the origin of sources nor the contents of a record. A kernel defines both
/// by a class that derives from TileSources (an interaction list in gpu/lists, a sorted array in
/// gpu/direct, a list of tiles in gpu/pairs) and by a LoopCut.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/core/vec3.hpp"

namespace chamomile {

inline constexpr int warp_size = 32; ///< also the sources of a tile
inline constexpr int tiles_in_float = 4;
inline constexpr unsigned all_lanes = 0xffffffffu;
inline constexpr unsigned no_number = 0xffffffffu;

/// A LoopCut is the tiling of a loop over targets and tiles.
template <int per_lane_, int together_, bool two_floats_, int near_run_, int near_in_row_>
struct LoopCut {
    static constexpr int per_lane = per_lane_;       ///< targets of a lane
    static constexpr int together = together_;       ///< targets of a lane that share a nearness
                                                     ///< test
    static constexpr bool two_floats = two_floats_;  ///< near tiles have coordinates in two floats
    static constexpr int near_run = near_run_;       ///< near sources summed apart; 0: none
    static constexpr int near_in_row = near_in_row_; ///< sources of the near loop in a row
    /// True if sums are added in double after each near tile.
    static constexpr bool near_in_double = near_run > 0 && two_floats;
};

/// Returns the residue of rounding to T.
template <class T>
__device__ Vec3<T> residue_of(const Vec3<double>& x)
{
    return {T(x.x - double(T(x.x))), T(x.y - double(T(x.y))), T(x.z - double(T(x.z)))};
}

/// A NearPart extends a source's record in a near tile: its number, to recognize targets, and with
/// two floats the residue of its coordinates.
template <class T, bool two_floats>
struct NearPart {
    unsigned number;
};
template <class T>
struct alignas(4 * sizeof(T)) NearPart<T, true> {
    Vec3<T> residue;
    unsigned number;
};

/// The test by which a tile is near to targets.
enum class NearBy {
    none,   ///< never near
    source, ///< near to all targets if is_near(fetched) for any source
    box,    ///< by the bits of nearness(number, end), for 32 tiles at a time
    all     ///< always near, to all targets
};

/// Base class of a loop's sources, with defaults that a derived class may redefine. A derived class
/// also defines
///
///     near_by                           and the function for its test
///     Record, in_row                    the input of FORCE-LOOP, and how many in a row
///     Fetched, fetch(tile)              this lane's source as stored in memory
///     pack(tile, fetched, record)       makes a Record
///     pack(tile, fetched, source, part) makes a Law::Source and a NearPart, for a near tile
///     self(k), target_residue(k)        number as a source of this lane's k-th target, and
///                                       its residue of rounding
///     hide(source, hidden)              if `hidden`, makes a source without effect for a target,
///                                       without a branch, so that pairs overlap; sources without
///                                       this function leave out a pair by a branch
struct TileSources {
    using Tile = unsigned; ///< identifies a tile
    static __device__ unsigned tile_at(unsigned number) { return number; }
    static constexpr bool fetches_ahead = false; ///< fetches the next tile during a sum
    static constexpr bool any_warps = false;     ///< a launch may have fewer warps than the Shape
    /// With per-particle softening, most tiles have one softening length.
    static constexpr bool are_by_length = false;

    /// Returns the number of sources in a tile, fewer in the last tile unless padded.
    template <class Tile>
    __device__ int count(const Tile&) const
    {
        return warp_size;
    }
    /// Returns the number of a tile's sources with an effect, without padding.
    template <class Tile>
    __device__ int effective(const Tile&) const
    {
        return warp_size;
    }
    /// True if some targets must skip some sources of a tile. Bit j of excluded(k) is then set if
    /// the k-th target must skip source j.
    template <class Tile>
    __device__ bool find_excluded(const Tile&)
    {
        return false;
    }
    __device__ unsigned excluded(int) const { return 0; }
    /// True if a near tile may contain targets of this warp.
    template <class Tile>
    __device__ bool may_hold_targets(const Tile&) const
    {
        return true;
    }
    /// True if a target must skip itself; otherwise it adds exactly 0 to its own sums.
    __device__ bool hides_self() const { return true; }
    /// True if a target must skip near sources at its place, as well as itself.
    __device__ bool hides_places() const { return false; }
};

/// The sources that targets near to a tile skip.
enum class Skipped { none, self, self_and_excluded, self_and_places };

/// True if a law has per-particle softening.
template <class Law>
inline constexpr bool is_per_particle_law = requires
{
    requires Law::per_particle;
};

/// A TileLoop holds a warp's targets and their sums. set_sum() sets initial sums.
template <class Law, class T, class Cut>
class TileLoop {
    static constexpr int per_lane = Cut::per_lane, together = Cut::together;

public:
    using Target = typename Law::template Target<T>;
    using Source = typename Law::template Source<T>;
    using Sum = typename Law::template Sum<T>;
    using Part = NearPart<T, Cut::two_floats>;
    static constexpr int fields = int(sizeof(Sum) / sizeof(T));
    static constexpr unsigned all_near = (1u << per_lane / together) - 1;

private:
    /// A record in shared memory, accessed in pieces of 16 bytes.
    template <class Record>
    class alignas(16) Row {
        static constexpr int size = int(sizeof(Record) / sizeof(T)),
                             room = int((sizeof(Record) + 15) / 16 * 16 / sizeof(T));

    public:
        __device__ Row& operator=(const Record& record)
        {
#pragma unroll
            for (int v = 0; v < size; ++v)
                value_[v] = reinterpret_cast<const T*>(&record)[v];
            return *this;
        }
        __device__ operator Record() const
        {
            const Row row = *this;
            Record record;
#pragma unroll
            for (int v = 0; v < size; ++v)
                reinterpret_cast<T*>(&record)[v] = row.value_[v];
            return record;
        }

    private:
        T value_[room];
    };
    struct NearTile {
        Row<Source> source[warp_size];
        Part part[warp_size];
    };

public:
    /// Shared memory, for tiles of `Record` and near tiles.
    template <class Record>
    struct Shared {
        union Tile {
            unsigned char near[sizeof(NearTile)];
            unsigned char other[warp_size * sizeof(Row<Record>)];
        };
        alignas(16) Tile tile;
        double sums[fields][per_lane][warp_size];
    };

    template <class Record>
    __device__ TileLoop(const Law& law, Shared<Record>& shared)
        : law_(law), lane_(int(threadIdx.x) % warp_size), tile_(&shared.tile), sums_(shared.sums)
    {
        clear();
    }

    __device__ void set_target(int k, const Target& target)
    {
        target_[k] = target;
    }
    __device__ void set_sum(int f, int k, double sum)
    {
        sums_[f][k][lane_] = sum;
    }
    __device__ double sum(int f, int k) const
    {
        return sums_[f][k][lane_];
    }

    /// Adds the effect of tiles begin .. end to the targets' sums.
    template <class Sources>
    __device__ void sum_over(Sources& sources, unsigned begin, unsigned end)
    {
        using Record = typename Sources::Record;
        typename Sources::Fetched source;
        if (Sources::fetches_ahead && begin < end)
            source = sources.fetch(sources.tile_at(begin));
        unsigned tested = 0; // nearness of the tile in this lane's turn
        for (unsigned number = begin; number < end; ++number) {
            const typename Sources::Tile tile = sources.tile_at(number);
            if constexpr (!Sources::fetches_ahead)
                source = sources.fetch(tile);
            const unsigned near = nearness(sources, source, number, begin, end, tested);
            const bool excluded = sources.find_excluded(tile);
            __syncwarp();
            if (near != 0 || excluded)
                pack_near(sources, tile, source);
            else
                pack<Record>(sources, tile, source);
            __syncwarp();
            if constexpr (Sources::fetches_ahead)
                source = sources.fetch(sources.tile_at(number + 1 < end ? number + 1 : number));
            const int count = sources.count(tile);
            if (near != 0 || excluded || count < warp_size)
                near_force_loops(sources, tile, near, excluded, count);
            else if constexpr (Sources::are_by_length)
                force_loop_by_length<Record, Sources::in_row>();
            else
                force_loop<Record, Sources::in_row>(target_, sources.effective(tile), law_);
            if ((Cut::near_in_double && near) || (number - begin + 1) % tiles_in_float == 0 ||
                number + 1 == end)
                add_in_double();
        }
    }

private:
    template <class Record>
    __device__ Row<Record>* rows() const
    {
        return static_cast<Row<Record>*>(tile_);
    }
    __device__ NearTile& near_tile() const
    {
        return *static_cast<NearTile*>(tile_);
    }

    template <class Record, class Sources>
    __device__ void pack(const Sources& sources, const typename Sources::Tile& tile,
                         const typename Sources::Fetched& source)
    {
        Record packed;
        sources.pack(tile, source, packed);
        rows<Record>()[lane_] = packed;
    }
    template <class Sources>
    __device__ void pack_near(const Sources& sources, const typename Sources::Tile& tile,
                              const typename Sources::Fetched& source)
    {
        if constexpr (Sources::near_by != NearBy::none) {
            Source packed;
            Part part;
            sources.pack(tile, source, packed, part);
            near_tile().source[lane_] = packed;
            near_tile().part[lane_] = part;
        }
    }

    /// Returns bits of targets near the tile, equal in all lanes.
    template <class Sources>
    static __device__ unsigned nearness(const Sources& sources,
                                        const typename Sources::Fetched& source, unsigned number,
                                        unsigned begin, unsigned end, unsigned& tested)
    {
        if constexpr (Sources::near_by == NearBy::none) {
            return 0;
        } else if constexpr (Sources::near_by == NearBy::all) {
            return all_near;
        } else if constexpr (Sources::near_by == NearBy::source) {
            return __any_sync(all_lanes, sources.is_near(source)) ? all_near : 0;
        } else {
            const unsigned lane = threadIdx.x % warp_size, turn = (number - begin) % warp_size;
            if (turn == 0)
                tested = sources.nearness(number + lane, end);
            return __shfl_sync(all_lanes, tested, int(turn));
        }
    }

    /// If a tile's sources have one softening length, computes pair softenings once a target.
    template <class Record, int in_row>
    __device__ void force_loop_by_length()
    {
        const T own = Record(rows<Record>()[lane_]).eps2, first = __shfl_sync(all_lanes, own, 0);
        if (!__all_sync(all_lanes, own == first))
            return force_loop<Record, in_row>(target_, warp_size, law_);
        Target target[per_lane];
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
            target[k] = {target_[k].position, law_.rule(target_[k].eps2, first)};
        force_loop<Record, in_row>(target, warp_size,
                                   [&](const Target& i, const Record& j, Sum& sum) {
                                       law_.add_particle(i, j, i.eps2, sum);
                                   });
    }

    /// add(target, source, sum) adds one pair. Sources beyond `count` have no effect.
    template <class Record, int in_row, class Add>
    __device__ void force_loop(const Target (&target)[per_lane], int count, const Add& add)
    {
        const Row<Record>* tile = rows<Record>();
#pragma unroll 1
        for (int first = 0; first < count; first += in_row)
#pragma unroll
            for (int j = 0; j < in_row; ++j) {
                const Record source = tile[first + j];
#pragma unroll
                for (int k = 0; k < per_lane; ++k)
                    add(target[k], source, sum_[k]);
            }
    }

    /// Sums a tile that is near to some targets, excluded for some, or not full.
    template <class Sources>
    __device__ void near_force_loops(const Sources& sources, const typename Sources::Tile& tile,
                                     unsigned near, bool excluded, int count)
    {
        if constexpr (Sources::near_by != NearBy::none) {
            const bool skips_self = sources.may_hold_targets(tile) && sources.hides_self();
#pragma unroll
            for (int first = 0; first < per_lane; first += together)
                if (excluded)
                    near_force_loop<true, Skipped::self_and_excluded>(sources, first, count);
                else if (!(near >> first / together & 1))
                    near_force_loop<false, Skipped::none>(sources, first, count);
                else if (sources.hides_places())
                    near_force_loop<true, Skipped::self_and_places>(sources, first, count);
                else if (skips_self)
                    near_force_loop<true, Skipped::self>(sources, first, count);
                else
                    near_force_loop<true, Skipped::none>(sources, first, count);
        }
    }

    /// The properties of targets near to a tile, without coordinates.
    struct NearTargets {
        unsigned self[together], excluded[together];
        Vec3<T> residue[together];
    };

    /// Sums a tile, near or not, for some targets of this lane.
    template <bool near, Skipped skipped, class Sources>
    __device__ void near_force_loop(const Sources& sources, int first, int count)
    {
        constexpr int in_row = near ? Cut::near_in_row : 4;
        NearTargets of;
#pragma unroll
        for (int k = 0; near && k < together; ++k) {
            of.self[k] = skipped != Skipped::none ? sources.self(first + k) : no_number;
            of.excluded[k] =
                skipped == Skipped::self_and_excluded ? sources.excluded(first + k) : 0;
            if constexpr (Cut::two_floats)
                of.residue[k] = sources.target_residue(first + k);
        }
        if constexpr (Cut::near_run == 0) {
#pragma unroll in_row
            for (int j = 0; j < count; ++j)
                meet_source<near, skipped>(sources, j, first, of, sum_ + first);
        } else {
#pragma unroll 1
            for (int j = 0; j < count;) {
                Sum run[together]{};
#pragma unroll in_row
                for (const int end = j + Cut::near_run; j < end; ++j)
                    meet_source<near, skipped>(sources, j, first, of, run);
#pragma unroll
                for (int k = 0; k < together; ++k)
#pragma unroll
                    for (int f = 0; f < fields; ++f)
                        values(sum_[first + k])[f] += values(run[k])[f];
            }
        }
    }

    template <bool near, Skipped skipped, class Sources>
    __device__ void meet_source(const Sources& sources, int j, int first, const NearTargets& of,
                                Sum* sum) const
    {
        constexpr bool hides = requires(Source & seen)
        {
            sources.hide(seen, true);
        };
        const Source source = near_tile().source[j];
        Part part;
        if constexpr (near)
            part = near_tile().part[j];
#pragma unroll
        for (int k = 0; k < together; ++k) {
            if constexpr (!near) {
                law_(target_[first + k], source, sum[k]);
                continue;
            }
            bool hidden = skipped != Skipped::none && part.number == of.self[k];
            if constexpr (skipped == Skipped::self_and_excluded)
                hidden = hidden || (of.excluded[k] >> j & 1);
            if constexpr (!hides)
                if (hidden)
                    continue;
            Target target = target_[first + k];
            Source seen = source;
            if constexpr (Cut::two_floats || hides) { // the same pair with the target at the origin
                seen.position -= target.position;
                if constexpr (Cut::two_floats)
                    seen.position += part.residue - of.residue[k];
                target.position = {};
            }
            if constexpr (hides && skipped != Skipped::none) {
                if constexpr (skipped == Skipped::self_and_places)
                    hidden |= seen.position.x == 0 & seen.position.y == 0 & seen.position.z == 0 &
                              is_bare(target, seen);
                sources.hide(seen, hidden);
            }
            law_(target, seen, sum[k]);
        }
    }

    /// True if a pair at one place has no softening, if sources hide places.
    __device__ bool is_bare(const Target& i, const Source& j) const
    {
        if constexpr (is_per_particle_law<Law>)
            return law_.rule(i.eps2, j.eps2) == T(0);
        else
            return true;
    }

    static __device__ T* values(Sum& sum)
    {
        return reinterpret_cast<T*>(&sum);
    }

    __device__ void add_in_double()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
#pragma unroll
            for (int f = 0; f < fields; ++f)
                sums_[f][k][lane_] += double(values(sum_[k])[f]);
        clear();
    }

    __device__ void clear()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
#pragma unroll
            for (int f = 0; f < fields; ++f)
                values(sum_[k])[f] = T(0);
    }

    const Law law_;
    const int lane_;
    void* const tile_;
    double (*const sums_)[per_lane][warp_size];
    Target target_[per_lane];
    Sum sum_[per_lane];
};

} // namespace chamomile
