// Pairs of a group's targets go to the kernel of the pair law, all else to
// force/simd/adjoint_*.cpp.
#include "chamomile/force/adjoint/adjoint_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "chamomile/core/interruption.hpp"
#include "chamomile/force/adjoint/adjoint_law.hpp"
#include "chamomile/force/adjoint/dual_moments.hpp"
#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/lists/kernels.hpp"
#include "chamomile/force/lists/list_buffers.hpp"
#include "chamomile/tree/tree_builder.hpp"

namespace chamomile {
namespace {

/// The fields of far cells about a center.
struct FarFields {
    Vec3<double> center;
    DualExpansion expansion;
    bool is_empty = true;
    std::vector<Index> near; ///< far cells of the lists that are not in the expansion
};

/// Gradients on the processor. The many members are buffers, kept between evaluations.
class HostAdjoint final : public Evaluator {
public:
    HostAdjoint(Precision precision, const std::string& instruction_set)
        : kernels_(find_kernels(instruction_set)), set_(find_instruction_set(instruction_set)),
          precise_(precision == Precision::double_precision)
    {}

    bool has_adjoint(const LawChoice&) const override { return true; }

    AdjointStart begin_adjoint(const AdjointInput& loss, const Tree& tree,
                               const InternalScale& scale) override
    {
        loss_ = loss;
        unit_ = unit_of_lambda(scale, loss, tree.octree.size);
        return {unit_};
    }

    void begin(const EvaluationInput& input) override
    {
        input_ = input;
        const Octree& octree = *input.octree;
        const bool per_particle = !octree.softening.empty();
        softens_cells_ = input.softening.softens_cells();
        softens_apart_ = per_particle && softens_cells_;
        const double length = input.softening.length / input.scale.length;
        eps2_ = softens_cells_ ? length * length : 0;
        law_ = AdjointLaw::of(input.softening, per_particle, length);
        kernel_ = law_.code->host[set_][precise_];
        LawChoice choice = LawChoice::of(input.softening, per_particle);
        choice.in_double = precise_;
        const bool is_periodic = input.form;
        add_pairs_ = kernels_.adjoint.pairs(
            choice, is_periodic ? AdjointPart::short_range : AdjointPart::isolated, bool(loss_.mu));
        add_smooth_ = is_periodic
                          ? kernels_.adjoint.pairs(choice, AdjointPart::smooth, bool(loss_.mu))
                          : nullptr;
        rows_.take(octree, input.scale, unit_, loss_.lambda, loss_.mu);
        if (loss_.velocity)
            moving_.take_moving(octree, input.scale, unit_, loss_.velocity);
        moments_.sum(kernels_.adjoint, octree, *input.moments, rows_, input.scale,
                     std::max(input.order, 1) + 1, softens_apart_, precise_, loss_.criterion);
        threads_.resize(std::size_t(omp_get_max_threads()));
        for (Thread& thread : threads_)
            thread.not_finite = 0;
    }

    std::unique_ptr<InteractionLists> new_lists() override { return lists_.take(); }

    std::size_t batch_size() const override { return 1; }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        Thread& thread = threads_[std::size_t(omp_get_thread_num())];
        thread.clusters.resize(lists->clusters.size());
        for (std::size_t c = 0; c < lists->clusters.size(); ++c) {
            thread.clusters[c].is_empty = true;
            thread.clusters[c].near.clear();
            expand(*lists, lists->clusters[c], thread, nullptr, thread.clusters[c]);
        }
        for (const ListRow& row : lists->rows) {
            look_for_interruption();
            begin_group(row, thread);
            add_far_cells(*lists, row, thread);
            add_cells(*lists, row, thread);
            add_particles(*lists, row, thread);
            store(row, thread);
        }
        lists_.give_back(std::move(lists));
    }

    std::size_t finish() override
    {
        std::size_t not_finite = 0;
        for (const Thread& thread : threads_)
            not_finite += thread.not_finite;
        return not_finite;
    }

    std::string device() const override
    {
        return std::string("CPU, ") + kernels_.name + ", " + std::to_string(omp_get_max_threads()) +
               " threads";
    }

private:
    static constexpr Index cells_ahead = 8; // prefetch distance

    struct Thread {
        KernelScratch scratch;
        std::vector<FarFields> clusters; // in the batch
        FarFields own;                   // of the group
        std::vector<DualCell> cells;
        std::vector<double> columns, cell_sums;  // of the targets
        std::vector<AdjointPairs::Range> ranges; // of listed particles
        std::vector<double> pair_sums;           // rows
        std::vector<TileEntry> tiles;
        std::vector<ExcludedPair> self;
        std::size_t not_finite = 0;
    };

    /// Copies the targets to padded columns.
    void begin_group(const ListRow& row, Thread& thread) const
    {
        const std::size_t count = row.target_end - row.target_begin,
                          padded = (count + 15) / 16 * 16;
        const double l = 1 / input_.scale.length;
        thread.columns.resize(padded * AdjointTargets::fields);
        double* const column = thread.columns.data();
        for (std::size_t t = 0; t < padded; ++t) {
            const double* const from = targets().row(row.target_begin + std::min(t, count - 1));
            column[t] = l * (from[0] - row.center.x);
            column[padded + t] = l * (from[1] - row.center.y);
            column[2 * padded + t] = l * (from[2] - row.center.z);
            for (std::size_t f = 3; f < rows_.width(); ++f)
                column[f * padded + t] = from[f];
        }
        thread.cell_sums.assign(4 * padded, 0);
        thread.cells.clear();
        thread.ranges.clear();
    }

    const AdjointRows& targets() const { return loss_.velocity ? moving_ : rows_; }

    AdjointTargets targets_of(Thread& thread) const
    {
        const std::size_t padded = thread.cell_sums.size() / 4;
        return {int(padded), thread.columns.data(), thread.cell_sums.data(),
                softens_apart_ ? input_.softening.rule_weight() : -1, input_.form};
    }

    template <class Row>
    double distance_from(const Row& row, Index cell) const
    {
        const Vec3<double> r =
            input_.periodicity.nearest(input_.moments->multipole[cell].center - row.center);
        return std::max(0.0, std::sqrt(norm_squared(r)) - row.radius);
    }

    /// Expands the far cells of a cluster or a group about its center, with those of a wider
    /// cluster. Cells that are not trusted, or all with per-particle softening of cells, are left
    /// to the group's cells.
    template <class Row>
    void expand(const InteractionLists& lists, const Row& row, Thread& thread,
                const FarFields* wider, FarFields& fields) const
    {
        thread.cells.clear();
        for (Index c = row.far_begin; c < row.far_end; ++c) {
            if (c + cells_ahead < row.far_end)
                moments_.prefetch(lists.far_cells[c + cells_ahead]);
            if (const Index cell = lists.far_cells[c]; softens_apart_ || !moments_.is_trusted(cell))
                fields.near.push_back(cell);
            else
                moments_.append(cell, row.center, input_.periodicity, eps2_, thread.cells);
        }
        wider = wider && !wider->is_empty ? wider : nullptr;
        fields.is_empty = thread.cells.empty() && !wider;
        if (fields.is_empty)
            return;
        fields.center = row.center;
        DualExpansion& expansion = fields.expansion;
        expansion = {InternalScale::unit_of_radius(row.radius / input_.scale.length)};
        if (wider) {
            const double unit = wider->expansion.unit;
            const Vec3<double> d = (1 / input_.scale.length / unit) * (row.center - wider->center);
            shift(wider->expansion.masses, d, unit / expansion.unit, expansion.masses);
            shift(wider->expansion.duals, d, unit / expansion.unit, expansion.duals);
        }
        kernels_.adjoint.expand[precise_](thread.cells.data(), thread.cells.size(),
                                          moments_.order(), expansion);
    }

    /// Writes the terms about a center at d, in another unit.
    static void shift(const double* from, const Vec3<double>& d, double ratio, double* to)
    {
        LocalExpansion<double, dual_degree> local;
        std::copy_n(from, local.size, local.term);
        local.shift(d);
        local.change_unit(ratio);
        std::copy_n(local.term, local.size, to);
    }

    /// Adds the cluster's and the group's far cells.
    void add_far_cells(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        FarFields& own = thread.own;
        const FarFields* const cluster =
            row.cluster == no_cluster ? nullptr : &thread.clusters[row.cluster];
        own.near.clear();
        if (cluster)
            own.near = cluster->near;
        expand(lists, row, thread, cluster, own);
        if (!own.is_empty)
            kernels_.adjoint.add_expansion[precise_](own.expansion, targets_of(thread));
        thread.cells.clear();
        for (const Index cell : own.near)
            append(cell, row, thread);
    }

    /// Appends a cell to the group's cells, or its daughters, or its particles.
    void append(Index cell, const ListRow& row, Thread& thread) const
    {
        const Octree& octree = *input_.octree;
        if (!moments_.may_be_opened(cell) ||
            !moments_.is_to_be_opened(cell, distance_from(row, cell))) {
            moments_.append(cell, row.center, input_.periodicity, eps2_, thread.cells);
        } else if (octree.is_leaf(cell)) {
            const Cell& leaf = octree.cells[cell];
            list_range(leaf.begin, leaf.begin + leaf.count, row, thread);
        } else {
            for (Index d = cell + 1; d < octree.cells[cell].next; d = octree.cells[d].next)
                append(d, row, thread);
        }
    }

    void add_cells(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        for (Index c = row.cell_begin; c < row.cell_end; ++c) {
            if (c + cells_ahead < row.cell_end)
                moments_.prefetch(lists.cells[c + cells_ahead]);
            append(lists.cells[c], row, thread);
        }
        kernels_.adjoint.add_cells[precise_](thread.cells.data(), thread.cells.size(),
                                             moments_.order(), targets_of(thread));
    }

    /// Lists particles, but for the targets.
    static void list_range(Index begin, Index end, const ListRow& row, Thread& thread)
    {
        const Index low = std::clamp(row.target_begin, begin, end),
                    high = std::clamp(row.target_end, begin, end);
        if (begin < low)
            thread.ranges.push_back({begin, low});
        if (high < end)
            thread.ranges.push_back({high, end});
    }

    void add_particles(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        for (Index r = row.range_begin; r < row.range_end; ++r) {
            const ParticleRange& range = lists.ranges[r];
            const Index after =
                r + 1 < row.range_end ? lists.ranges[r + 1].before : row.particle_count;
            list_range(range.first, range.first + after - range.before, row, thread);
        }
        add_listed(add_pairs_, thread.ranges, row, thread);
        sum_own_pairs(row, thread);
        if (add_smooth_)
            add_listed(add_smooth_, {{row.target_begin, row.target_end}}, row, thread);
    }

    void add_listed(AdjointPairKernel kernel, const std::vector<AdjointPairs::Range>& ranges,
                    const ListRow& row, Thread& thread) const
    {
        const double l = 1 / input_.scale.length;
        kernel({rows_.row(0), rows_.width(), ranges.data(), ranges.size(), row.center, l,
                l * input_.softening.length, input_.softening.rule_weight(), input_.periodicity,
                input_.form},
               targets_of(thread));
    }

    /// Sums over the pairs of targets, which every list has, with coordinates in two floats.
    void sum_own_pairs(const ListRow& row, Thread& thread) const
    {
        const std::uint32_t count = row.target_end - row.target_begin,
                            tiles = (count + pair_tile - 1) / pair_tile;
        thread.tiles.clear();
        for (std::uint32_t t = 0; t < tiles; ++t)
            thread.tiles.push_back({t & 0x7ffffff, 0});
        thread.self.clear();
        for (std::uint32_t t = 0; t < count; ++t)
            thread.self.push_back({t, t});
        const double l = 1 / input_.scale.length, scale[9] = {l, l, l, 1, 1, 1, 1, 1, 1},
                     one[4] = {1, 1, 1, 1};
        static constexpr Vec3<double> no_image[1] = {};
        thread.pair_sums.resize(4 * count);
        PairGroupWork work{};
        work.law = law_.bytes.data();
        work.targets = targets().row(row.target_begin);
        work.sources = rows_.row(row.target_begin);
        work.target_count = work.source_count = count;
        work.tiles = thread.tiles.data();
        work.tiles_end = work.tiles + tiles;
        work.near_end = work.tiles + (precise_ ? 0 : tiles);
        work.excluded = thread.self.data();
        work.excluded_end = work.excluded + count;
        work.images = no_image;
        work.center = precise_ ? Vec3<double>{} : row.center; // doubles need no center
        work.target_scale = work.source_scale = scale;
        work.sum_scale = one;
        work.sums = thread.pair_sums.data();
        kernel_(work, thread.scratch);
    }

    void store(const ListRow& row, Thread& thread) const
    {
        const std::size_t padded = thread.cell_sums.size() / 4;
        for (Index t = row.target_begin; t < row.target_end; ++t) {
            const std::size_t k = t - row.target_begin;
            const double *cell = &thread.cell_sums[k], *pair = &thread.pair_sums[4 * k];
            const TargetSum sum{
                {cell[0] + pair[0], cell[padded] + pair[1], cell[2 * padded] + pair[2]},
                cell[3 * padded] + pair[3]};
            thread.not_finite += !store_sum(input_.output, input_.octree->order[t], sum);
        }
    }

    HostKernels kernels_;
    int set_;
    bool precise_;
    EvaluationInput input_;
    AdjointInput loss_;
    double unit_ = 1, eps2_ = 0;
    bool softens_cells_ = true, softens_apart_ = false;
    AdjointLaw law_;
    PairKernel kernel_ = nullptr; // of a group's own pairs
    AdjointPairKernel add_pairs_ = nullptr;
    AdjointPairKernel add_smooth_ = nullptr; // in a periodic cube, of a group's own pairs
    AdjointRows rows_, moving_;              // moving_: targets with velocities
    DualMoments moments_;
    ListPool lists_;
    std::vector<Thread> threads_;
};

} // namespace

std::unique_ptr<Evaluator> make_adjoint_evaluator(Precision precision,
                                                  const std::string& instruction_set)
{
    return std::make_unique<HostAdjoint>(precision, instruction_set);
}

} // namespace chamomile
