/// \file  The Chamomile kernel for any law: all pairs of a block of targets and its tiles.
///
/// A block holds 32 x per_lane targets, the same in each of its warps; a warp takes its part of the
/// tiles alone, and no warp waits for another before the end. A lane keeps the targets and their
/// sums in registers. It packs one source of a tile for all (J-PACKING: centred in double, scaled,
/// rounded), then the warp reads the sources one after the other from shared memory, the same for
/// all lanes (FORCE-LOOP). Four tiles are summed in single precision, then added in double in
/// shared memory. With few targets the tiles are cut into parts as well (gridDim.y), and the last
/// block to arrive adds the parts in their order.
///
/// In single precision coordinates are taken about the centre of the block's targets, and tiles
/// whose boxes are close to the targets' box come with coordinates in two floats. There a target
/// also meets itself, and there only: with itself it shares a place. Pairs that are left out are
/// found by tile, and a mask of 32 bits per target tells them.
///
/// Read by nvcc and by NVRTC: no header of the standard library.
#pragma once

#include "chamomile/core/lane_math.hpp"
#include "chamomile/gpu/pairs/pair_box.cuh"
#include "chamomile/gpu/pairs/pair_excluded.cuh"
#include "chamomile/gpu/pairs/pair_result.cuh"

namespace chamomile {

template <int per_lane_, int warps_, int blocks_>
struct PairShape {
    static constexpr int per_lane = per_lane_; ///< targets of a lane
    static constexpr int warps = warps_;       ///< of a block
    static constexpr int blocks = blocks_;     ///< that a multiprocessor must be able to hold
};

template <class Law, class T, bool positions, class Shape>
class PairBlock {
    static constexpr int lanes = 32, per_lane = Shape::per_lane, tiles_in_float = 4;
    static constexpr int together = per_lane < 2 ? 1 : 2, parts = per_lane / together;
    static constexpr unsigned all_lanes = 0xffffffffu, no_number = 0xffffffffu,
                              all_close = (1u << parts) - 1;
    using Target = typename Law::template Target<T>;
    using Source = typename Law::template Source<T>;
    using Sum = typename Law::template Sum<T>;
    static constexpr int target_size = int(sizeof(Target) / sizeof(T)),
                         source_size = int(sizeof(Source) / sizeof(T)),
                         sum_size = int(sizeof(Sum) / sizeof(T));
    static constexpr bool two_floats = positions && sizeof(T) == 4;
    static_assert(target_size <= most_law_values && source_size <= most_law_values &&
                  sum_size <= most_law_values);

    /// A record that is read from shared memory in pieces of 16 bytes.
    struct alignas(16) Row {
        T value[(source_size * sizeof(T) + 15) / 16 * 16 / sizeof(T)];
    };
    struct alignas(16) Close {
        T residue[3];
        unsigned number;
    };
    struct Shared {
        Row row[lanes];
        Close close[lanes];
        unsigned mask[per_lane][lanes];
        double sums[sum_size][per_lane][lanes];
        PairBox reach[parts]; ///< of targets, with what is close to them
    };

public:
    static constexpr unsigned targets = unsigned(lanes * per_lane);
    static constexpr unsigned shared_bytes = unsigned(Shape::warps * sizeof(Shared));

    __device__ PairBlock(const PairJob& job, const Law& law, unsigned char* memory)
        : job_(job), law_(law), lane_(int(threadIdx.x) % lanes), warp_(int(threadIdx.x) / lanes),
          all_(reinterpret_cast<Shared*>(memory)), shared_(all_[warp_]), excluded_(job, blockIdx.x)
    {
        if constexpr (two_floats)
            find_center();
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            load_target(k);
            for (int f = 0; f < sum_size; ++f)
                shared_.sums[f][k][lane_] = 0;
        }
        clear();
    }

    __device__ void run()
    {
        const unsigned tiles_begin = job_.tiles ? job_.tiles_begin[blockIdx.x] : 0;
        const unsigned tiles_end =
            job_.tiles ? job_.tiles_begin[blockIdx.x + 1] : (job_.source_count + lanes - 1) / lanes;
        const unsigned tiles = tiles_end - tiles_begin;
        const unsigned share = blockIdx.y * Shape::warps + unsigned(warp_),
                       shares = gridDim.y * Shape::warps;
        const auto first_of = [=](unsigned p) {
            return tiles_begin + unsigned((unsigned long long)tiles * p / shares);
        };
        int in_float = 0;
        const unsigned begin = first_of(share), end = first_of(share + 1);
        if (begin < end)
            fetch(entry_of(begin));
        unsigned close = 0; // of the tile in this lane's turn
        for (unsigned t = begin; t < end; ++t) {
            const unsigned turn = (t - begin) % lanes;
            if (turn == 0) {
                const unsigned tested = t + unsigned(lane_);
                close = tested < end ? closeness(entry_of(tested)) : 0;
            }
            meet_tile(entry_of(t), entry_of(t + 1 < end ? t + 1 : t),
                      __shfl_sync(all_lanes, close, int(turn)));
            if (++in_float == tiles_in_float) {
                add_in_double();
                in_float = 0;
            }
        }
        add_in_double();
        store_sums<sum_size, int(targets), Shape::warps>(job_, [this](int warp, int f, int t) {
            return all_[warp].sums[f][t / lanes][t % lanes];
        });
    }

private:
    template <class Record>
    static __device__ T* values(Record& record)
    {
        return reinterpret_cast<T*>(&record);
    }

    __device__ unsigned target_number(int k) const
    {
        const unsigned slot = blockIdx.x * targets + unsigned(k * lanes + lane_);
        // Lanes without a target repeat the last.
        const unsigned real = slot < job_.target_count ? slot : job_.target_count - 1;
        return job_.target_order ? job_.target_order[real] : real;
    }

    __device__ double target_value(int k, int f) const
    {
        return job_.targets[(unsigned long long)target_number(k) * target_size + f];
    }

    __device__ Vec3<double> target_place(int k) const
    {
        return {target_value(k, 0), target_value(k, 1), target_value(k, 2)};
    }

    __device__ void load_target(int k)
    {
#pragma unroll
        for (int f = 0; f < target_size; ++f) {
            double x = target_value(k, f);
            if constexpr (two_floats)
                if (f < 3)
                    x -= center_[f];
            values(target_[k])[f] = T(x * job_.target_scale[f]);
        }
    }

    __device__ Vec3<T> target_residue(int k) const
    {
        T residue[3];
#pragma unroll
        for (int f = 0; f < 3; ++f) {
            const double x = (target_value(k, f) - center_[f]) * job_.target_scale[f];
            residue[f] = T(x - double(T(x)));
        }
        return {residue[0], residue[1], residue[2]};
    }

    /// Coordinates are taken about the centre of the targets' box. What is within about the mean
    /// distance of some of them from their box is close to these.
    __device__ void find_center()
    {
        PairBox all;
        for (int some = 0; some < parts; ++some) {
            PairBox box = box_of_warp(target_place(some * together));
#pragma unroll
            for (int k = 1; k < together; ++k)
                box = joined(box, box_of_warp(target_place(some * together + k)));
            all = some == 0 ? box : joined(all, box);
            if (lane_ == 0)
                shared_.reach[some] = box;
        }
        center_[0] = 0.5 * all.low.x + 0.5 * all.high.x;
        center_[1] = 0.5 * all.low.y + 0.5 * all.high.y;
        center_[2] = 0.5 * all.low.z + 0.5 * all.high.z;
        __syncwarp();
        if (lane_ < parts) {
            // Not less than what rounding blurs for all.
            PairBox& box = shared_.reach[lane_];
            const double own = longest_side(box) / 3, common = longest_side(all) / 32,
                         reach = own > common ? own : common;
            box.low -= Vec3<double>{reach, reach, reach};
            box.high += Vec3<double>{reach, reach, reach};
        }
        __syncwarp();
    }

    /// To which targets, `together` of this lane at a time, a tile is close, by bits.
    __device__ unsigned closeness(const PairTileEntry& entry) const
    {
        if constexpr (!two_floats) {
            return job_.self ? all_close : 0;
        } else {
            if (!job_.boxes)
                return all_close;
            const PairBox& box = job_.boxes[entry.tile];
            const Vec3<double>& image = job_.images[entry.image];
            unsigned close = 0;
            for (int some = 0; some < parts; ++some)
                if (overlap(shared_.reach[some], {box.low + image, box.high + image}))
                    close |= 1u << some;
            return close;
        }
    }

    __device__ PairTileEntry entry_of(unsigned t) const
    {
        return job_.tiles ? job_.tiles[t] : PairTileEntry{t, 0};
    }

    __device__ void fetch(const PairTileEntry& entry)
    {
        const unsigned place = entry.tile * lanes + unsigned(lane_);
        const unsigned real = place < job_.source_count ? place : job_.source_count - 1;
        number_ = job_.source_order ? job_.source_order[real] : real;
        const double* from = job_.sources + (unsigned long long)number_ * source_size;
#pragma unroll
        for (int f = 0; f < source_size; ++f)
            next_[f] = from[f];
    }

    /// `close`: the tile's closeness(). Loads the next tile meanwhile.
    __device__ void meet_tile(const PairTileEntry& entry, const PairTileEntry& next, unsigned close)
    {
        const unsigned begin = entry.tile * lanes;
        const int count =
            job_.source_count - begin < unsigned(lanes) ? int(job_.source_count - begin) : lanes;
        const bool masked = excluded_.find(begin, shared_.mask, lane_);
        pack(entry, close != 0 || masked);
        __syncwarp();
        fetch(next);
        if (close == 0 && !masked && count == lanes) {
            meet_far<per_lane, lanes>(0, lanes);
        } else {
#pragma unroll
            for (int some = 0; some < parts; ++some)
                if (masked)
                    meet_close<true>(some * together, count);
                else if (close >> some & 1)
                    meet_close<false>(some * together, count);
                else
                    meet_far<together, 0>(some * together, count);
        }
        __syncwarp();
    }

    /// One source by each lane.
    __device__ void pack(const PairTileEntry& entry, bool close)
    {
        const Vec3<double>& image = job_.images[entry.image];
        const double shift[3] = {image.x, image.y, image.z};
        Row row;
        Close kept{{0, 0, 0}, number_};
#pragma unroll
        for (int f = 0; f < source_size; ++f) {
            double x = next_[f];
            if constexpr (positions)
                if (f < 3)
                    x += two_floats ? shift[f] - center_[f] : shift[f];
            x *= job_.source_scale[f];
            row.value[f] = T(x);
            if constexpr (two_floats)
                if (f < 3)
                    kept.residue[f] = T(x - double(T(x)));
        }
        shared_.row[lane_] = row;
        if (close)
            shared_.close[lane_] = kept;
    }

    static __device__ Source source_of(const Row row)
    {
        Source source;
#pragma unroll
        for (int f = 0; f < source_size; ++f)
            values(source)[f] = row.value[f];
        return source;
    }

    /// Some targets of this lane against the tile, of `fixed` sources if that is not 0.
    template <int some, int fixed>
    __device__ void meet_far(int first, int count)
    {
#pragma unroll 4
        for (int j = 0; j < (fixed ? fixed : count); ++j) {
            const Source source = source_of(shared_.row[j]);
#pragma unroll
            for (int k = 0; k < some; ++k)
                law_(target_[first + k], source, sum_[first + k]);
        }
    }

    /// The same with sources that may be close or the targets themselves, or that are not seen.
    template <bool masked>
    __device__ void meet_close(int first, int count)
    {
        unsigned self[together], mask[together];
        Target target[together];
        Vec3<T> place[together], residue[together];
#pragma unroll
        for (int k = 0; k < together; ++k) {
            self[k] = job_.self ? job_.self[target_number(first + k)] : no_number;
            mask[k] = masked ? shared_.mask[first + k][lane_] : 0;
            target[k] = target_[first + k];
            if constexpr (two_floats) { // the same pairs with the target at the origin
                place[k] = target[k].position;
                residue[k] = target_residue(first + k);
                target[k].position = {T(0), T(0), T(0)};
            }
        }
#pragma unroll 2
        for (int j = 0; j < count; ++j) {
            const Close close = shared_.close[j];
            const Source source = source_of(shared_.row[j]);
#pragma unroll
            for (int k = 0; k < together; ++k) {
                if (close.number == self[k] || (masked && (mask[k] >> j & 1)))
                    continue;
                Source seen = source;
                if constexpr (two_floats)
                    seen.position = (source.position - place[k]) +
                                    (Vec3<T>{close.residue[0], close.residue[1], close.residue[2]} -
                                     residue[k]);
                law_(target[k], seen, sum_[first + k]);
            }
        }
    }

    __device__ void clear()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
#pragma unroll
            for (int f = 0; f < sum_size; ++f)
                values(sum_[k])[f] = T(0);
    }

    __device__ void add_in_double()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
#pragma unroll
            for (int f = 0; f < sum_size; ++f)
                shared_.sums[f][k][lane_] += double(values(sum_[k])[f]);
        clear();
    }

    const PairJob& job_;
    const Law law_;
    const int lane_, warp_;
    Shared* const all_;
    Shared& shared_;
    PairExclusions excluded_;
    double center_[3];
    double next_[source_size]; // of the next tile: this lane's source
    unsigned number_ = 0;      // and its number
    Target target_[per_lane];
    Sum sum_[per_lane];
};

/// Grid: blocks of targets x parts of the sources.
template <class Law, class T, bool positions, class Shape>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    pair_sum(const __grid_constant__ PairJob job, const __grid_constant__ Law law)
{
    using Block = PairBlock<Law, T, positions, Shape>;
    extern __shared__ __align__(16) unsigned char pair_memory[];
    Block(job, law, pair_memory).run();
}

/// How the targets of a law with that many values in target and sum are cut. Few targets: a lane
/// has one, and many warps share the sources. Within a cut-off: small blocks have short lists.
enum class PairCut { few, many, cutoff };

template <class T, int values, PairCut cut>
struct PairShapeOf {
    static constexpr int floats = values * int(sizeof(T)) / 4;
    static constexpr int most = floats <= 8 ? 8 : floats <= 16 ? 4 : floats <= 32 ? 2 : 1;
    static constexpr int per_lane = cut == PairCut::few      ? 1
                                    : cut == PairCut::cutoff ? (most < 2 ? most : 2)
                                                             : most;
    using type = PairShape<per_lane, cut == PairCut::few ? 8 : 4, cut == PairCut::few ? 2 : 3>;
};

} // namespace chamomile
