// Near pairs go to the kernel of the pair law, cells to force/simd/adjoint_kernels.cpp.
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

namespace chamomile {
namespace {

/// The fields of far cells about a center: of the masses as in the forces, and the dual field, in
/// the same unit.
struct TwoExpansions {
    Expansion masses;
    LocalExpansion<double, dual_degree> duals;
    bool is_empty = true;
    std::vector<Index> near; ///< far cells of the lists that are not in the expansions
};

/// Gradients on the processor. The many members are buffers, kept between evaluations.
class HostAdjoint final : public AdjointEvaluator {
public:
    HostAdjoint(Precision precision, const std::string& instruction_set)
        : kernels_(find_kernels(instruction_set)), set_(find_instruction_set(instruction_set)),
          precise_(precision == Precision::double_precision)
    {}

    void take(std::span<const Vec3<double>> lambda, std::span<const double> mu, double unit,
              const AcceptanceCriterion& criterion) override
    {
        criterion_ = criterion;
        lambda_ = lambda;
        mu_ = mu;
        unit_ = unit;
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
        rows_.take(octree, input.scale, unit_, lambda_, mu_);
        moments_.sum(octree, *input.moments, rows_, input.scale, std::max(input.order, 1) + 1,
                     softens_apart_, criterion_);
        expand_ = input.local_order == 0
                      ? nullptr
                      : kernels_.expand[precise_][input.local_order - lowest_local_order]
                                       [input.order <= 2 ? 0 : input.order - 2];
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
    struct Thread {
        KernelScratch scratch;
        std::vector<TwoExpansions> clusters; // in the batch
        TwoExpansions own;                   // of the group
        std::vector<DualCell> cells;
        std::vector<Index> far_cells;           // with expansions
        std::vector<double> columns, cell_sums; // of the targets
        std::vector<double> targets, pair_sums; // rows
        std::vector<double> sources;            // rows of listed particles, near ones first
        std::vector<double> far;
        std::vector<TileEntry> tiles;
        std::vector<ExcludedPair> self;
        std::vector<ParticleRange> opened; // particles of leaves to be opened
        std::size_t not_finite = 0;
    };

    /// Copies the targets to rows and to padded columns.
    void begin_group(const ListRow& row, Thread& thread) const
    {
        const std::size_t count = row.target_end - row.target_begin,
                          padded = (count + 15) / 16 * 16, width = rows_.width();
        thread.targets.resize(count * width);
        thread.columns.resize(padded * AdjointTargets::fields);
        for (std::size_t t = 0; t < padded; ++t) {
            const double* const from = rows_.row(row.target_begin + std::min(t, count - 1));
            if (t < count)
                std::copy_n(from, width, &thread.targets[t * width]);
            const double place[3] = {(from[0] - row.center.x) / input_.scale.length,
                                     (from[1] - row.center.y) / input_.scale.length,
                                     (from[2] - row.center.z) / input_.scale.length};
            for (std::size_t f = 0; f < AdjointTargets::fields; ++f)
                thread.columns[f * padded + t] = f < 3 ? place[f] : f < width ? from[f] : 0;
        }
        thread.cell_sums.assign(4 * padded, 0);
        thread.cells.clear();
        thread.opened.clear();
    }

    AdjointTargets targets_of(Thread& thread) const
    {
        const std::size_t padded = thread.cell_sums.size() / 4;
        return {int(padded), thread.columns.data(), thread.cell_sums.data(),
                softens_apart_ ? input_.softening.rule_weight() : -1};
    }

    template <class Row>
    double distance_from(const Row& row, Index cell) const
    {
        const Vec3<double> r = input_.moments->multipole[cell].center - row.center;
        return std::max(0.0, std::sqrt(norm_squared(r)) - row.radius);
    }

    /// Expands the far cells of a cluster or a group about its center, with those of a wider
    /// cluster. Cells that are not trusted, or all with per-particle softening of cells, are left
    /// to the group's cells.
    template <class Row>
    void expand(const InteractionLists& lists, const Row& row, Thread& thread,
                const TwoExpansions* wider, TwoExpansions& expansions) const
    {
        thread.cells.clear();
        thread.far_cells.clear();
        for (Index c = row.far_begin; c < row.far_end; ++c)
            if (const Index cell = lists.far_cells[c];
                softens_apart_ || !moments_.is_trusted(cell)) {
                expansions.near.push_back(cell);
            } else {
                thread.far_cells.push_back(cell);
                moments_.append(cell, row.center, eps2_, thread.cells);
            }
        wider = wider && !wider->is_empty ? wider : nullptr;
        expansions.is_empty = thread.cells.empty() && !wider;
        if (expansions.is_empty)
            return;
        expansions.masses.center = row.center;
        expansions.masses.targets = {};
        expansions.masses.unit = InternalScale::unit_of_radius(row.radius / input_.scale.length);
        expand_({input_.moments->multipole.data(), input_.moments->higher.data(),
                 thread.far_cells.data(), thread.far_cells.size(), 1 / input_.scale.length,
                 1 / input_.scale.mass, std::sqrt(eps2_), input_.order},
                wider ? &wider->masses : nullptr, expansions.masses);
        const double unit = expansions.masses.unit;
        expansions.duals = {};
        if (wider) {
            expansions.duals = wider->duals;
            expansions.duals.shift((1 / input_.scale.length / wider->masses.unit) *
                                   (row.center - wider->masses.center));
            expansions.duals.change_unit(wider->masses.unit / unit);
        }
        kernels_.adjoint.expand[precise_](thread.cells.data(), thread.cells.size(),
                                          moments_.order(), unit, expansions.duals.term);
    }

    /// Adds the cluster's and the group's far cells.
    void add_far_cells(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        TwoExpansions& own = thread.own;
        const TwoExpansions* const cluster =
            row.cluster == no_cluster ? nullptr : &thread.clusters[row.cluster];
        own.near.clear();
        if (cluster)
            own.near = cluster->near;
        expand(lists, row, thread, cluster, own);
        if (!own.is_empty) {
            constexpr int size = term_count(dual_degree);
            const double inverse = 1 / own.masses.unit;
            double masses[size], duals[size], scale = inverse; // in internal units
            for (int degree = 0, t = 0; degree <= dual_degree; ++degree, scale *= inverse)
                for (; t < term_count(degree); ++t) {
                    masses[t] = degree <= input_.local_order ? scale * own.masses.term[t] : 0;
                    duals[t] = scale * own.duals.term[t];
                }
            kernels_.adjoint.add_expansions(masses, duals, targets_of(thread));
        }
        thread.cells.clear();
        for (const Index cell : own.near)
            append(cell, row, thread);
    }

    /// Appends a cell to the group's cells, or its daughters, or its particles.
    void append(Index cell, const ListRow& row, Thread& thread) const
    {
        const Octree& octree = *input_.octree;
        if (!moments_.is_to_be_opened(cell, distance_from(row, cell))) {
            moments_.append(cell, row.center, eps2_, thread.cells);
        } else if (octree.is_leaf(cell)) {
            thread.opened.push_back({octree.cells[cell].begin, octree.cells[cell].count});
        } else {
            for (Index d = cell + 1; d < octree.cells[cell].next; d = octree.cells[d].next)
                append(d, row, thread);
        }
    }

    void add_cells(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        for (Index c = row.cell_begin; c < row.cell_end; ++c)
            append(lists.cells[c], row, thread);
        kernels_.adjoint.add_cells[precise_](thread.cells.data(), thread.cells.size(),
                                             moments_.order(), targets_of(thread));
    }

    /// Sums over the listed particles. Sources among the targets come first, in two floats.
    void add_particles(const InteractionLists& lists, const ListRow& row, Thread& thread) const
    {
        const std::size_t width = rows_.width();
        thread.sources.clear();
        thread.far.clear();
        thread.self.clear();
        const auto add = [&](Index begin, Index end) {
            const Index low = std::clamp(row.target_begin, begin, end),
                        high = std::clamp(row.target_end, begin, end);
            thread.far.insert(thread.far.end(), rows_.row(begin), rows_.row(low));
            for (Index k = low; k < high; ++k)
                thread.self.push_back({std::uint32_t(thread.sources.size() / width) + (k - low),
                                       k - row.target_begin});
            thread.sources.insert(thread.sources.end(), rows_.row(low), rows_.row(high));
            thread.far.insert(thread.far.end(), rows_.row(high), rows_.row(end));
        };
        for (Index r = row.range_begin; r < row.range_end; ++r) {
            const ParticleRange& range = lists.ranges[r];
            const Index after =
                r + 1 < row.range_end ? lists.ranges[r + 1].before : row.particle_count;
            add(range.first, range.first + after - range.before);
        }
        for (const ParticleRange& leaf : thread.opened) // here `before` is the number of particles
            add(leaf.first, leaf.first + leaf.before);
        const std::size_t near = thread.sources.size() / width;
        thread.sources.insert(thread.sources.end(), thread.far.begin(), thread.far.end());
        sum_pairs(row, near, thread);
    }

    void sum_pairs(const ListRow& row, std::size_t near, Thread& thread) const
    {
        const std::size_t width = rows_.width(), sources = thread.sources.size() / width,
                          tiles = (sources + pair_tile - 1) / pair_tile;
        thread.tiles.clear();
        for (std::uint32_t t = 0; t < tiles; ++t)
            thread.tiles.push_back({t & 0x7ffffff, 0});
        const double l = 1 / input_.scale.length, scale[9] = {l, l, l, 1, 1, 1, 1, 1, 1},
                     one[4] = {1, 1, 1, 1};
        static constexpr Vec3<double> no_image[1] = {};
        thread.pair_sums.resize(4 * (row.target_end - row.target_begin));
        PairGroupWork work{};
        work.law = law_.bytes.data();
        work.targets = thread.targets.data();
        work.target_count = row.target_end - row.target_begin;
        work.sources = thread.sources.data();
        work.source_count = std::uint32_t(sources);
        work.tiles = thread.tiles.data();
        work.tiles_end = work.tiles + tiles;
        work.near_end = work.tiles + (precise_ ? 0 : (near + pair_tile - 1) / pair_tile);
        work.excluded = thread.self.data();
        work.excluded_end = work.excluded + thread.self.size();
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
    std::span<const Vec3<double>> lambda_;
    std::span<const double> mu_;
    AcceptanceCriterion criterion_;
    double unit_ = 1, eps2_ = 0;
    bool softens_cells_ = true, softens_apart_ = false;
    AdjointLaw law_;
    PairKernel kernel_ = nullptr;
    ExpansionKernel expand_ = nullptr;
    AdjointRows rows_;
    DualMoments moments_;
    ListPool lists_;
    std::vector<Thread> threads_;
};

} // namespace

std::unique_ptr<AdjointEvaluator> make_adjoint_evaluator(Precision precision,
                                                         const std::string& instruction_set)
{
    return std::make_unique<HostAdjoint>(precision, instruction_set);
}

} // namespace chamomile
