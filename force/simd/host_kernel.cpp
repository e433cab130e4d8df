// The Chamomile scheme on a processor core: all pairs of a group and its list, tile by tile.
//
// Each lane of a pack is one target. A tile of sources is gathered by index, centred on the group
// in double and rounded (J-PACKING); the group's targets pass over it, a few packs at a time to
// hide the latency of the root, and keep their sums in registers (FORCE-LOOP); the sums of a tile
// are added in double. No sum crosses lanes. Far cells come first, as an expansion (far_field.hpp).
#include "force/simd/host_kernel.hpp"

#include "core/simd.hpp"
#include "force/evaluator.hpp"
#include "force/gravity.hpp"
#include "force/simd/far_field.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

constexpr int tile_size = 64;

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

    GroupKernel(const GroupWork& work, KernelScratch& scratch)
        : work_(work), frame_{work.row.center, work.inverse_length, work.inverse_mass},
          law_(Law::with_length(work.softening_length)),
          targets_(int(work.row.target_end - work.row.target_begin)),
          padded_((targets_ + width - 1) / width * width)
    {
        const std::size_t needed = std::size_t(padded_) * (3 + 4);
        if (scratch.capacity < needed) {
            delete[] scratch.data;
            scratch.data = nullptr;
            scratch.capacity = 0;
            scratch.data = new double[needed];
            scratch.capacity = needed;
        }
        positions_ = reinterpret_cast<T*>(scratch.data);
        sums_ = scratch.data + 3 * padded_;
        for (int k = 0; k < sum_fields * padded_; ++k)
            sums_[k] = 0;
        load_targets();
    }

    void run(TargetSum* sums)
    {
        if (work_.expansion)
            add_expansion(*work_.expansion, work_.local_order, sum_fields > 3, positions_, padded_,
                          sums_);
        sum_over_particles();
        if (work_.order == 0)
            sum_over_cells<Source>();
        else
            sum_over_cells<CellSource>();
        store(sums);
    }

private:
    Index target(int t) const
    {
        const Index numbered = work_.row.target_begin + Index(t);
        return work_.targets ? work_.targets[numbered] : numbered;
    }

    /// What rounding leaves behind.
    static CHAMOMILE_HD Vec3<T> residue(const Vec3<double>& x)
    {
        Vec3<T> high = rounded<T>(x);
        // g++ 12 takes double(float(x)) for x when it packs neighbouring scalars into a vector.
        asm("" : "+m"(high));
        return rounded<T>(x - Vec3<double>{double(high.x), double(high.y), double(high.z)});
    }

    void load_targets()
    {
        for (int t = 0; t < padded_; ++t) { // lanes without a target repeat the last one
            const int real = t < targets_ ? t : targets_ - 1;
            const Vec3<T> r = rounded<T>(frame_.of(work_.sources[target(real)].position));
            positions_[t] = r.x;
            positions_[padded_ + t] = r.y;
            positions_[2 * padded_ + t] = r.z;
        }
    }

    CHAMOMILE_HD Target load_target(int t) const
    {
        return {{P::load(positions_ + t), P::load(positions_ + padded_ + t),
                 P::load(positions_ + 2 * padded_ + t)}};
    }

    /// J-PACKING of particles, range by range.
    void sum_over_particles()
    {
        const Index first_target = target(0), last_target = target(targets_ - 1);
        alignas(64) Source<T> tile[tile_size];
        Index sorted[tile_size];
        int filled = 0;
        bool near = false;
        for (Index r = work_.row.range_begin; r < work_.row.range_end; ++r) {
            const Index before = work_.ranges[r].before;
            const Index count = (r + 1 < work_.row.range_end ? work_.ranges[r + 1].before
                                                             : work_.row.particle_count) -
                                before;
            for (Index k = 0; k < count;) {
                const Index source = work_.ranges[r].first + k;
                const int taken = int(
                    count - k < Index(tile_size - filled) ? count - k : Index(tile_size - filled));
                near |= source <= last_target && source + Index(taken) > first_target;
                near |= pack_particles(source, taken, tile + filled);
                for (int j = 0; j < taken; ++j)
                    sorted[filled + j] = source + Index(j);
                k += Index(taken);
                filled += taken;
                if (filled == tile_size) {
                    add_tile(tile, sorted, filled, near);
                    filled = 0;
                    near = false;
                }
            }
        }
        add_tile(tile, sorted, filled, near);
    }

    /// Position and mass at once; says whether one of them lies within the row's reach.
    CHAMOMILE_HD bool pack_particles(Index first, int count, Source<T>* packed) const
    {
        typedef double Four __attribute__((vector_size(32)));
        typedef float FourFloats __attribute__((vector_size(16)));
        typedef long long Mask __attribute__((vector_size(32)));
        static_assert(sizeof(chamomile::Source) == sizeof(Four));
        const Vec3<double>&c = work_.row.center, d = frame_.inverse_length * work_.row.near_reach;
        const double to_length = frame_.inverse_length;
        const Four center{c.x, c.y, c.z, 0}, reach{d.x, d.y, d.z, 0};
        const Four scale{to_length, to_length, to_length, frame_.inverse_mass};
        Mask near{};
        for (int j = 0; j < count; ++j) {
            Four x;
            __builtin_memcpy(&x, &work_.sources[first + Index(j)], sizeof x);
            x = (x - center) * scale;
            const Mask within = (x < reach) & (-x < reach);
            near |= within & __builtin_shuffle(within, Mask{1, 2, 0, 3}) &
                    __builtin_shuffle(within, Mask{2, 0, 1, 3});
            if constexpr (sizeof(T) == sizeof(float)) {
                const FourFloats f = __builtin_convertvector(x, FourFloats);
                __builtin_memcpy(static_cast<void*>(packed + j), &f, sizeof f);
            } else {
                __builtin_memcpy(static_cast<void*>(packed + j), &x, sizeof x);
            }
        }
        return near[0] != 0;
    }

    void add_tile(const Source<T>* tile, const Index* sorted, int count, bool near)
    {
        if (near)
            add_near_tile(tile, sorted, count);
        else
            force_loop(tile, count);
    }

    template <template <class> class CellRecord>
    void sum_over_cells()
    {
        alignas(64) CellRecord<T> tile[tile_size];
        int filled = 0;
        for (Index c = work_.row.cell_begin; c < work_.row.cell_end; ++c) {
            Law::pack_cell(work_.multipoles[work_.cells[c]], frame_, tile[filled]);
            if (++filled == tile_size) {
                force_loop(tile, filled);
                filled = 0;
            }
        }
        force_loop(tile, filled);
    }

    /// FORCE-LOOP: `in_flight` packs of targets against all sources of the tile.
    template <int in_flight, template <class> class Record>
    CHAMOMILE_HD void force_loop_of(int t, const Record<T>* tile, int count)
    {
        Target target[in_flight];
        Sum sum[in_flight];
        for (int k = 0; k < in_flight; ++k)
            target[k] = load_target(t + k * width);
        for (int j = 0; j < count; ++j) {
            const Record<P> source = broadcast<Record>(tile[j]);
            for (int k = 0; k < in_flight; ++k)
                law_(target[k], source, sum[k]);
        }
        for (int k = 0; k < in_flight; ++k)
            add_in_double(t + k * width, sum[k]);
    }

    template <template <class> class Record>
    void force_loop(const Record<T>* tile, int count)
    {
        int t = 0;
        for (; t + 4 * width <= padded_; t += 4 * width)
            force_loop_of<4, Record>(t, tile, count);
        for (; t + 2 * width <= padded_; t += 2 * width)
            force_loop_of<2, Record>(t, tile, count);
        for (; t < padded_; t += width)
            force_loop_of<1, Record>(t, tile, count);
    }

    /// The same for a tile near the targets, with coordinates in two floats. It may hold some of
    /// the targets themselves: a self pair adds nothing.
    void add_near_tile(const Source<T>* tile, const Index* sorted, int count)
    {
        int self[tile_size];
        Vec3<T> source_residue[tile_size];
        for (int j = 0; j < count; ++j) {
            self[j] = target_of(sorted[j]);
            source_residue[j] = residue(frame_.of(work_.sources[sorted[j]].position));
        }
        for (int t = 0; t < padded_; t += width) {
            const Target target = load_target(t);
            const Vec3<P> target_residue = load_target_residue(t);
            Sum sum;
            for (int j = 0; j < count; ++j) {
                // The same pair with the source at the origin.
                Source<P> source = broadcast<Source>(tile[j]);
                Target relative = target;
                relative.position = (target.position - source.position) +
                                    (target_residue - broadcast<Vec3>(source_residue[j]));
                source.position = {P(0), P(0), P(0)};
                const Sum before = sum;
                law_(relative, source, sum);
                if (self[j] >= t && self[j] < t + width)
                    restore_lane(self[j] - t, before, sum);
            }
            add_in_double(t, sum);
        }
    }

    Vec3<P> load_target_residue(int t) const
    {
        T lanes[3][width];
        for (int k = 0; k < width; ++k) {
            const int real = t + k < targets_ ? t + k : targets_ - 1;
            const Vec3<T> r = residue(frame_.of(work_.sources[target(real)].position));
            lanes[0][k] = r.x;
            lanes[1][k] = r.y;
            lanes[2][k] = r.z;
        }
        return {P::load(lanes[0]), P::load(lanes[1]), P::load(lanes[2])};
    }

    /// The number within the group of a sorted particle; -1 if it is not one of its targets.
    int target_of(Index sorted) const
    {
        int low = 0, high = targets_;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (target(middle) < sorted)
                low = middle + 1;
            else
                high = middle;
        }
        return low < targets_ && target(low) == sorted ? low : -1;
    }

    CHAMOMILE_HD void restore_lane(int lane, const Sum& before, Sum& sum) const
    {
        const P* old = reinterpret_cast<const P*>(&before);
        for (int f = 0; f < sum_fields; ++f)
            fields<P>(sum)[f] = select(is_lane<P>(lane), old[f], fields<P>(sum)[f]);
    }

    CHAMOMILE_HD void add_in_double(int t, const Sum& sum)
    {
        const P* field = reinterpret_cast<const P*>(&sum);
        for (int f = 0; f < sum_fields; ++f) {
            T lanes[width];
            field[f].store(lanes);
            double* to = sums_ + f * padded_ + t;
            for (int k = 0; k < width; ++k)
                to[k] += double(lanes[k]);
        }
    }

    void store(TargetSum* sums) const
    {
        for (int t = 0; t < targets_; ++t) {
            TargetSum& sum = sums[work_.row.target_begin + Index(t)];
            sum.acceleration = {sums_[t], sums_[padded_ + t], sums_[2 * padded_ + t]};
            sum.potential = sum_fields > 3 ? sums_[3 * padded_ + t] : 0;
        }
    }

    const GroupWork& work_;
    const Frame frame_;
    const Law law_;
    const int targets_, padded_;
    T* positions_; // x, y, z of the targets, padded to whole packs
    double* sums_; // by field of Sum, then by target
};

template <SofteningKind softening, bool with_potential, class T>
void evaluate_group(const GroupWork& work, KernelScratch& scratch, TargetSum* sums)
{
    GroupKernel<Gravity<softening, with_potential>, T>(work, scratch).run(sums);
}

} // namespace

HostKernels host_kernels()
{
    constexpr auto p = SofteningKind::plummer, s = SofteningKind::spline;
#define CHAMOMILE_NAME(set) CHAMOMILE_QUOTE(set)
#define CHAMOMILE_QUOTE(set) #set
    return {CHAMOMILE_NAME(CHAMOMILE_INSTRUCTION_SET),
            {{{evaluate_group<p, false, float>, evaluate_group<p, false, double>},
              {evaluate_group<p, true, float>, evaluate_group<p, true, double>}},
             {{evaluate_group<s, false, float>, evaluate_group<s, false, double>},
              {evaluate_group<s, true, float>, evaluate_group<s, true, double>}}},
            {{expand<float, 3>, expand<float, 4>, expand<float, 5>, expand<float, 6>},
             {expand<double, 3>, expand<double, 4>, expand<double, 5>, expand<double, 6>}}};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
