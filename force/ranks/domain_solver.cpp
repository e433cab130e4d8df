// Rank 0 holds the particles of its caller and sends each rank an equal run of them. From there on
// all ranks are alike: each sorts its run, gets the particles of its domain, makes their lists and
// sums, and the sums go back by the same two ways.
#include "chamomile/force/ranks/domain_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/domain/domain_tree.hpp"
#include "chamomile/force/lists/list_batches.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile {
namespace {

/// An Order tells the other ranks what rank 0 evaluates.
struct Order {
    bool ends = false; ///< nothing more will come
    std::uint64_t count = 0;
    Quantities quantities = Quantities::acceleration;
    CubePlacement placement;
    Softening softening;
    double gravitational_constant = 1;
    ListOptions lists;
    Precision precision = Precision::single_precision;
    int threads = 1;         ///< of each rank
    double time_limit = 600; ///< Communicator::time_limit()
    char instruction_set[16] = {};
};

Order order_of(const SolverOptions& o, const Request& request)
{
    Order order{.ends = false,
                .count = request.count,
                .quantities = request.potential ? Quantities::acceleration_potential
                                                : Quantities::acceleration,
                .placement = o.decorrelate ? random_placement(*o.decorrelate, request.number)
                                           : CubePlacement{},
                .softening = o.softening,
                .gravitational_constant = o.gravitational_constant,
                .lists = o,
                .precision = o.precision};
    order.softening.length = request.softening_length.value_or(o.softening.length);
    o.instruction_set.copy(order.instruction_set, sizeof order.instruction_set - 1);
    return order;
}

SolverOptions options_of(const Order& order)
{
    SolverOptions o;
    o.softening = order.softening;
    o.gravitational_constant = order.gravitational_constant;
    static_cast<ListOptions&>(o) = order.lists;
    o.precision = order.precision;
    o.instruction_set = order.instruction_set;
    o.device = "cpu";
    return o;
}

/// Figures are what one rank did, as numbers of one kind.
struct Figures {
    std::uint64_t particle_particle = 0, particle_cell = 0, expansions = 0, groups = 0, cells = 0,
                  not_finite = 0, imported_particles = 0, imported_cells = 0, bytes = 0, work = 0;
};

/// The run of particles that a rank gets of all, by caller's number.
std::size_t first_of_run(std::uint64_t count, int rank, int ranks)
{
    return std::size_t(count * std::uint64_t(rank) / std::uint64_t(ranks));
}

/// A RankPart does the same on each rank.
class RankPart {
public:
    explicit RankPart(Communicator& ranks) : ranks_(ranks) {}

    /// Carries out an order; rank 0 gives its request.
    ForceStatistics evaluate(const Order& order, const Request* request)
    {
        try {
            return evaluate_all(order, request);
        } catch (const Agreed& error) {
            throw Error(error.fault(), error.what());
        } catch (const PeerFailed&) {
            throw;
        } catch (...) {
            const Error error = error_of(std::current_exception());
            ranks_.fail(error);
            throw PeerFailed(error.fault(), of_rank(ranks_.rank(), ranks_.size(), error).what());
        }
    }

private:
    ForceStatistics evaluate_all(const Order& order, const Request* request)
    {
        ForceStatistics statistics;
        const SolverOptions options = options_of(order);
        if (!tree_ || instruction_set_ != options.instruction_set ||
            precision_ != options.precision) {
            tree_.emplace(ranks_, options.instruction_set);
            evaluator_ = make_host_evaluator(options.precision, options.instruction_set);
            instruction_set_ = options.instruction_set;
            precision_ = options.precision;
        }
        const std::uint64_t bytes = ranks_.traffic().bytes;
        take_run(order, request, statistics.profile);
        tree_->build({positions_, masses_, work_},
                     {{.leaf_size = options.leaf_size,
                       .cluster_size = Index(options.group_size * options.cluster_size),
                       .criterion = criterion_of(options),
                       .placement = order.placement},
                      group_sizes(options)},
                     statistics.profile);
        Figures figures;
        sum(order, options, statistics, figures);
        give_back(order, request, statistics.profile);
        figures.bytes = ranks_.traffic().bytes - bytes;
        add_figures(figures, statistics);
        return statistics;
    }

    /// Gets this rank's run of the particles.
    void take_run(const Order& order, const Request* request, Profile& profile)
    {
        const TimedPhase phase(profile, "deal");
        std::vector<Source> all;
        std::vector<std::span<const Source>> to{std::size_t(ranks_.size())};
        if (request) {
            all.resize(request->count);
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < request->count; ++i)
                all[i] = {request->position.load_vector(i),
                          request->mass ? request->mass.load(i) : 1};
            for (int r = 0; r < ranks_.size(); ++r) {
                const std::size_t begin = first_of_run(order.count, r, ranks_.size());
                to[std::size_t(r)] = std::span(all).subspan(
                    begin, first_of_run(order.count, r + 1, ranks_.size()) - begin);
            }
        }
        const std::vector<Parcel> parcels = ranks_.all_to_all<Source>(to);
        const auto mine = parcels[0].as<Source>();
        if (mine.size() != positions_.size())
            work_.clear(); // of other particles
        positions_.resize(mine.size());
        masses_.resize(mine.size());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            positions_[i] = mine[i].position;
            masses_[i] = mine[i].mass;
        }
    }

    /// Sums the lists of this rank's targets.
    void sum(const Order& order, const SolverOptions& options, ForceStatistics& statistics,
             Figures& figures)
    {
        const Tree& tree = tree_->tree();
        const TargetGroups& groups = tree_->groups();
        const std::size_t n = tree_->size();
        acceleration_.resize(n);
        potential_.resize(order.quantities == Quantities::acceleration_potential ? n : 0);
        arrived_work_.assign(n, 0);
        const bool empty = tree_->total() == 0;
        const double side = empty ? 0 : tree.moments.bounds[0].longest_side(),
                     mass = empty ? 0 : tree.moments.multipole[0].mass;
        const InternalScale scale = InternalScale::of(side, options.softening.length, mass);
        ForceOutput output{view_of(std::span(acceleration_)), {}};
        if (order.quantities == Quantities::acceleration_potential)
            output.potential = view_of(std::span(potential_));
        ranks_.together([&] {
            if (!std::isfinite(mass))
                throw Error(Fault::input, "masses: sum: overflows: must be finite");
            output.set_units(options.gravitational_constant, scale);
        });
        evaluator_->begin({.octree = &tree.octree,
                           .moments = &tree.moments,
                           .groups = &groups,
                           .scale = scale,
                           .softening = options.softening,
                           .order = options.order,
                           .quantities = order.quantities,
                           .local_order = options.local_order,
                           .output = output});
        submit_batches(
            groups, *evaluator_, options.batch_size,
            [&](InteractionLists& lists, std::size_t first, std::size_t last) {
                tree_->list(lists, first, last);
                note_work(lists, options.cluster_size);
            },
            statistics);
        figures.not_finite = evaluator_->finish();
        figures.particle_particle = statistics.particle_particle;
        figures.particle_cell = statistics.particle_cell;
        figures.expansions = statistics.expansions;
        figures.groups = groups.groups.size();
        figures.cells = tree_->local_cells();
        figures.imported_particles = tree_->essential().particles.size();
        figures.imported_cells = tree_->essential().cells.size();
        figures.work =
            std::uint64_t(std::accumulate(arrived_work_.begin(), arrived_work_.end(), 0.0));
    }

    /// Notes the work of each target, by which the next domains are cut: in pairs of particles, of
    /// which a pair with a cell takes 2.2 times as long and an expansion 43 times.
    void note_work(const InteractionLists& lists, int groups_per_cluster)
    {
        const auto& order = tree_->tree().octree.order;
        for (const ListRow& row : lists.rows) {
            const ClusterRow* cluster =
                row.cluster == no_cluster ? nullptr : &lists.clusters[row.cluster];
            const double shared =
                cluster ? double(cluster->far_end - cluster->far_begin) / groups_per_cluster : 0;
            const double targets = double(row.target_end - row.target_begin),
                         work = row.particle_count + 2.2 * (row.cell_end - row.cell_begin) +
                                43 * (shared + row.far_end - row.far_begin) / targets;
            for (Index t = row.target_begin; t < row.target_end; ++t)
                arrived_work_[order[t]] = float(work);
        }
    }

    /// Brings the sums to the rows, and from there to the caller's particles.
    void give_back(const Order& order, const Request* request, Profile& profile)
    {
        const TimedPhase phase(profile, "results");
        const std::size_t n = positions_.size();
        work_.resize(n);
        tree_->send_home<float>(arrived_work_, work_);
        std::vector<Vec3<double>> acceleration(n);
        tree_->send_home<Vec3<double>>(acceleration_, acceleration);
        collect<Vec3<double>>(acceleration, order, [&](std::size_t i, const Vec3<double>& a) {
            request->acceleration.store_vector(i, a);
        });
        if (order.quantities == Quantities::acceleration)
            return;
        std::vector<double> potential(n);
        tree_->send_home<double>(potential_, potential);
        collect<double>(potential, order, [&](std::size_t i, double value) {
            request->potential.store(i, 0, value);
        });
    }

    /// Sends the values of the rows to rank 0, which stores them.
    template <class T, class Store>
    void collect(std::span<const T> values, const Order& order, const Store& store)
    {
        std::vector<std::span<const T>> to{std::size_t(ranks_.size())};
        to[0] = values;
        const std::vector<Parcel> parcels = ranks_.all_to_all<T>(to);
        for (int r = 0; r < ranks_.size(); ++r) {
            const auto from = parcels[std::size_t(r)].template as<T>();
            const std::size_t begin = first_of_run(order.count, r, ranks_.size());
#pragma omp parallel for schedule(static)
            for (std::size_t k = 0; k < from.size(); ++k)
                store(begin + k, from[k]);
        }
    }

    void add_figures(const Figures& mine, ForceStatistics& statistics)
    {
        Figures all;
        std::uint64_t most = 0;
        for (const Figures& one : ranks_.all_gather(mine)) {
            all.particle_particle += one.particle_particle;
            all.particle_cell += one.particle_cell;
            all.expansions += one.expansions;
            all.groups += one.groups;
            all.cells += one.cells;
            all.not_finite += one.not_finite;
            all.imported_particles += one.imported_particles;
            all.imported_cells += one.imported_cells;
            all.bytes += one.bytes;
            all.work += one.work;
            most = std::max(most, one.work);
        }
        statistics.particle_particle = all.particle_particle;
        statistics.particle_cell = all.particle_cell;
        statistics.expansions = all.expansions;
        statistics.targets = tree_->total();
        statistics.groups = all.groups;
        statistics.cells = all.cells;
        statistics.ranks = RankStatistics{
            .imported_particles = all.imported_particles,
            .imported_cells = all.imported_cells,
            .bytes = all.bytes,
            .imbalance = all.work > 0 ? double(most) * ranks_.size() / double(all.work) : 1,
            .not_finite = all.not_finite};
    }

    Communicator& ranks_;
    std::optional<DomainTree> tree_;
    std::unique_ptr<Evaluator> evaluator_;
    std::string instruction_set_;
    Precision precision_ = Precision::single_precision;
    std::vector<Vec3<double>> positions_; // this rank's run
    std::vector<double> masses_;
    std::vector<float> work_;                // of the run, in the last evaluation
    std::vector<Vec3<double>> acceleration_; // of this rank's targets
    std::vector<double> potential_;
    std::vector<float> arrived_work_;
};

/// Uses so many threads as long as it lives.
class ThreadCount {
public:
    explicit ThreadCount(int threads) : before_(thread_count()) { use_threads(threads); }
    ~ThreadCount() { use_threads(before_); }
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    int before_;
};

class DomainSolver final : public Solver {
public:
    DomainSolver(const SolverOptions& resolved, Communicator& ranks)
        : options_(resolved), ranks_(ranks), part_(ranks)
    {}

    ForceStatistics evaluate(const Request& request) override
    {
        if (request.position.on_device || request.rung)
            throw Error(Fault::usage, "ranks: arrays: must lie on the host");
        if (!request.active.empty())
            throw Error(Fault::usage, "ranks: active particles: must be all");
        if (request.softening)
            throw Error(Fault::usage, "ranks: softening lengths: must be one");
        Order order = order_of(options_, request);
        order.threads = ranks_.share_of_threads(thread_count());
        order.time_limit = ranks_.time_limit();
        ranks_.broadcast(std::as_bytes(std::span(&order, 1)));
        const ThreadCount threads(order.threads);
        const ForceStatistics statistics = part_.evaluate(order, &request);
        if (statistics.ranks->not_finite > 0)
            repair(request);
        return statistics;
    }

    std::string device() const override
    {
        return "CPU, " + options_.instruction_set + ", " + std::to_string(ranks_.size()) +
               " ranks of " + std::to_string(ranks_.share_of_threads(thread_count())) + " threads";
    }
    const SolverOptions& options() const override { return options_; }

private:
    /// Sums particles that are closer to another than float can tell again, in double.
    void repair(const Request& request)
    {
        Particles particles = particles_of(request);
        std::vector<Index> singular;
        for (std::size_t i = 0; i < request.count; ++i) {
            particles.acceleration[i] = request.acceleration.load_vector(i);
            particles.potential[i] = request.potential ? request.potential.load(i) : 0;
            const Vec3<double>& a = particles.acceleration[i];
            if (!std::isfinite(a.x + a.y + a.z + particles.potential[i]))
                singular.push_back(Index(i));
        }
        SolverOptions exact = options_;
        exact.softening.length = request.softening_length.value_or(exact.softening.length);
        repair_singular_targets(particles, singular, exact, Quantities::acceleration_potential);
        for (const Index i : singular) {
            request.acceleration.store_vector(i, particles.acceleration[i]);
            if (request.potential)
                request.potential.store(i, 0, particles.potential[i]);
        }
    }

    SolverOptions options_;
    Communicator& ranks_;
    RankPart part_;
};

} // namespace

std::optional<std::string> ranks_refusal(const SolverOptions& o)
{
    if (o.solver != SolverKind::tree)
        return "--ranks, or several processes: need --solver tree";
    if (o.is_periodic())
        return "--ranks, or several processes: are not for periodic boxes";
    if (o.accuracy)
        return "--ranks, or several processes: are not for --accuracy; give --tolerance";
    if (o.softening.is_varied || !o.type_softenings.empty())
        return "--ranks, or several processes: know one softening length";
    if (o.device != "auto" && o.device != "cpu")
        return "--device " + o.device + ": --ranks, or several processes, compute on processors";
    return {};
}

std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options)
{
    require(ranks_refusal(options), plain_names_of_forces());
    SolverOptions on_host = options;
    on_host.device = "cpu";
    on_host.ranks = nullptr; // those that take these options over have one rank
    return std::make_unique<DomainSolver>(resolved(on_host), *options.ranks);
}

void serve_solver(Communicator& ranks)
{
    RankPart part(ranks);
    for (;;) {
        const Parcel parcel = ranks.broadcast({}, Patience::endless);
        const Order& order = parcel.as<Order>()[0];
        if (order.ends)
            return;
        use_threads(order.threads);
        ranks.set_time_limit(order.time_limit);
        try {
            part.evaluate(order, nullptr);
        } catch (const PeerFailed&) {
            throw;
        } catch (const Error&) { // all ranks know, and rank 0 tells
        }
    }
}

void end_serving(Communicator& ranks)
{
    Order order;
    order.ends = true;
    if (ranks.size() > 1 && !ranks.has_failed())
        ranks.broadcast(std::as_bytes(std::span(&order, 1)));
}

} // namespace chamomile
