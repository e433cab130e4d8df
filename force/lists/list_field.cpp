#include "chamomile/force/lists/list_field.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/lists/array_rows.hpp"
#include "chamomile/force/lists/group_part.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

ListField::ListField(const SolverOptions& resolved, SolverParts parts,
                     std::unique_ptr<LongRange> long_range)
    : options_(resolved), parts_(std::move(parts)), tree_(parts_.builder->memory()),
      walk_(resolved.instruction_set), cancelling_(resolved), softening_(resolved.softening)
{
    if (parts_.target_builder)
        targets_.emplace(parts_.target_builder->memory());
    if (options_.is_periodic() && walks())
        long_range_.emplace(resolved, std::move(long_range));
}

void ListField::adjust(const SolverOptions& resolved)
{
    options_ = resolved;
    compares_estimates_ = true;
}

void ListField::exchange(Archive& archive)
{
    if (long_range_)
        long_range_->exchange(archive);
}

AcceptanceCriterion ListField::criterion() const
{
    SolverOptions softened = options_;
    softened.softening = softening_;
    AcceptanceCriterion criterion = criterion_of(softened, least_softening_);
    if (long_range_) {
        criterion.periodicity = {options_.box};
        criterion.cut = long_range_->cut();
        criterion.local_order = 0;
        criterion.least_acceleration = long_range_->typical_acceleration();
    }
    return criterion;
}

/// Sources beyond half a side from a group's centre are felt in another image: only such as are
/// farther than the cut from all its targets.
double ListField::longest_group() const
{
    return long_range_ ? 2 / std::sqrt(3.0) * (0.5 * options_.box - long_range_->cut())
                       : Box::infinity;
}

/// Returns the sizes of groups of sources.
GroupSizes ListField::source_sizes() const
{
    GroupSizes sizes = group_sizes(options_);
    sizes.longest_side = longest_group();
    return sizes;
}

TreePlan ListField::tree_plan() const
{
    return {.leaf_size = options_.leaf_size,
            .groups = source_sizes(),
            .criterion = walks() ? std::optional(criterion()) : std::nullopt,
            .placement = options_.decorrelate
                             ? random_placement(*options_.decorrelate, plan_.number)
                             : CubePlacement{},
            .periodicity = {options_.box}};
}

void ListField::build(const TreeParticles& sources, const Plan& plan)
{
    take(sources, plan, false);
}

void ListField::refit(const TreeParticles& sources, const Plan& plan)
{
    if (sources.count != in_cells_ && !parts_.domains)
        throw Error(Fault::input,
                    "refit: sources: " + std::to_string(sources.count) +
                        ": must be as many as were built: " + std::to_string(in_cells_));
    take(sources, plan, true);
}

void ListField::take(const TreeParticles& sources, const Plan& plan, bool keeps_cells)
{
    build_profile_ = {};
    size_ = 0; // until all is done
    has_sources_ = has_bounds_ = false;
    plan_ = plan;
    sources_ = sources;
    take_softening(plan);
    if (long_range_) {
        options_.periodic = long_range_->make(sources.count + plan.tracers, *parts_.evaluator);
        require(refuse_softening(options_, present_softening()), plain_names_of_forces());
        sources_.position = in_box(sources.position, sources.count, wrapped_);
    }
    if (keeps_cells) {
        parts_.builder->refit(tree_, sources_, tree_plan(), build_profile_);
    } else {
        rank_.clear();
        has_order_ = false;
        in_cells_ = 0;
        parts_.builder->build(tree_, sources_, tree_plan(), build_profile_);
    }
    is_kept_ = keeps_cells;
    in_cells_ = parts_.domains ? parts_.domains->total() : sources.count;
    if (long_range_ && plan.has_long_range)
        long_range_->prepare(sources_, build_profile_);
    const double side = tree_.moments.bounds.empty() ? 0 : tree_.moments.bounds[0].longest_side();
    scale_ = InternalScale::of(side, softening_.length, find_mass());
    size_ = in_cells_;
}

/// Finds the softening of this evaluation.
void ListField::take_softening(const Plan& plan)
{
    auto [length, least] = sources_.ranks
                               ? softening_lengths(plan.softenings, plan.softening_length, options_)
                               : softening_lengths(sources_.softening, sources_.count,
                                                   plan.softening_length, options_);
    if (plan.keeps_lengths && !least && sources_.softening && sources_.count > 0)
        least = length = sources_.softening.load(0); // of a particle: else length is that of a pair
    least_softening_ = least;
    if (sources_.ranks) {
        sources_.ranks->is_varied = least.has_value();
        sources_.longest_softening = plan.softening_length.value_or(HUGE_VAL);
    } else if (sources_.softening && sources_.count > 0) {
        if (least)
            sources_.longest_softening = length;
        else
            sources_.softening = {};
    }
    if (length != softening_.length) {
        softening_.length = length;
        SolverOptions softened = options_;
        softened.softening = softening_;
        cancelling_ = CancellingTargets(softened);
    }
}

/// Returns the softening of this evaluation, with lengths that are all equal as one.
Softening ListField::present_softening() const
{
    Softening softening = softening_;
    softening.is_varied = least_softening_.has_value();
    return softening;
}

void ListField::note_softening(ForceStatistics& statistics) const
{
    if (long_range_)
        statistics.softening_jump = softening_jump(options_, present_softening());
}

/// Returns the mass by which sums are scaled.
double ListField::find_mass()
{
    const Moments& moments = tree_.moments;
    has_both_signs_ = false;
    if (moments.multipole.empty())
        return 0;
    const Multipole& whole = moments.multipole[0];
    const bool sums_any_points = !walks() && targets_.has_value();
    if (std::isfinite(whole.mass + norm_of_any_size(whole.center)) && !sums_any_points)
        return whole.mass;
    const Particles all = all_sources();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isfinite(norm_of_any_size(all.position[i])))
            throw Error(Fault::input,
                        "particle " + std::to_string(i) + ": position: must be finite");
    const double mass = require_masses(all, walks());
    has_both_signs_ = !walks() && mass > 0 && !(whole.mass >= 0.999999 * mass);
    return mass;
}

void ListField::fetch_order()
{
    if (!has_order_)
        parts_.builder->fetch_order(tree_.octree);
    has_order_ = true;
}

const Octree& ListField::octree()
{
    fetch_order();
    if (!has_sources_)
        parts_.builder->fetch_sources(tree_.octree);
    has_sources_ = true;
    return tree_.octree;
}

const Moments& ListField::moments()
{
    if (!has_bounds_)
        parts_.builder->fetch_bounds(tree_.moments);
    has_bounds_ = true;
    return tree_.moments;
}

Particles ListField::all_sources()
{
    if (parts_.domains)
        return parts_.domains->gather(plan_.id).all;
    const Octree& octree = this->octree();
    Particles all;
    all.resize(octree.size);
    for (std::size_t k = 0; k < octree.size; ++k) {
        all.position[octree.order[k]] = octree.sources[k].position;
        all.mass[octree.order[k]] = octree.sources[k].mass;
    }
    if (!octree.softening.empty()) {
        all.softening.resize(octree.size);
        for (std::size_t k = 0; k < octree.size; ++k)
            all.softening[octree.order[k]] = std::sqrt(octree.softening[k]);
    }
    if (!plan_.id.empty())
        all.id.assign(plan_.id.begin(), plan_.id.end());
    return all;
}

/// Returns a view of the same positions in the periodic cube, which may need memory.
ArrayView ListField::in_box(const ArrayView& position, std::size_t n,
                            std::vector<Vec3<double>>& memory)
{
    if (position.on_device)
        return position;
    const Periodicity box{options_.box};
    bool outside = false;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(|| : outside)
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3<double> x = position.load_vector(i);
        outside = outside || box.wrapped(x) != x;
    }
    if (!outside)
        return position;
    memory.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        memory[i] = box.wrapped(position.load_vector(i));
    return view_of(std::span(memory));
}

void ListField::finish_nodes(ForceStatistics& statistics)
{
    if (!walks() || size() == 0)
        return;
    parts_.builder->finish_nodes(tree_, groups_, statistics.profile);
    walk_.prepare(tree_.octree, tree_.nodes, criterion());
}

void ListField::find_source_groups(const Targets& targets, ForceStatistics& statistics)
{
    const TimedPhase phase(statistics.profile, "groups");
    if (!targets.active.empty() && !parts_.domains)
        find_ranks();
    parts_.builder->make_groups(
        groups_, tree_,
        {.active = targets.active, .place = rank_, .rung = targets.rung, .first = targets.first},
        source_sizes());
    assert(targets.parts == 1 || !walks());
    if (targets.parts > 1)
        keep_part(groups_, targets.part, targets.parts);
}

std::vector<Index> ListField::numbers_of_targets()
{
    fetch_order();
    std::vector<Index> numbers(groups_.target_count);
    for (std::size_t t = 0; t < numbers.size(); ++t)
        numbers[t] = tree_.octree.order[groups_.target(t)];
    return numbers;
}

/// Finds what active sources are looked up by: the order or, for cells that are kept for several
/// evaluations, the ranks.
void ListField::find_ranks()
{
    fetch_order();
    if (is_kept_)
        fill_ranks();
}

void ListField::fill_ranks()
{
    const Octree& octree = tree_.octree;
    if (!rank_.empty())
        return;
    rank_.resize(octree.size);
#pragma omp parallel for if (octree.size > worth_threads)
    for (std::size_t k = 0; k < octree.size; ++k)
        rank_[octree.order[k]] = Index(k);
}

ForceOutput ListField::in_units(const ArrayView& acceleration, const ArrayView& potential) const
{
    ForceOutput output{acceleration, potential};
    output.set_units(options_.gravitational_constant, scale_);
    return output;
}

std::size_t ListField::sum(const SeparateTargets& separate, std::span<const Index> active,
                           bool with_mesh, const ForceOutput& output, ForceStatistics& statistics)
{
    EvaluationInput input{.octree = &tree_.octree,
                          .moments = &tree_.moments,
                          .groups = &groups_,
                          .scale = scale_,
                          .softening = softening_,
                          .order = options_.order,
                          .quantities = output.potential ? Quantities::acceleration_potential
                                                         : Quantities::acceleration,
                          .local_order = options_.local_order,
                          .output = output,
                          .separate = separate,
                          .active = active};
    if (long_range_) {
        if (std::exchange(fitted_for_, scale_.length) != scale_.length)
            form_ = ShortRangeForm::fit(long_range_->split() / scale_.length,
                                        long_range_->cut() / scale_.length);
        input.periodicity = {options_.box};
        input.cut = long_range_->cut();
        input.form = &form_;
        input.mesh = with_mesh ? long_range_->of_evaluator() : nullptr;
    }
    DomainTreeBuilder* const dealt = this->dealt(separate);
    const auto evaluate = [&] {
        do
            batch_limit_.try_until_it_fits([&] {
                parts_.evaluator->begin(input);
                submit(separate, batch_limit_.batch_size(options_.batch_size, *parts_.evaluator),
                       statistics);
            });
        while (needs_repetition(statistics));
    };
    if (dealt) {
        input.output = dealt_sums_.begin(*dealt, groups_, output, plan_.has_potentials);
        input.quantities =
            plan_.has_potentials ? Quantities::acceleration_potential : Quantities::acceleration;
        input.active = dealt->active();
        input.targets_of_ranks = parts_.domains->targets();
        input.nodes = &tree_.nodes;
        input.work = dealt_sums_.work_of_targets();
        input.groups_per_cluster = options_.cluster_size;
        dealt->ranks().together(evaluate);
    } else
        evaluate();
    const TimedPhase phase(statistics.profile, "results");
    std::size_t not_finite = parts_.evaluator->finish();
    parts_.evaluator->add_statistics(statistics);
    statistics.targets = groups_.target_count;
    statistics.groups = groups_.groups.size();
    statistics.cells = tree_.octree.cells.size();
    if (dealt) {
        if (parts_.evaluator->finishes_lists())
            dealt_sums_.note_work_of_targets(*dealt, groups_);
        dealt_sums_.send_home(*dealt, output, plan_.has_potentials);
        dealt_sums_.count(*parts_.domains, std::exchange(not_finite, 0)); // see repair_rows()
        statistics.cells = parts_.domains->own().cells.size();
    }
    return not_finite;
}

bool ListField::needs_repetition(ForceStatistics& statistics)
{
    const TimedPhase phase(statistics.profile, "results");
    return parts_.evaluator->needs_repetition();
}

Vec3<double> near_distance(const Group& group, double unit)
{
    const Vec3<double> half = 0.5 * (group.box.high - group.box.low);
    const double least = 1e-6 * group.radius + 1e-12 * unit; // above 0 in float
    return {1.0001 * half.x + least, 1.0001 * half.y + least, 1.0001 * half.z + least};
}

void ListField::submit(const SeparateTargets& separate, int batch_size, ForceStatistics& statistics)
{
    submit_batches(
        groups_, *parts_.evaluator, batch_size,
        [&](InteractionLists& lists, std::size_t first, std::size_t last) {
            if (walks() && parts_.evaluator->finishes_lists()) {
                walk_.open(lists, groups_, first, last);
            } else if (walks()) {
                walk_.list(lists, groups_, first, last);
                if (const DomainTreeBuilder* targets = dealt(separate)) {
                    if (has_absent(lists))
                        throw Error(Fault::numeric,
                                    "domains: a list opens a cell that was not imported");
                    dealt_sums_.note_work(*targets, groups_, lists, options_.cluster_size);
                }
            } else {
                const std::size_t begin = groups_.clusters[first].first_group,
                                  end = groups_.clusters[last - 1].last_group;
                list_all_particles(lists, Index(size()),
                                   std::span(groups_.groups).subspan(begin, end - begin));
            }
            if (separate.octree) {
                Index g = groups_.clusters[first].first_group;
                for (ListRow& row : lists.rows)
                    row.near_distance = near_distance(groups_.groups[g++], scale_.length);
            }
        },
        statistics);
}

ForceStatistics ListField::at_sources(const Targets& targets, const Outputs& to)
{
    ForceStatistics statistics;
    std::swap(statistics.profile, build_profile_); // it belongs to the first evaluation
    ArrayView acceleration = to.acceleration;
    if (!acceleration && !parts_.domains) {
        acceleration_.resize(size());
        acceleration = view_of(std::span(acceleration_));
    }
    find_source_groups(targets, statistics);
    finish_nodes(statistics);
    const ForceOutput output = in_units(acceleration, to.potential);
    const bool adds = to.long_range == LongRangePart::added;
    if (sum({}, targets.active, adds, output, statistics) > 0)
        repair_sources(output);
    if (parts_.domains) {
        statistics.kept_tree = is_kept_;
        return statistics;
    }
    if (walks()) {
        compare_estimates(output, statistics);
    } else if (options_.precision == Precision::single_precision) {
        const TimedPhase phase(statistics.profile, "cancelling");
        statistics.cancelling = cancelling_.sum_again(octree(), groups_, scale_, output);
    }
    if (long_range_)
        add_long_range(targets, to, statistics);
    statistics.kept_tree = is_kept_;
    note_softening(statistics);
    return statistics;
}

void ListField::add_long_range(const Targets& targets, const Outputs& to,
                               ForceStatistics& statistics)
{
    const std::size_t n = size();
    std::optional<Particles> copies;
    if (!plan_.has_arrays) {
        copies = all_sources();
        sources_.position = view_of(std::span(copies->position));
        sources_.mass = view_of(std::span(copies->mass));
    }
    if (to.long_range == LongRangePart::added && !long_range_->of_evaluator())
        long_range_->add(n, sources_.position, targets.active, to.acceleration, to.potential,
                         statistics.profile);
    if (to.long_range == LongRangePart::stored) {
        if (!to.long_range_acceleration || groups_.target_count != n)
            throw Error(Fault::usage, "long range: stored: needs an array, and all particles");
        long_range_->add(n, sources_.position, {}, to.long_range_acceleration, to.potential,
                         statistics.profile);
    }
    if (to.potential && to.long_range != LongRangePart::left_out)
        complete_potentials(to.potential);
}

/// Completes the potentials of the targets.
void ListField::complete_potentials(const ArrayView& view)
{
    const auto complete = [&](const ArrayView& potential, const ArrayView& mass) {
        const bool all = groups_.target_count == size();
        if (!all)
            fetch_order();
#pragma omp parallel for if (groups_.target_count > worth_threads) schedule(static)
        for (std::size_t t = 0; t < groups_.target_count; ++t) {
            const std::size_t i = all ? t : tree_.octree.order[groups_.target(t)];
            potential.store(i, 0, potential.load(i) + long_range_->potential_offset(mass.load(i)));
        }
    };
    if (!view.on_device && !sources_.mass.on_device)
        return complete(view, sources_.mass);
    std::vector<double> mass = read(sources_.mass, size(), 1), potential = read(view, size(), 1);
    complete(view_of(std::span(potential)), view_of(std::span(mass)));
    write(potential, size(), view);
}

/// Compares once the accelerations that the criterion takes with the computed ones.
void ListField::compare_estimates(const ForceOutput& output, ForceStatistics& statistics)
{
    constexpr std::size_t fewest = 100; // of which a part says something
    const bool has_cells = statistics.particle_cell + statistics.expansions > 0;
    if (!compares_estimates_ || long_range_ || !criterion().is_relative() || !has_cells ||
        groups_.target_count < fewest || output.acceleration.on_device)
        return;
    compares_estimates_ = false;
    const TimedPhase phase(statistics.profile, "estimates");
    fetch_order();
    constexpr std::size_t most = 64;
    const std::size_t clusters = groups_.clusters.size(), step = (clusters + most - 1) / most;
    std::size_t small = 0, seen = 0;
    for (std::size_t c = 0; c < clusters; c += step) {
        const Cluster& cluster = groups_.clusters[c];
        const double least =
            walk_.acceleration(cluster) * std::abs(options_.gravitational_constant) / 8;
        for (Index t = groups_.groups[cluster.first_group].begin;
             t < groups_.groups[cluster.last_group - 1].end; ++t, ++seen)
            small += norm_of_any_size(output.acceleration.load_vector(
                         tree_.octree.order[groups_.target(t)])) < least;
    }
    if (seen > 0)
        statistics.cancelling_part = double(small) / double(seen);
}

std::vector<double> ListField::read(const ArrayView& view, std::size_t n, int components) const
{
    return read_rows(view, n, components, options_.device);
}

void ListField::write(const std::vector<double>& rows, std::size_t n, const ArrayView& view) const
{
    write_rows(rows, n, view, options_.device);
}

} // namespace chamomile
