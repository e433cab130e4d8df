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

#include "core/lane_math.hpp"
#include "gpu/pair_job.hpp"

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
    static constexpr unsigned all_lanes = 0xffffffffu;
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
    };

public:
    static constexpr unsigned targets = unsigned(lanes * per_lane);
    static constexpr unsigned shared_bytes = unsigned(Shape::warps * sizeof(Shared));

    __device__ PairBlock(const PairJob& job, const Law& law, unsigned char* memory)
        : job_(job), law_(law), lane_(int(threadIdx.x) % lanes), warp_(int(threadIdx.x) / lanes),
          all_(reinterpret_cast<Shared*>(memory)), shared_(all_[warp_])
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
        const unsigned part = blockIdx.y * Shape::warps + unsigned(warp_),
                       parts = gridDim.y * Shape::warps;
        const auto first_of = [&](unsigned p) {
            return tiles_begin + unsigned((unsigned long long)tiles * p / parts);
        };
        start_excluded();
        int in_float = 0;
        const unsigned end = first_of(part + 1);
        for (unsigned t = first_of(part); t < end; ++t) {
            const PairTileEntry entry = job_.tiles ? job_.tiles[t] : PairTileEntry{t, 0};
            meet_tile(entry);
            if (++in_float == tiles_in_float) {
                add_in_double();
                in_float = 0;
            }
        }
        add_in_double();
        store();
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

    static __device__ double least_of_warp(double x)
    {
        for (int d = lanes / 2; d > 0; d /= 2) {
            const double other = __shfl_xor_sync(all_lanes, x, d);
            x = other < x ? other : x;
        }
        return x;
    }

    /// Coordinates are taken about the centre of the targets' box; what is within about their mean
    /// distance of it is close.
    __device__ void find_center()
    {
        double low[3], high[3], longest = 0;
        for (int f = 0; f < 3; ++f) {
            low[f] = high[f] = target_value(0, f);
            for (int k = 1; k < per_lane; ++k) {
                const double x = target_value(k, f);
                low[f] = x < low[f] ? x : low[f];
                high[f] = x > high[f] ? x : high[f];
            }
            low[f] = least_of_warp(low[f]);
            high[f] = -least_of_warp(-high[f]);
            center_[f] = 0.5 * low[f] + 0.5 * high[f];
            longest = high[f] - low[f] > longest ? high[f] - low[f] : longest;
        }
        const double reach = longest / (per_lane > 2 ? 6 : 3);
        reach_ = {{low[0] - reach, low[1] - reach, low[2] - reach},
                  {high[0] + reach, high[1] + reach, high[2] + reach}};
    }

    __device__ bool is_close(const PairTileEntry& entry) const
    {
        if (!job_.boxes)
            return true;
        const PairBox& b = job_.boxes[entry.tile];
        const Vec3<double>& s = job_.images[entry.image];
        return b.low.x + s.x <= reach_.high.x && b.high.x + s.x >= reach_.low.x &&
               b.low.y + s.y <= reach_.high.y && b.high.y + s.y >= reach_.low.y &&
               b.low.z + s.z <= reach_.high.z && b.high.z + s.z >= reach_.low.z;
    }

    __device__ void meet_tile(const PairTileEntry& entry)
    {
        const unsigned begin = entry.tile * lanes;
        const int count =
            job_.source_count - begin < unsigned(lanes) ? int(job_.source_count - begin) : lanes;
        const bool close = (two_floats || job_.self) && is_close(entry);
        const bool masked = find_excluded(begin);
        pack(entry, begin, close || masked);
        __syncwarp();
        if (!close && !masked) {
            if (count == lanes)
                meet_far<lanes>(lanes);
            else
                meet_far<0>(count);
        } else if (masked) {
            meet_close<true>(count);
        } else {
            meet_close<false>(count);
        }
        __syncwarp();
    }

    /// One source by each lane.
    __device__ void pack(const PairTileEntry& entry, unsigned begin, bool close)
    {
        const unsigned place = begin + unsigned(lane_);
        if (place >= job_.source_count)
            return;
        const unsigned number = job_.source_order ? job_.source_order[place] : place;
        const double* from = job_.sources + (unsigned long long)number * source_size;
        const Vec3<double>& image = job_.images[entry.image];
        const double shift[3] = {image.x, image.y, image.z};
        Row row;
        Close kept{{0, 0, 0}, number};
#pragma unroll
        for (int f = 0; f < source_size; ++f) {
            double x = from[f];
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

    template <int fixed>
    __device__ void meet_far(int count)
    {
#pragma unroll 4
        for (int j = 0; j < (fixed ? fixed : count); ++j) {
            const Source source = source_of(shared_.row[j]);
#pragma unroll
            for (int k = 0; k < per_lane; ++k)
                law_(target_[k], source, sum_[k]);
        }
    }

    /// Sources that may be close to the targets or be targets, or that some do not see.
    template <bool masked>
    __device__ void meet_close(int count)
    {
#pragma unroll 1
        for (int k = 0; k < per_lane; ++k)
            meet_close_one<masked>(k, count);
    }

    template <bool masked>
    __device__ void meet_close_one(int k, int count)
    {
        // Registers cannot be indexed by a loop that is not unrolled.
        Target target = target_[0];
#pragma unroll
        for (int other = 1; other < per_lane; ++other)
            if (other == k)
                target = target_[other];
        const unsigned self = job_.self ? job_.self[target_number(k)] : 0xffffffffu;
        const unsigned mask = masked ? shared_.mask[k][lane_] : 0;
        Vec3<T> place, residue;
        if constexpr (two_floats) {
            place = target.position;
            residue = target_residue(k);
            target.position = {T(0), T(0), T(0)};
        }
        Sum sum{};
        for (int j = 0; j < count; ++j) {
            const Close close = shared_.close[j];
            if (close.number == self && self != 0xffffffffu)
                continue;
            if (masked && (mask >> j & 1))
                continue;
            Source source = source_of(shared_.row[j]);
            if constexpr (two_floats)
                source.position =
                    (source.position - place) +
                    (Vec3<T>{close.residue[0], close.residue[1], close.residue[2]} - residue);
            law_(target, source, sum);
        }
#pragma unroll
        for (int f = 0; f < sum_size; ++f)
            shared_.sums[f][k][lane_] += double(values(sum)[f]);
    }

    __device__ void start_excluded()
    {
        excluded_ = excluded_end_ = 0;
        if (!job_.excluded)
            return;
        excluded_begin_ = excluded_ = job_.excluded_begin[blockIdx.x];
        excluded_end_ = job_.excluded_begin[blockIdx.x + 1];
    }

    /// Whether some target is not to see some source of the tile; the masks then say which.
    __device__ bool find_excluded(unsigned begin)
    {
        if (excluded_end_ == 0)
            return false;
        if (excluded_ > excluded_begin_ && job_.excluded[excluded_ - 1].source >= begin)
            excluded_ = first_excluded(begin, excluded_begin_);
        else if (excluded_ < excluded_end_ && job_.excluded[excluded_].source < begin)
            excluded_ = first_excluded(begin, excluded_);
        if (excluded_ == excluded_end_ || job_.excluded[excluded_].source >= begin + lanes)
            return false;
#pragma unroll
        for (int k = 0; k < per_lane; ++k)
            shared_.mask[k][lane_] = 0;
        __syncwarp();
        for (unsigned e = excluded_ + unsigned(lane_); e < excluded_end_; e += lanes) {
            const PairExcluded pair = job_.excluded[e];
            if (pair.source >= begin + lanes)
                break;
            atomicOr(&shared_.mask[pair.target / lanes][pair.target % lanes],
                     1u << (pair.source - begin));
        }
        return true;
    }

    __device__ unsigned first_excluded(unsigned source, unsigned low) const
    {
        unsigned high = excluded_end_;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (job_.excluded[middle].source < source)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
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

    __device__ double sum_of_warps(int f, int t) const
    {
        double sum = 0;
        for (int w = 0; w < Shape::warps; ++w)
            sum += all_[w].sums[f][t / lanes][t % lanes];
        return sum;
    }

    __device__ void finish(int f, int t, double sum) const
    {
        const unsigned slot = blockIdx.x * targets + unsigned(t);
        if (slot >= job_.target_count)
            return;
        const unsigned number = job_.target_order ? job_.target_order[slot] : slot;
        job_.sums[(unsigned long long)number * sum_size + f] = job_.sum_scale[f] * sum;
    }

    __device__ void store() const
    {
        constexpr int threads = lanes * Shape::warps, count = sum_size * int(targets);
        __syncthreads();
        if (gridDim.y == 1) {
            for (int v = int(threadIdx.x); v < count; v += threads)
                finish(v % sum_size, v / sum_size, sum_of_warps(v % sum_size, v / sum_size));
            return;
        }
        const unsigned long long stride = (unsigned long long)gridDim.x * count;
        double* partial = job_.partial + (unsigned long long)blockIdx.x * count;
        for (int v = int(threadIdx.x); v < count; v += threads)
            partial[blockIdx.y * stride + v] = sum_of_warps(v % sum_size, v / sum_size);
        __threadfence();
        __syncthreads();
        __shared__ bool last;
        if (threadIdx.x == 0) {
            last = atomicAdd(&job_.arrived[blockIdx.x], 1u) == gridDim.y - 1;
            if (last)
                job_.arrived[blockIdx.x] = 0;
        }
        __syncthreads();
        if (!last)
            return;
        __threadfence();
        for (int v = int(threadIdx.x); v < count; v += threads) {
            double sum = 0;
            for (unsigned p = 0; p < gridDim.y; ++p)
                sum += __ldcg(partial + p * stride + v);
            finish(v % sum_size, v / sum_size, sum);
        }
    }

    const PairJob& job_;
    const Law law_;
    const int lane_, warp_;
    Shared* const all_;
    Shared& shared_;
    double center_[3];
    PairBox reach_;
    unsigned excluded_begin_ = 0, excluded_ = 0, excluded_end_ = 0;
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
