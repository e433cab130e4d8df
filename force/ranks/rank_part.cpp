#include "chamomile/force/ranks/rank_part.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/lists/single_target.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

Vec3<double> item(const ArrayView& array, std::size_t i, const Vec3<double>*)
{
    return array.load_vector(i);
}
double item(const ArrayView& array, std::size_t i, const double*)
{
    return array ? array.load(i) : 1; // masses that are all 1
}

/// Returns how many particles of a part are sources, where so many of all are.
std::uint64_t sources_of_part(const Request& request, std::uint64_t sources)
{
    const RequestPart& part = *request.part;
    if (part.number.empty())
        return std::min<std::uint64_t>(request.count, std::max(sources, part.first) - part.first);
    const auto tracers = std::partition_point(part.number.begin(), part.number.end(),
                                              [&](Index number) { return number < sources; });
    return std::uint64_t(tracers - part.number.begin());
}

/// Tells which card a rank has, so that all can compare.
struct CardName {
    char text[320] = {};
};

} // namespace

SolverOptions options_of(const Order& order)
{
    SolverOptions o;
    o.softening = order.softening;
    o.solver = order.solver;
    o.gravitational_constant = order.gravitational_constant;
    static_cast<ListOptions&>(o) = order.lists;
    o.precision = order.precision;
    o.instruction_set = order.instruction_set;
    o.device = order.device;
    return o;
}

template <class T>
std::span<const T> dense_items(const ArrayView& array, std::size_t n, std::pmr::vector<T>& copy)
{
    if (array.is_dense())
        return {reinterpret_cast<const T*>(array.component[0]), n};
    copy.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        copy[i] = item(array, i, copy.data());
    return copy;
}

template std::span<const double> dense_items(const ArrayView&, std::size_t,
                                             std::pmr::vector<double>&);
template std::span<const Vec3<double>> dense_items(const ArrayView&, std::size_t,
                                                   std::pmr::vector<Vec3<double>>&);

Order Order::of(const SolverOptions& o)
{
    Order order;
    order.task = Task::prepare;
    order.softening = o.softening;
    order.gravitational_constant = o.gravitational_constant;
    order.solver = o.solver;
    order.lists = o;
    order.precision = o.precision;
    order.share_gpu = o.share_gpu;
    o.instruction_set.copy(order.instruction_set, sizeof order.instruction_set - 1);
    return order;
}

Order Order::of(const SolverOptions& o, const Request& request)
{
    Order order = of(o);
    order.task = Task::evaluate;
    order.has_own_rows = request.part.has_value();
    order.count = request.part ? request.part->count : request.count;
    if (request.part ? request.part->has_potentials : bool(request.potential))
        order.quantities = Quantities::acceleration_potential;
    if (o.decorrelate)
        order.placement = random_placement(*o.decorrelate, request.number);
    std::vector<double> lengths;
    if (o.device == "cpu") // else they are sources too
        order.count = request.part ? request.part->count - request.part->tracers
                                   : sources_of(request, o, lengths);
    order.take_targets(request);
    const SofteningLengths found =
        request.part
            ? softening_lengths(request.part->softenings, request.softening_length, o)
            : softening_lengths(request.softening, order.count, request.softening_length, o);
    order.softening.length = found.length;
    order.least_softening = found.least;
    order.most_softening = request.softening_length.value_or(HUGE_VAL);
    return order;
}

void refuse_arrays(const Request& request)
{
    if (request.position.on_device || request.rung)
        throw Error(Fault::usage, "ranks: arrays: must lie on the host");
    const auto highest = std::max_element(request.active.begin(), request.active.end());
    if (highest != request.active.end() && *highest >= request.count)
        throw Error(Fault::input, "active particles: index: " + std::to_string(*highest) +
                                      ": must be below " + std::to_string(request.count));
}

ForceStatistics RankPart::carry_out(const Order& order, const Request* request)
{
    return ranks_.as_one([&]() -> ForceStatistics {
        if (order.task == Order::Task::evaluate) {
            take_machine(order); // as it is prepared, unless another solver came between
            return evaluate(order, request);
        }
        ranks_.together([&] { take_machine(order); });
        work_.clear(); // of other particles
        points_.reset();
        if (!order.share_gpu)
            refuse_shared(order.device);
        return {};
    });
}

/// Makes what evaluates the lists, or sums directly, unless that is there.
void RankPart::take_machine(const Order& order)
{
    if (order.solver == SolverKind::direct)
        return take_direct_solver(order);
    Machine machine{order.instruction_set, order.device, order.precision};
    if (machine_ == machine)
        return;
    evaluator_.reset();
    if (!machine_ || machine_->instruction_set != machine.instruction_set) {
        tree_.emplace(ranks_, machine.instruction_set);
        made_by_ = 0;
    }
    machine_.reset();
    const int card = card_of(machine.device);
    evaluator_ = card < 0 ? make_host_evaluator(machine.precision, machine.instruction_set)
                          : make_cuda_evaluator(card, machine.precision);
    machine_ = std::move(machine);
}

/// Returns which of those of this machine is this rank's card; -1: none.
int RankPart::card_of(const std::string& device) const
{
    const std::vector<int> cards = choose_gpus(device);
    return cards.empty() ? -1 : cards[std::size_t(ranks_.rank_on_host()) % cards.size()];
}

/// Throws Agreed where two ranks have one GPU: a launcher may show each process a card of its own,
/// all as number 0.
void RankPart::refuse_shared(const std::string& device)
{
    const int card = card_of(device);
    if (card < 0)
        return;
    CardName name;
    gpu_identity(card).copy(name.text, sizeof name.text - 1);
    const std::vector<CardName> names = ranks_.all_gather(name);
    for (std::size_t r = 0; r < names.size(); ++r)
        for (std::size_t q = 0; q < r; ++q)
            if (std::string_view(names[q].text) == names[r].text)
                throw Agreed(Fault::usage,
                             "--device: " + device + ": ranks " + std::to_string(q) + " and " +
                                 std::to_string(r) + " would share a GPU (" + names[r].text +
                                 "): must be one rank for each; --share-gpu lets them share");
}

ForceStatistics RankPart::evaluate(const Order& of_all, const Request* request)
{
    if (of_all.solver == SolverKind::direct)
        return evaluate_directly(of_all, request);
    ForceStatistics statistics;
    const SolverOptions options = options_of(of_all);
    const Traffic before = ranks_.traffic();
    const bool keeps = keeps_cells(of_all);
    Order order = of_all;
    if (order.has_own_rows) // the sources among them
        order.count = sources_of_part(*request, of_all.count);
    take_rows(order, request, keeps, statistics.profile);
    const DomainPlan plan{.tree = {.leaf_size = options.leaf_size,
                                   .groups = group_sizes(options),
                                   .criterion = criterion_of(options, order.least_softening),
                                   .placement = order.placement},
                          .has_lists = order.sums_sources};
    if (keeps) {
        tree_->refit(rows_, plan, statistics.profile);
    } else {
        tree_->build(rows_, plan, statistics.profile);
        made_by_ = order.number;
    }
    Figures figures;
    if (order.sums_sources) {
        sum(order, options, statistics, figures);
        give_back(order, request, statistics.profile);
        if (order.has_own_rows && request->part->places && !order.has_targets)
            tell_places(*request->part->places);
    }
    add_figures(figures, before, order.sums_sources ? tree_->targets() : 0, statistics);
    if (order.tracers > 0)
        add(statistics, sum_tracers(order, request, options));
    if (order.has_own_rows && statistics.ranks->not_finite > 0)
        repair(of_all, *request);
    statistics.kept_tree = keeps;
    return statistics;
}

/// Tells where this rank's sources are in the tree, and notes the work of those that it would get.
void RankPart::tell_places(PartPlaces& places)
{
    const std::span<const Index> leaving = tree_->leaving(), order = tree_->own().order;
    const std::size_t n = tree_->size();
    places.leaving.assign(leaving.begin(), leaving.end());
    places.begins = tree_->leaving_begins();
    places.arriving.assign(order.begin(), order.begin() + std::ptrdiff_t(n));
    placed_work_.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k)
        placed_work_[k] = arrived_work_[order[k]];
}

/// Returns whether all ranks have the cells that the order would keep; else they are to make new
/// ones. A rank may have those of another solver of rank 0.
bool RankPart::keeps_cells(const Order& order)
{
    bool keeps = order.kept_tree > 0;
    const std::uint64_t made = order.has_own_rows == are_own_rows_ ? made_by(order.solver) : 0;
    if (keeps)
        for (const std::uint64_t number : ranks_.all_gather(made))
            keeps = keeps && number == order.kept_tree;
    if (keeps)
        return true;
    are_own_rows_ = order.has_own_rows;
    if (order.solver == SolverKind::direct) {
        if (direct_)
            direct_->made_by = 0; // until they are made
        return false;
    }
    direct_.reset(); // which takes the memory of all particles
    direct_solver_.reset();
    direct_machine_.reset();
    made_by_ = 0;
    in_cells_ = order.count;
    return false;
}

/// Sums the lists of this rank's targets: sources, or these points beside them.
void RankPart::sum(const Order& order, const SolverOptions& options, ForceStatistics& statistics,
                   Figures& figures, const DomainTree* points)
{
    const Tree& tree = tree_->tree();
    const DomainTree& targets = points ? *points : *tree_;
    const TargetGroups& groups = targets.groups();
    const std::size_t n = targets.size();
    acceleration_.resize(n);
    potential_.resize(order.quantities == Quantities::acceleration_potential ? n : 0);
    arrived_work_.resize(n);
    if (order.has_targets) // other particles take no work
        std::fill(arrived_work_.begin(), arrived_work_.end(), 0.0F);
    work_of_target_.resize(groups.target_count);
    const double mass = tree_->total() == 0 ? 0 : tree.moments.multipole[0].mass;
    const InternalScale scale = this->scale(options);
    ForceOutput output{view_of(std::span(acceleration_)), {}};
    if (order.quantities == Quantities::acceleration_potential)
        output.potential = view_of(std::span(potential_));
    ranks_.together([&] {
        if (!std::isfinite(mass))
            throw Error(Fault::input, "masses: sum: overflows: must be finite");
        output.set_units(options.gravitational_constant, scale);
    });
    const EvaluationInput input{.octree = &tree.octree,
                                .moments = &tree.moments,
                                .groups = &groups,
                                .scale = scale,
                                .softening = options.softening,
                                .order = options.order,
                                .quantities = order.quantities,
                                .local_order = options.local_order,
                                .output = output,
                                .separate = {points ? &points->own() : nullptr},
                                .active = targets.active(),
                                .targets_of_ranks = tree_->targets(),
                                .nodes = &tree.nodes,
                                .work = std::span(work_of_target_),
                                .groups_per_cluster = options.cluster_size};
    bool are_open = false;
    do
        batch_limit_.try_until_it_fits([&] {
            evaluator_->begin(input);
            are_open = evaluator_->finishes_lists();
            submit_batches(
                groups, *evaluator_, batch_limit_.batch_size(options.batch_size, *evaluator_),
                [&](InteractionLists& lists, std::size_t first, std::size_t last) {
                    if (are_open)
                        return tree_->open(lists, first, last);
                    tree_->list(lists, first, last);
                    Index g = groups.clusters[first].first_group;
                    for (ListRow& row : lists.rows)
                        if (points)
                            row.near_distance = near_distance(groups.groups[g++], scale.length);
                    note_work(lists, options.cluster_size, targets);
                },
                statistics);
        });
    while (needs_repetition(statistics));
    {
        const TimedPhase phase(statistics.profile, "results");
        figures.not_finite = evaluator_->finish();
    }
    const std::size_t noted = are_open ? groups.target_count : 0; // by the evaluator
#pragma omp parallel for if (noted > worth_threads) schedule(static)
    for (std::size_t t = 0; t < noted; ++t)
        arrived_work_[targets.own().order[groups.target(t)]] = work_of_target_[t];
    evaluator_->add_statistics(statistics);
    figures.bytes_to_device = statistics.bytes_to_device;
    figures.bytes_from_device = statistics.bytes_from_device;
    figures.device_busy = statistics.device_busy;
    figures.device_span = statistics.device_span;
    figures.device_wait = statistics.device_wait;
    figures.particle_particle = statistics.particle_particle;
    figures.particle_cell = statistics.particle_cell;
    figures.expansions = statistics.expansions;
    figures.groups = groups.groups.size();
    figures.cells = tree_->local_cells();
    figures.imported_particles = tree_->essential().particles.size();
    figures.imported_cells = tree_->essential().cells.size();
    std::uint64_t work = 0;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : work)
    for (std::size_t i = 0; i < n; ++i)
        work += std::uint64_t(arrived_work_[i]);
    figures.work = work;
    figures.partners = std::uint64_t(tree_->essential().partners);
    figures.import_bytes = tree_->import_bytes();
    figures.memory = memory();
}

bool RankPart::needs_repetition(ForceStatistics& statistics)
{
    const TimedPhase phase(statistics.profile, "results");
    return evaluator_->needs_repetition();
}

/// Notes the work of each target, by which the next domains are cut.
void RankPart::note_work(const InteractionLists& lists, int groups_per_cluster,
                         const DomainTree& tree)
{
    const auto& order = tree.own().order;
    for (const ListRow& row : lists.rows) {
        const ClusterRow* cluster =
            row.cluster == no_cluster ? nullptr : &lists.clusters[row.cluster];
        const double shared =
            cluster ? double(cluster->far_end - cluster->far_begin) / groups_per_cluster : 0;
        const float work =
            row_work(row.target_end - row.target_begin, row.particle_count,
                     row.cell_end - row.cell_begin, shared + row.far_end - row.far_begin);
        for (Index t = row.target_begin; t < row.target_end; ++t)
            arrived_work_[order[tree.groups().target(t)]] = work;
    }
}

/// Brings the sums to the rows, and those of a run to the caller's particles.
void RankPart::give_back(const Order& order, const Request* request, Profile& profile)
{
    const TimedPhase phase(profile, "results");
    work_.resize(rows_.size());
    tree_->send_home<float>(arrived_work_, [&](Index i, float work) { work_[i] = work; });
    bring<Vec3<double>>(
        acceleration_, order, row_acceleration_,
        [&](std::size_t i, const Vec3<double>& a) { request->acceleration.store_vector(i, a); });
    if (order.quantities == Quantities::acceleration_potential)
        bring<double>(potential_, order, row_potential_,
                      [&](std::size_t i, double value) { request->potential.store(i, 0, value); });
}

/// Stores the values of the targets where the caller wants them: on the ranks that have the rows,
/// or on rank 0 by way of `rows`.
template <class T, class Store>
void RankPart::bring(std::span<const T> sums, const Order& order, Memory<T>& rows,
                     const Store& store)
{
    if (order.has_own_rows)
        return tree_->send_home<T>(sums, store);
    rows.resize(rows_.size());
    tree_->send_home<T>(sums, [&](Index i, const T& value) { rows[i] = value; });
    std::vector<T> packed;
    std::span<const T> values = rows;
    if (order.has_targets) {
        packed.reserve(target_rows_.size());
        for (const Index i : target_rows_)
            packed.push_back(rows[i]);
        values = packed;
    }
    ranks_.collect(values, collected_); // all in the order of ranks
    values = collected_.all<T>();
#pragma omp parallel for if (values.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i)
        store(order.has_targets ? active_[i] : i, values[i]);
}

} // namespace chamomile
