/// \file  The Chamomile kernel: a warp's targets against the list of their group.
///
/// A warp keeps up to `max_targets` targets of one group in registers, a few in each lane, and
/// passes the list's particles (P2P), then its cells (M2P), through the loop of
/// gpu/tiles/tile_loop.cuh. Sources are gathered by index; the group's center is subtracted in
/// double and the difference rounded to T. A tile is near if it contains targets of this warp or,
/// with separate targets, is within the group's reach. With T = double coordinates are not
/// centered: differences use the coordinates as given, for groups of any width.
///
/// Cost per pair of Gravity with Plummer softening: 3 subtractions, 6 multiply-adds, 3 products, 1
/// root = 13 issue slots; per source and lane with 4 targets 52 slots and one 16-byte load. Packing
/// adds about 25 instructions per source, shared by 32 lanes: under 2 %. Sums in double: 3 (4)
/// conversions and additions per target and 128 sources. A cell with second moments costs about 34
/// slots and three 16-byte loads. Cells of orders 3 and 4 have separate kernels, with about 90
/// and 140 slots and 7 and 12 loads, so that those of order 2 keep their registers.
/// Shared memory per warp: tile 32 x 48 B, sums 32 x targets x 24 B (32 B with potentials) = 4.5
/// (5.5) KiB; tiles of orders 3 and 4 have 32 x 112 B and 32 x 192 B.
#pragma once

#include <type_traits>

#include "chamomile/gpu/lists/device_batch.cuh"
#include "chamomile/gpu/tiles/tile_loop.cuh"

namespace chamomile {

/// With one warp a block, a finished warp frees its place at once.
inline constexpr int warps_per_block = 1;

/// Sources in a row of each force loop: enough to pay for the loop, few enough that the loops of
/// all phases fit the instruction cache together, since the warps of a scheduler run different
/// loops.
inline constexpr int particles_in_row = 2, near_in_row = 1, cells_in_row = 1;

/// Max targets of a lane. In double the registers hold half as many.
template <class T>
inline constexpr int max_per_lane = sizeof(T) == 4 ? 4 : 2;

/// True if a law's particles have lambda and mu.
template <class Law>
inline constexpr bool is_adjoint_law = requires
{
    requires Law::is_adjoint;
};

/// The cell type of a law for multipoles of order 2 (or 0), 3 or 4.
template <class Law, class T, int order>
struct CellsOf {
    using type = typename Law::template HexadecapoleSource<T>;
};
template <class Law, class T>
struct CellsOf<Law, T, 3> {
    using type = typename Law::template OctupoleSource<T>;
};
template <class Law, class T>
struct CellsOf<Law, T, 2> {
    using type = typename Law::template CellSource<T>;
};

/// A WarpList is one warp's part of a batch: targets, list and frame of coordinates.
template <class Law, class T>
struct WarpList {
    static constexpr bool is_centered = sizeof(T) < sizeof(double);

    const DeviceBatch& batch;
    const WarpWork work;
    const ListRow row;
    const Frame frame;
    const int lane;

    __device__ WarpList(const DeviceBatch& batch, const WarpWork& work)
        : batch(batch), work(work),
          row(batch.rows[work.row]), frame{is_centered ? row.center : Vec3<double>{},
                                           batch.inverse_length, batch.inverse_mass},
          lane(int(threadIdx.x) % warp_size)
    {}

    /// Returns the index of this lane's k-th target. Lanes without a target repeat the last.
    __device__ Index target_number(int k) const
    {
        const Index t = Index(k * warp_size + lane);
        return work.first + (t < work.count ? t : work.count - 1);
    }

    __device__ Vec3<double> target_place(int k) const
    {
        return in_frame(batch.place(target_number(k)));
    }

    /// Returns this lane's k-th target.
    __device__ typename Law::template Target<T> target(int k) const
    {
        if constexpr (is_adjoint_law<Law>) {
            const DualParticle<T> dual =
                batch.template dual_target<T>(batch.sorted(target_number(k)));
            return {rounded<T>(target_place(k)), dual.lambda, dual.mu};
        } else if constexpr (Law::per_particle)
            return {rounded<T>(target_place(k)),
                    T(batch.internal(batch.of_own[batch.sorted(target_number(k))]))};
        else
            return {rounded<T>(target_place(k))};
    }

    /// Returns a position in internal units, relative to the frame.
    __device__ Vec3<double> in_frame(const Vec3<double>& x) const
    {
        if constexpr (!Law::is_periodic)
            return frame.of(x);
        else if constexpr (is_centered)
            return frame.inverse_length * batch.periodicity.nearest(x - frame.center);
        else
            return frame.of(batch.periodicity.nearest_to(row.center, x));
    }

    /// Returns a place far from all targets. Targets are within 1 of the center, which in double
    /// may be up to 2^53 from the origin.
    static __device__ Vec3<double> place_of_padding()
    {
        constexpr double away = is_centered ? 8 : 0x1p60;
        return {away, away, away};
    }
};

/// The particles of a list (P2P), gathered by index.
template <class Law, class T>
class ListParticles : public TileSources {
public:
    using Record = typename Law::template Source<T>;
    static constexpr NearBy near_by = NearBy::source;
    static constexpr int in_row = particles_in_row;

    struct Fetched {
        Vec3<double> position; ///< in the list's frame
        T mass;
        Index sorted; ///< no_number after the last
        T eps2;       ///< for per-particle softening
        std::conditional_t<is_adjoint_law<Law>, DualParticle<T>, char> dual;
    };

    __device__ explicit ListParticles(const WarpList<Law, T>& list)
        : list_(list), range_(list.row.range_begin),
          // Of this warp only: with the whole group's targets the loop takes 14 % more slots.
          own_first_(list.batch.sorted(list.work.first)),
          own_last_(list.batch.sorted(list.work.first + list.work.count - 1))
    {}

    __device__ Fetched fetch(Index tile)
    {
        const auto& batch = list_.batch;
        const Index place = tile * warp_size + Index(list_.lane);
        if (place >= list_.row.particle_count)
            return {list_.place_of_padding(), T(0), no_number, T(0), {}};
        while (range_ + 1 < list_.row.range_end && batch.ranges[range_ + 1].before <= place)
            ++range_;
        const Index sorted = batch.ranges[range_].first + (place - batch.ranges[range_].before);
        const Source source = batch.sources[sorted];
        Fetched fetched{list_.in_frame(source.position), T(source.mass * batch.inverse_mass),
                        sorted};
        if constexpr (Law::per_particle)
            fetched.eps2 = T(batch.internal(batch.of_source[sorted]));
        if constexpr (is_adjoint_law<Law>)
            fetched.dual = batch.template dual_of<T>(sorted);
        return fetched;
    }

    __device__ int effective(Index tile) const
    {
        return int(min(Index(warp_size), list_.row.particle_count - tile * warp_size));
    }

    /// True if a source is a target of this warp, or is close to separate targets.
    __device__ bool is_near(const Fetched& source) const
    {
        if (!list_.batch.separate)
            return source.sorted >= own_first_ && source.sorted <= own_last_;
        const Vec3<double>& reach = list_.row.near_distance;
        const Vec3<double> d = list_.is_centered
                                   ? source.position
                                   : source.position - list_.frame.of(list_.row.center);
        const double unit = list_.batch.inverse_length;
        return source.sorted != no_number && fabs(d.x) <= unit * reach.x &&
               fabs(d.y) <= unit * reach.y && fabs(d.z) <= unit * reach.z;
    }

    __device__ void pack(Index, const Fetched& source, Record& packed) const
    {
        packed = {rounded<T>(source.position), source.mass};
        if constexpr (Law::per_particle)
            packed.eps2 = source.eps2;
        if constexpr (is_adjoint_law<Law>) {
            packed.lambda = source.dual.lambda;
            packed.mu = source.dual.mu;
        }
    }
    template <class Part>
    __device__ void pack(Index tile, const Fetched& source, Record& packed, Part& part) const
    {
        pack(tile, source, packed);
        part.number = source.sorted;
        if constexpr (list_.is_centered)
            part.residue = residue_of<T>(source.position);
    }

    __device__ Index self(int k) const { return list_.batch.source_of(list_.target_number(k)); }
    __device__ Vec3<T> target_residue(int k) const { return residue_of<T>(list_.target_place(k)); }

    /// True unless a target is a source and pulls itself by exactly 0: with one softening length
    /// whose power -3 fits T, and without potentials.
    __device__ bool hides_self() const
    {
        constexpr bool has_potential = sizeof(typename Law::template Sum<T>) > 3 * sizeof(T);
        constexpr double shortest = 1e-12; // in internal units
        return Law::per_particle || has_potential || list_.batch.separate ||
               list_.batch.softening_length < shortest;
    }
    /// True if unsoftened sources at the place of a separate target must not pull.
    __device__ bool hides_places() const
    {
        return list_.batch.separate && (Law::per_particle || list_.batch.softening_length == 0);
    }
    static __device__ void hide(Record& seen, bool hidden)
    {
        seen.position.x = hidden ? T(1) : seen.position.x;
        seen.mass = hidden ? T(0) : seen.mass;
        if constexpr (is_adjoint_law<Law>) {
            seen.lambda = hidden ? Vec3<T>{} : seen.lambda;
            seen.mu = hidden ? T(0) : seen.mu;
        }
    }

private:
    const WarpList<Law, T>& list_;
    Index range_;
    const Index own_first_, own_last_;
};

/// The cells of a list (M2P), with multipoles of order 2, 3 or 4. With order 0 cells are particles.
template <class Law, class T, int order, class Record_>
class ListCells : public TileSources {
public:
    using Record = Record_;
    using Fetched = Record;
    static constexpr NearBy near_by = NearBy::none;
    static constexpr int in_row = std::is_same_v<Record, typename Law::template Source<T>>
                                      ? ListParticles<Law, T>::in_row
                                      : cells_in_row;

    __device__ explicit ListCells(const WarpList<Law, T>& list) : list_(list) {}

    __device__ Record fetch(Index tile) const
    {
        const DeviceBatch& batch = list_.batch;
        const Index place = list_.row.cell_begin + tile * warp_size + Index(list_.lane);
        Record packed{};
        packed.position = rounded<T>(list_.place_of_padding());
        if (place < list_.row.cell_end)
            pack_cell(batch.cells[place], packed);
        return packed;
    }
    static __device__ void pack(Index, const Record& cell, Record& packed) { packed = cell; }

    __device__ int effective(Index tile) const
    {
        const Index count = list_.row.cell_end - list_.row.cell_begin;
        return int(min(Index(warp_size), count - tile * warp_size));
    }

private:
    __device__ void pack_cell(Index cell, Record& packed) const
    {
        const auto& batch = list_.batch;
        if constexpr (is_adjoint_law<Law>) {
            Vec3<double> center = batch.multipoles[cell].center;
            if constexpr (Law::is_periodic)
                center = batch.periodicity.nearest_to(list_.row.center, center);
            Law::pack_cell(center, batch.dual_rows, cell, list_.frame, packed);
        } else if constexpr (order > 2)
            Law::pack_cell(batch.multipoles[cell], batch.higher[cell], list_.frame, packed);
        else if constexpr (Law::is_periodic || Law::per_particle) {
            Multipole taken = batch.multipoles[cell];
            if constexpr (Law::is_periodic)
                taken.center = batch.periodicity.nearest_to(list_.row.center, taken.center);
            if (batch.order == 0)
                taken.second = {};
            Law::pack_cell(taken, list_.frame, packed);
        } else
            Law::pack_cell(batch.multipoles[cell], list_.frame, packed);
        if constexpr (Law::per_particle)
            Law::pack_softening(batch.of_cell[cell], batch.inverse_length, packed);
    }

    const WarpList<Law, T>& list_;
};

/// A WarpKernel does the work of one warp on one list.
template <class Law, class T, int order, int per_lane>
class WarpKernel {
    using Particle = typename Law::template Source<T>;
    using Cell = typename CellsOf<Law, T, order>::type;
    using Loop =
        TileLoop<Law, T,
                 LoopCut<per_lane, per_lane, WarpList<Law, T>::is_centered, 0, near_in_row>>;

public:
    using Shared = typename Loop::template Shared<Cell>;

    __device__ WarpKernel(const DeviceBatch& batch, const WarpWork& work, Shared& shared)
        : list_(batch, work),
          loop_(Law::of({.softening_length = batch.softening_length, .form = &batch.form}), shared)
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            loop_.set_target(k, list_.target(k));
            const FarSum<T> far = batch.template far_sum_of<T>(list_.target_number(k));
            loop_.set_sum(0, k, double(far.acceleration.x));
            loop_.set_sum(1, k, double(far.acceleration.y));
            loop_.set_sum(2, k, double(far.acceleration.z));
            if constexpr (Loop::fields > 3)
                loop_.set_sum(3, k, double(far.potential));
        }
    }

    __device__ void run()
    {
        ListParticles<Law, T> particles(list_);
        loop_.sum_over(particles, 0, tiles(list_.row.particle_count));
        if constexpr (order == 2 && !is_adjoint_law<Law>)
            if (list_.batch.order == 0 && !Law::per_particle) {
                sum_over_cells<Particle>();
                return store();
            }
        sum_over_cells<Cell>();
        store();
    }

private:
    static __device__ Index tiles(Index sources)
    {
        return (sources + warp_size - 1) / warp_size;
    }

    template <class Record>
    __device__ void sum_over_cells()
    {
        if constexpr (order == 2 || std::is_same_v<Record, Cell>) {
            ListCells<Law, T, order, Record> cells(list_);
            loop_.sum_over(cells, 0, tiles(list_.row.cell_end - list_.row.cell_begin));
        }
    }

    __device__ void store() const
    {
#pragma unroll
        for (int k = 0; k < per_lane; ++k) {
            if (Index(k * warp_size + list_.lane) >= list_.work.count)
                continue;
            TargetSum sum{{loop_.sum(0, k), loop_.sum(1, k), loop_.sum(2, k)}};
            if constexpr (Loop::fields > 3)
                sum.potential = loop_.sum(3, k);
            if constexpr (is_adjoint_law<Law>) // sums are per mass
                sum.acceleration =
                    list_.batch.mass_of_dual(list_.batch.sorted(list_.target_number(k))) *
                    sum.acceleration;
            list_.batch.sum_of(list_.target_number(k)) = sum;
        }
    }

    const WarpList<Law, T> list_;
    Loop loop_;
};

/// Min warps on a multiprocessor: registers for 20 cost a few spills outside the force loops.
/// Gradients have 16, for pairs and cells of twice the values.
template <class Law, class T, int order>
constexpr int min_warps = sizeof(T) > 4 || order > 2 || Law::is_periodic ? 1
                          : is_adjoint_law<Law>                          ? 16
                                                                         : 20;

template <class Law, class T, int order>
__global__ void __launch_bounds__(warp_size* warps_per_block,
                                  min_warps<Law, T, order> / warps_per_block)
    chamomile(DeviceBatch batch)
{
    // Sized for the max number of targets. Raw bytes, because shared variables cannot have
    // constructors.
    using Shared = typename WarpKernel<Law, T, order, max_per_lane<T>>::Shared;
    __shared__ __align__(16) unsigned char memory[warps_per_block * sizeof(Shared)];
    const int warp = int(threadIdx.x) / warp_size;
    const Index number = blockIdx.x * warps_per_block + Index(warp);
    if (threadIdx.x == 0)
        batch.note->begin();
    if (number >= batch.work_count)
        return;
    const WarpWork work = batch.work[number];
    const auto run = [&]<int per_lane>() {
        using Kernel = WarpKernel<Law, T, order, per_lane>;
        unsigned char* shared = memory + std::size_t(warp) * sizeof(Shared);
        Kernel(batch, work, *reinterpret_cast<typename Kernel::Shared*>(shared)).run();
    };
    const Index per_lane = (work.count + warp_size - 1) / warp_size;
    if (per_lane == 1)
        run.template operator()<1>();
    else if (per_lane == 2)
        run.template operator()<2>();
    else if constexpr (max_per_lane<T> == 4) {
        if (per_lane == 3)
            run.template operator()<3>();
        else
            run.template operator()<4>();
    }
    if (threadIdx.x % warp_size == 0)
        batch.note->end();
}

} // namespace chamomile
