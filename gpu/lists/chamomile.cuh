/// \file  The Chamomile kernel: a warp's targets against the list of their group, tile by tile.
///
/// A warp keeps up to `most_targets` targets of one group in registers, a few in each lane, and
/// walks the group's list in tiles of 32 sources. J-PACKING: each lane gathers one source by index,
/// subtracts the group's centre in double, rounds, and puts it into the warp's own tile in shared
/// memory; no barrier is wider than the warp. FORCE-LOOP: all lanes read the same source of the
/// tile at once (a broadcast of one 16-byte load) and add it to their sums in float; every
/// `tiles_in_float` tiles these are added to sums in double, which stay in shared memory to spare
/// registers. With T = double coordinates are not centred: differences are those of the coordinates
/// as given, however wide the group.
///
/// Cost per pair of Gravity with Plummer softening: 3 subtractions, 6 multiply-adds, 3 products, 1
/// root = 13 issue slots; per source and lane with 4 targets 52 slots and one 16-byte load. Packing
/// adds about 25 instructions per source, shared by 32 lanes: under 2 %. Sums in double: 3 (4)
/// conversions and additions per target and 128 sources. A cell with second moments costs about 34
/// slots and three 16-byte loads. Cells of orders 3 and 4 have kernels of their own, with about 90
/// and 140 slots and 7 and 12 loads, so that those of order 2 keep their registers.
/// Shared memory per warp: tile 32 x 48 B, indices 128 B, sums 32 x targets x 32 B = 5.6 KiB; tiles
/// of orders 3 and 4 have 32 x 112 B and 32 x 192 B.
#pragma once

#include <type_traits>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/short_range.hpp"
#include "chamomile/gpu/device/time_line.cuh"

namespace chamomile {

inline constexpr int warp_size = 32;
inline constexpr int warps_per_block = 2;
inline constexpr int tiles_in_float = 4;

/// Sources in a row of each force loop: enough to pay for the loop, few enough that the loops of
/// all phases fit the instruction cache together (the warps of a scheduler are in different ones).
inline constexpr int particles_in_row = 4, near_in_row = 2, cells_in_row = 1;
/// Pairs of a short range have twice as many instructions: with four in a row warps wait for these.
inline constexpr int short_range_in_row = 2;

/// Targets of one lane at most; with double precision the registers hold half as many.
template <class T>
inline constexpr int most_per_lane = sizeof(T) == 4 ? 4 : 2;

/// What one warp does: targets first .. first + count of a row's group against the row's list.
struct WarpWork {
    Index row, first, count;
};

/// A batch as the device sees it.
struct DeviceBatch {
    const WarpWork* work;
    Index work_count;
    const ListRow* rows;
    const Index* cells;
    const ParticleRange* ranges;
    const Source* sources;
    const Source* own; ///< where the targets lie: the sources, or targets apart
    bool apart;
    const Index* self; ///< of each target apart its sorted source, or no_source_here; null: none
    const Multipole* multipoles;
    const HigherMoments* higher; ///< for orders 3 and 4
    const Index* targets;        ///< sorted particle of each target; null: the same number
    const Index* places;         ///< of each target's sum among `sums`; null: the same number
    TargetSum* sums;
    double inverse_length, inverse_mass;
    double softening_length;
    int order;
    bool goes_on; ///< the sums hold a first part already
    Periodicity periodicity;
    ShortRangeForm form; ///< of laws that are periodic
    KernelTimes* times;

    __device__ Index sorted(Index target) const { return targets ? targets[target] : target; }
    __device__ const Vec3<double>& place(Index target) const
    {
        return own[sorted(target)].position;
    }
    /// The sorted source that a target is.
    __device__ Index source_of(Index target) const
    {
        return !apart ? sorted(target) : self ? self[target] : no_source_here;
    }
    __device__ TargetSum& sum_of(Index target) const
    {
        return sums[places ? places[target] : target];
    }
};

/// The cells of lists of an order, 2 (with 0), 3 or 4.
template <class Law, class T, int order>
struct CellsOf {
    using type = SeriesSource<T, order>;
};
template <class Law, class T>
struct CellsOf<Law, T, 2> {
    using type = typename Law::template CellSource<T>;
};

/// The work of one warp on one list.
template <class Law, class T, int order, int per_lane>
class WarpKernel {
    using Target = typename Law::template Target<T>;
    using Particle = typename Law::template Source<T>;
    using Moment = typename CellsOf<Law, T, order>::type;
    using Sum = typename Law::template Sum<T>;
    static constexpr int sum_fields = int(sizeof(Sum) / sizeof(T));
    static constexpr bool is_centred = sizeof(T) < sizeof(double);

public:
    /// The warp's part of shared memory.
    struct Shared {
        Moment tile[warp_size]; // of particles, it holds as many smaller records
        Index sorted[warp_size];
        double sums[4][most_per_lane<T>][warp_size]; // by field of Sum
    };

    __device__ WarpKernel(const DeviceBatch& batch, const WarpWork& work, Shared& shared)
        : batch_(batch), work_(work), row_(batch.rows[work.row]),
          shared_(shared), frame_{is_centred ? row_.center : Vec3<double>{}, batch.inverse_length,
                                  batch.inverse_mass},
          law_(make_law(batch)), lane_(int(threadIdx.x) % warp_size)
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            target_[k] = {rounded<T>(in_frame(batch_.place(target_number(k))))};
            TargetSum first{};
            if (batch_.goes_on)
                first = batch_.sum_of(target_number(k));
            const double fields[4] = {first.acceleration.x, first.acceleration.y,
                                      first.acceleration.z, first.potential};
            for (int f = 0; f < sum_fields; ++f)
                shared_.sums[f][k][lane_] = fields[f];
        }
    }

    __device__ void run()
    {
        sum_over_particles();
        if constexpr (order == 2) {
            if (batch_.order == 0)
                sum_over_cells<Particle>();
            else
                sum_over_cells<Moment>();
        } else {
            sum_over_cells<Moment>();
        }
        store();
    }

private:
    static __device__ Law make_law(const DeviceBatch& batch)
    {
        if constexpr (Law::is_periodic)
            return Law::with_lengths(batch.softening_length, batch.form);
        else
            return Law::with_length(batch.softening_length);
    }

    /// Number of this lane's k-th target; lanes without one repeat the last.
    __device__ Index target_number(int k) const
    {
        const Index t = Index(k * warp_size + lane_);
        return work_.first + (t < work_.count ? t : work_.count - 1);
    }

    /// In internal units.
    __device__ Vec3<double> in_frame(const Vec3<double>& x) const
    {
        if constexpr (!Law::is_periodic)
            return frame_.of(x);
        else if constexpr (is_centred)
            return frame_.inverse_length * batch_.periodicity.nearest(x - frame_.center);
        else
            return frame_.of(batch_.periodicity.nearest_to(row_.center, x));
    }

    /// What rounding leaves behind.
    static __device__ Vec3<T> residue(const Vec3<double>& x)
    {
        return {T(x.x - double(T(x.x))), T(x.y - double(T(x.y))), T(x.z - double(T(x.z)))};
    }

    /// A source of no mass where no target can be: all lie within 1 of the centre, which in double
    /// may lie up to 2^53 from the origin.
    template <class Record>
    static __device__ Record padding()
    {
        constexpr T away = is_centred ? T(8) : T(0x1p60);
        Record record{};
        record.position = {away, away, away};
        return record;
    }

    __device__ void sum_over_particles()
    {
        Particle* tile = reinterpret_cast<Particle*>(shared_.tile);
        // This warp's, because those of the whole group would cost 14 % more slots.
        const Index own_first = batch_.sorted(work_.first);
        const Index own_last = batch_.sorted(work_.first + work_.count - 1);
        Index range = row_.range_begin;
        int tiles = 0;
        for (Index base = 0; base < row_.particle_count; base += warp_size) {
            const Index place = base + Index(lane_);
            Index sorted = 0xffffffffu;
            Particle packed = padding<Particle>();
            bool near = false;
            if (place < row_.particle_count) {
                while (range + 1 < row_.range_end && batch_.ranges[range + 1].before <= place)
                    ++range;
                sorted = batch_.ranges[range].first + (place - batch_.ranges[range].before);
                const Source source = batch_.sources[sorted];
                const Vec3<double> x = in_frame(source.position);
                packed = {rounded<T>(x), T(source.mass * batch_.inverse_mass)};
                near = batch_.apart ? is_near(x) : sorted >= own_first && sorted <= own_last;
            }
            __syncwarp();
            tile[lane_] = packed;
            if (__any_sync(0xffffffffu, near)) {
                shared_.sorted[lane_] = sorted;
                Vec3<T>* residues = reinterpret_cast<Vec3<T>*>(tile + warp_size);
                residues[lane_] = sorted == 0xffffffffu
                                      ? Vec3<T>{}
                                      : residue(in_frame(batch_.sources[sorted].position));
                __syncwarp();
                near_force_loop(tile, residues);
            } else {
                __syncwarp();
                force_loop(tile);
            }
            if (++tiles % tiles_in_float == 0)
                add_in_double();
        }
        add_in_double();
    }

    /// Whether targets apart may lie there.
    __device__ bool is_near(const Vec3<double>& x) const
    {
        const Vec3<double>& reach = row_.near_reach;
        const Vec3<double> d = is_centred ? x : x - frame_.of(row_.center);
        return fabs(d.x) <= batch_.inverse_length * reach.x &&
               fabs(d.y) <= batch_.inverse_length * reach.y &&
               fabs(d.z) <= batch_.inverse_length * reach.z;
    }

    template <class Record>
    __device__ void sum_over_cells()
    {
        Record* tile = reinterpret_cast<Record*>(shared_.tile);
        int tiles = 0;
        for (Index base = row_.cell_begin; base < row_.cell_end; base += warp_size) {
            const Index place = base + Index(lane_);
            Record packed = padding<Record>();
            if (place < row_.cell_end)
                pack(batch_.cells[place], packed);
            __syncwarp();
            tile[lane_] = packed;
            __syncwarp();
            force_loop(tile);
            if (++tiles % tiles_in_float == 0)
                add_in_double();
        }
        add_in_double();
    }

    template <class Record>
    __device__ void pack(Index cell, Record& packed) const
    {
        if constexpr (order > 2)
            Law::pack_cell(batch_.multipoles[cell], batch_.higher[cell], frame_, packed);
        else if constexpr (Law::is_periodic) {
            Multipole image = batch_.multipoles[cell];
            image.center = batch_.periodicity.nearest_to(row_.center, image.center);
            Law::pack_cell(image, frame_, packed);
        } else
            Law::pack_cell(batch_.multipoles[cell], frame_, packed);
    }

    template <class Record>
    __device__ void force_loop(const Record* tile)
    {
        constexpr int of_particles = Law::is_periodic ? short_range_in_row : particles_in_row;
        constexpr int in_row = std::is_same_v<Record, Particle> ? of_particles : cells_in_row;
#pragma unroll in_row
        for (int j = 0; j < warp_size; ++j) {
            const Record source = tile[j];
#pragma unroll
            for (int k = 0; k < per_lane; ++k)
                law_(target_[k], source, sum_[k]);
        }
    }

    /// The same for a tile near the targets, with coordinates in two floats. It may hold some of
    /// the targets themselves: a self pair adds nothing.
    __device__ void near_force_loop(const Particle* tile, const Vec3<T>* residues)
    {
        Index self[per_lane];
        Vec3<T> target_residue[per_lane];
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            self[k] = batch_.source_of(target_number(k));
            target_residue[k] = residue(in_frame(batch_.place(target_number(k))));
        }
        // Without softening sources at the place of a target apart pull at nothing.
        const bool leaves_out_places = batch_.apart && batch_.softening_length == 0;
#pragma unroll near_in_row
        for (int j = 0; j < warp_size; ++j) {
            Particle source = tile[j];
            const Vec3<T> position = source.position;
            const Vec3<T> source_residue = residues[j];
            source.position = {}; // the same pair with the source at the origin
            const Index sorted = shared_.sorted[j];
#pragma unroll
            for (int k = 0; k < per_lane; ++k) {
                Target relative = target_[k];
                relative.position =
                    (target_[k].position - position) + (target_residue[k] - source_residue);
                // No branch, so that pairs overlap: a self pair meets a source without effect.
                const Vec3<T>& r = relative.position;
                const bool none =
                    sorted == self[k] || (leaves_out_places && r.x == 0 && r.y == 0 && r.z == 0);
                const Particle partner = none ? padding<Particle>() : source;
                law_(relative, partner, sum_[k]);
            }
        }
    }

    __device__ void add_in_double()
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            shared_.sums[0][k][lane_] += double(sum_[k].acceleration.x);
            shared_.sums[1][k][lane_] += double(sum_[k].acceleration.y);
            shared_.sums[2][k][lane_] += double(sum_[k].acceleration.z);
            if constexpr (sum_fields > 3)
                shared_.sums[3][k][lane_] += double(sum_[k].potential);
            sum_[k] = {};
        }
    }

    __device__ void store() const
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            if (Index(k * warp_size + lane_) >= work_.count)
                continue;
            TargetSum sum;
            sum.acceleration = {shared_.sums[0][k][lane_], shared_.sums[1][k][lane_],
                                shared_.sums[2][k][lane_]};
            sum.potential = sum_fields > 3 ? shared_.sums[3][k][lane_] : 0;
            batch_.sum_of(target_number(k)) = sum;
        }
    }

    const DeviceBatch& batch_;
    const WarpWork work_;
    const ListRow row_;
    Shared& shared_;
    const Frame frame_;
    const Law law_;
    const int lane_;
    Target target_[per_lane];
    Sum sum_[per_lane];
};

template <class Law, class T, int order>
__global__ void __launch_bounds__(warp_size* warps_per_block) chamomile(DeviceBatch batch)
{
    using Shared = typename WarpKernel<Law, T, order, 1>::Shared;
    // Raw memory, because shared variables cannot have constructors.
    __shared__ __align__(16) unsigned char memory[warps_per_block * sizeof(Shared)];
    const int warp = int(threadIdx.x) / warp_size;
    const Index number = blockIdx.x * warps_per_block + Index(warp);
    if (threadIdx.x == 0)
        batch.times->begin();
    if (number >= batch.work_count)
        return;
    const WarpWork work = batch.work[number];
    const auto run = [&]<int per_lane>() {
        using Kernel = WarpKernel<Law, T, order, per_lane>;
        auto* shared = reinterpret_cast<typename Kernel::Shared*>(memory) + warp;
        Kernel(batch, work, *shared).run();
    };
    const Index per_lane = (work.count + warp_size - 1) / warp_size;
    if (per_lane == 1)
        run.template operator()<1>();
    else if (per_lane == 2)
        run.template operator()<2>();
    else if constexpr (most_per_lane<T> == 4) {
        if (per_lane == 3)
            run.template operator()<3>();
        else
            run.template operator()<4>();
    }
    if (threadIdx.x % warp_size == 0)
        batch.times->end();
}

} // namespace chamomile
