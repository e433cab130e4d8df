#include "chamomile/force/lists/list_field.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/group_partition.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/tree/keys.hpp"

namespace chamomile {

ListField::ListField(const SolverOptions& resolved, SolverParts parts,
                     std::unique_ptr<LongRange> long_range)
    : options_(resolved), parts_(std::move(parts)), softening_{resolved.softening, {}},
      sources_(parts_), groups_(parts_.builder->memory()), walk_(resolved.instruction_set),
      sums_(*parts_.evaluator), cancelling_(resolved)
{
    if (parts_.target_builder)
        targets_.emplace(parts_.target_builder->memory());
    if (options_.is_periodic() && walks())
        long_range_.emplace(resolved, std::move(long_range));
}

void ListField::adjust(const SolverOptions& resolved)
{
    if (long_range_ && resolved.periodic != options_.periodic) {
        long_range_.emplace(resolved, nullptr);
        if (resolved.periodic.mesh > 0 && !parts_.domains)
            long_range_->make(0, *parts_.evaluator, nullptr);
    }
    options_ = resolved;
    kept_.are_complete = false;
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
    softened.softening = softening_.pair;
    AcceptanceCriterion criterion = criterion_of(softened, softening_.min);
    if (long_range_) {
        criterion.periodicity = {options_.box};
        criterion.cut = long_range_->cut();
        criterion.local_order = 0;
        criterion.min_acceleration = long_range_->typical_acceleration();
    }
    return criterion;
}

/// Sources beyond half a side from a group's center act from another image. Only sources beyond the
/// cutoff from all targets may lie there, which limits the group's size.
double ListField::longest_group() const
{
    return long_range_ ? 2 / std::sqrt(3.0) * (0.5 * options_.box - long_range_->cut())
                       : Box::infinity;
}

/// Returns group sizes for sources as targets.
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
            .has_no_listed_targets = plan_.has_no_listed_targets,
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
    if (sources.count != sources_in_cells() && !parts_.domains)
        throw Error(Fault::input, "refit: " + std::to_string(sources.count) +
                                      " sources, but build() took " +
                                      std::to_string(sources_in_cells()) + ": must be equal");
    take(sources, plan, true);
}

void ListField::take(const TreeParticles& given, const Plan& plan, bool keeps_cells)
{
    sources_.clear(); // until everything has succeeded
    kept_.are_complete = false;
    plan_ = plan;
    TreeParticles sources = given;
    set_softening(sources, plan);
    if (long_range_) {
        options_.periodic = long_range_->make(
            (sources.ranks ? plan.all_sources : sources.count) + plan.tracers, *parts_.evaluator,
            parts_.domains ? &parts_.domains->ranks() : nullptr);
        const auto refuse = [&] { require(refuse_softening(options_, softening_.in_force())); };
        parts_.domains ? agreed(refuse) : refuse();
        sources.position = in_box(sources.position, sources.count, wrapped_);
        if (sources.ranks)
            sources.ranks->box = {options_.box};
    }
    const SourcesTaken how{softening_, plan.id, walks(), !walks() && targets_.has_value()};
    if (keeps_cells)
        sources_.refit(sources, tree_plan(), how);
    else
        sources_.build(sources, tree_plan(), how);
    if (long_range_ && plan.has_long_range)
        try {
            const Moments& moments = sources_.tree().moments;
            const double mass = size() > 0 ? moments.multipole[0].mass : 0;
            long_range_->prepare(sources, mass, plan.has_potentials, sources_.profile());
            if (!plan.has_arrays || long_range_->typical_acceleration() == 0) // imports need one
                find_typical(sources_.profile());
        } catch (...) {
            sources_.clear();
            throw;
        }
}

/// Finds the typical acceleration. A device may still compute the long range, so this is called
/// late: after the first imports, which rely on the value of the last evaluation.
void ListField::find_typical(Profile& profile)
{
    long_range_->find_typical(sources_.particles(), size(), profile);
    if (parts_.domains)
        parts_.domains->set_min_acceleration(long_range_->typical_acceleration());
}

/// Sets the softening for this evaluation.
void ListField::set_softening(TreeParticles& sources, const Plan& plan)
{
    auto [length, min] =
        sources.ranks
            ? softening_lengths(plan.softenings, plan.softening_length, options_)
            : softening_lengths(sources.softening, sources.count, plan.softening_length, options_);
    if (plan.keeps_lengths && !min && sources.softening && sources.count > 0)
        min = length = sources.softening.load(0); // per particle: otherwise `length` is per pair
    softening_.min = min;
    if (sources.ranks) {
        sources.ranks->per_particle = min.has_value();
        sources.longest_softening = plan.softening_length.value_or(HUGE_VAL);
    } else if (sources.softening && sources.count > 0) {
        if (min)
            sources.longest_softening = length;
        else
            sources.softening = {};
    }
    if (length != softening_.pair.length) {
        softening_.pair.length = length;
        SolverOptions softened = options_;
        softened.softening = softening_.pair;
        cancelling_ = CancellingTargets(softened);
    }
}

void ListField::record_softening(ForceStatistics& statistics) const
{
    if (long_range_)
        statistics.softening_jump = softening_jump(options_, softening_.in_force());
}

/// Returns a view with these positions wrapped into the periodic cube; copies to `memory` if
/// needed.
ArrayView ListField::in_box(const ArrayView& position, std::size_t n,
                            std::vector<Vec3<double>>& memory)
{
    if (position.on_device)
        return position;
    const Periodicity box{options_.box};
    const auto is_inside = [side = box.side](const Vec3<double>& x) {
        return x.x >= 0 && x.x < side && x.y >= 0 && x.y < side && x.z >= 0 && x.z < side;
    };
    bool outside = false;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(|| : outside)
    for (std::size_t i = 0; i < n; ++i)
        outside = outside || !is_inside(position.load_vector(i));
    if (!outside)
        return position;
    memory.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        memory[i] = box.wrapped(position.load_vector(i));
    return view_of(std::span(memory));
}

/// Completes the tree for the groups and returns their GroupLists.
GroupLists ListField::lists_for_groups(ForceStatistics& statistics)
{
    GroupLists lists{nullptr, size()};
    kept_.are_complete = false;
    if (!walks())
        return lists;
    if (size() > 0)
        sources_.start_nodes(groups_, statistics.profile);
    if (long_range_ && plan_.has_long_range)
        find_typical(statistics.profile);
    if (size() > 0) {
        sources_.finish_nodes(groups_, statistics.profile);
        walk_.prepare(sources_.tree().octree, sources_.tree().nodes, criterion());
    }
    lists.walk = &walk_;
    return lists;
}

void ListField::find_source_groups(const Targets& targets, ForceStatistics& statistics)
{
    const TimedPhase phase(statistics.profile, "groups");
    sources_.make_groups(groups_,
                         {.active = targets.active, .rung = targets.rung, .first = targets.first},
                         source_sizes());
    assert(targets.parts == 1 || !walks());
    if (targets.parts > 1)
        keep_part(groups_, targets.part, targets.parts);
}

/// Finds the groups of targets and their lists, which are kept from a field's first gradient on.
GroupLists ListField::find_source_lists(const Targets& targets, ForceStatistics& statistics)
{
    const bool may_keep = adjoint_ && targets.active.empty() && !targets.rung &&
                          options_.device == "cpu" && !parts_.domains;
    if (may_keep && kept_.are_complete)
        return {&walk_, size(), 0, &kept_};
    find_source_groups(targets, statistics);
    GroupLists lists = lists_for_groups(statistics);
    if (may_keep && walks()) {
        kept_.batches.resize(groups_.clusters.size());
        lists.kept = &kept_;
    }
    return lists;
}

std::vector<Index> ListField::numbers_of_targets()
{
    const Octree& octree = sources_.ordered();
    std::vector<Index> numbers(groups_.target_count);
    for (std::size_t t = 0; t < numbers.size(); ++t)
        numbers[t] = octree.order[groups_.target(t)];
    return numbers;
}

ForceOutput ListField::in_units(const ArrayView& acceleration, const ArrayView& potential) const
{
    ForceOutput output{acceleration, potential};
    output.set_units(options_.gravitational_constant, sources_.scale());
    return output;
}

ForceStatistics ListField::at_sources(const Targets& targets, const Outputs& to)
{
    ForceStatistics statistics;
    statistics.profile = sources_.consume_profile(); // of the build, for the first evaluation
    ArrayView acceleration = to.acceleration;
    std::vector<Vec3<double>> unwanted;
    if (!acceleration && !parts_.domains) {
        unwanted.resize(size());
        acceleration = view_of(std::span(unwanted));
    }
    const GroupLists lists = find_source_lists(targets, statistics);
    const ForceOutput output = in_units(acceleration, to.potential);
    const ListedTargets listed{.groups = groups_,
                               .lists = lists,
                               .output = output,
                               .active = targets.active,
                               .adds_mesh = to.long_range == LongRangePart::added,
                               .domains = parts_.domains,
                               .has_potentials = plan_.has_potentials};
    const std::size_t not_finite = sums_.sum(sources_, force(), listed, statistics);
    kept_.are_complete = lists.kept;
    if (not_finite > 0)
        repair_sources(output);
    statistics.kept_tree = sources_.has_kept_cells();
    if (!parts_.domains && walks()) {
        compare_estimates(output, statistics);
    } else if (!walks() && options_.precision == Precision::single_precision) {
        const TimedPhase phase(statistics.profile, "cancelling");
        statistics.cancelling =
            cancelling_.sum_again(sources_.octree(), groups_, sources_.scale(), output);
    }
    if (long_range_) {
        Outputs all = to;
        all.acceleration = acceleration; // also if unwanted
        add_long_range(targets, all, statistics);
    }
    record_softening(statistics);
    return statistics;
}

void ListField::add_long_range(const Targets& targets, const Outputs& to,
                               ForceStatistics& statistics)
{
    TreeParticles arrays = sources_.particles();
    const std::size_t n = arrays.count;
    const bool are_all = arrays.ranks ? !arrays.ranks->has_targets : groups_.target_count == n;
    if (n == 0 || (arrays.ranks && !are_all && targets.active.empty()))
        return;
    std::optional<Particles> copies;
    if (!plan_.has_arrays) {
        copies = sources_.all();
        arrays.position = view_of(std::span(copies->position));
        arrays.mass = view_of(std::span(copies->mass));
    }
    if (to.long_range == LongRangePart::added && !long_range_->of_evaluator())
        long_range_->add(n, arrays.position, targets.active, to.acceleration, to.potential,
                         statistics.profile);
    if (to.long_range == LongRangePart::stored) {
        if (!to.long_range_acceleration || !are_all)
            throw Error(Fault::usage,
                        "stored long range: needs an array, and all particles as targets");
        long_range_->add(n, arrays.position, {}, to.long_range_acceleration, to.potential,
                         statistics.profile);
    }
    if (to.potential && to.long_range != LongRangePart::left_out)
        complete_potentials(to.potential, arrays.mass, targets.active);
}

/// Adds the offset of the smooth part to the targets' potentials. `active`: targets of a rank.
void ListField::complete_potentials(const ArrayView& view, const ArrayView& masses,
                                    std::span<const Index> active)
{
    const std::size_t own = sources_.particles().count; // on one rank all
    const PotentialOffset offset = long_range_->potential_offset();
    const bool of_rank = parts_.domains, all = !of_rank && groups_.target_count == size();
    if (view.on_device && masses.on_device && (all || (of_rank && active.empty())))
        return add_potential_offsets(first_gpu(options_.device), offset, masses, own, view);
    const auto complete = [&](const ArrayView& potential, const ArrayView& mass) {
        const Index* const order = of_rank || all ? nullptr : sources_.ordered().order.data();
        const std::size_t n = !of_rank         ? groups_.target_count
                              : active.empty() ? own
                                               : active.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t t = 0; t < n; ++t) {
            const std::size_t i = order                        ? order[groups_.target(t)]
                                  : of_rank && !active.empty() ? active[t]
                                                               : t;
            potential.store(i, 0, potential.load(i) + offset(mass.load(i)));
        }
    };
    if (!view.on_device && !masses.on_device)
        return complete(view, masses);
    std::vector<double> mass = read(masses, own, 1), potential = read(view, own, 1);
    complete(view_of(std::span(potential)), view_of(std::span(mass)));
    write(potential, own, view);
}

/// Compares the criterion's estimated accelerations with the computed ones, once.
void ListField::compare_estimates(const ForceOutput& output, ForceStatistics& statistics)
{
    constexpr std::size_t fewest = 100; // for a meaningful fraction
    const bool has_cells = statistics.particle_cell + statistics.expansions > 0;
    if (!compares_estimates_ || long_range_ || !criterion().takes_tolerance() || !has_cells ||
        groups_.target_count < fewest)
        return;
    compares_estimates_ = false;
    const TimedPhase phase(statistics.profile, "estimates");
    const Octree& octree = sources_.ordered();
    constexpr std::size_t max = 64;
    const std::size_t clusters = groups_.clusters.size(), step = (clusters + max - 1) / max;
    std::vector<Index> seen;
    std::vector<double> min; // of each seen target
    for (std::size_t c = 0; c < clusters; c += step) {
        const Cluster& cluster = groups_.clusters[c];
        for (Index t = groups_.groups[cluster.first_group].begin;
             t < groups_.groups[cluster.last_group - 1].end; ++t)
            seen.push_back(octree.order[groups_.target(t)]);
        min.resize(seen.size(),
                   walk_.acceleration(cluster) * std::abs(options_.gravitational_constant) / 8);
    }
    std::vector<Vec3<double>> acceleration(seen.size());
    if (output.acceleration.on_device)
        read_some_from_device(first_gpu(options_.device), output.acceleration, seen, acceleration);
    else
        for (std::size_t k = 0; k < seen.size(); ++k)
            acceleration[k] = output.acceleration.load_vector(seen[k]);
    std::size_t small = 0;
    for (std::size_t k = 0; k < seen.size(); ++k)
        small += norm_of_any_size(acceleration[k]) < min[k];
    if (!seen.empty())
        statistics.cancelling_part = double(small) / double(seen.size());
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
