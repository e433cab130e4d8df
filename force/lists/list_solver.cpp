// This solver sums by a tree, or over all pairs.
#include "chamomile/force/lists/list_solver.hpp"

#include <algorithm>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

class ListSolver final : public AdjustableSolver {
public:
    ListSolver(const SolverOptions& resolved, SolverParts parts,
               std::unique_ptr<LongRange> long_range)
        : takes_tracers_(parts.target_builder != nullptr),
          field_(resolved, std::move(parts), std::move(long_range))
    {}

    ForceStatistics evaluate(const Request& request) override { return evaluate(request, {}, {}); }

    /// Sums at one part of the targets, for direct sums. If not null, `numbers` receives the
    /// indices of these targets.
    ForceStatistics evaluate(const Request& request, const TargetPart& part,
                             std::vector<Index>* numbers)
    {
        DomainTreeBuilder* const domains = field_.domains();
        if (!domains)
            require_whole(request);
        if (request.position.on_device && options().tree_built_by == TreeBuiltBy::host)
            throw Error(Fault::usage, "arrays on a GPU: need a tree built by the GPU");
        if (request.position.on_device && !takes_device_arrays())
            throw Error(
                Fault::usage,
                "arrays on a GPU: need a solver on a GPU, and a mesh if the box is periodic");
        if (request.rung && !request.position.on_device)
            throw Error(Fault::usage, "rungs: need arrays on a GPU; pass active particles instead");
        const Traffic before = domains ? domains->ranks().traffic() : Traffic{};
        const Share share = domains ? share_of_rank(request) : share_of_whole(request, part);
        TreeParticles sources{share.sources, request.position, request.mass};
        sources.softening = request.softening;
        ListField::Plan plan{.number = request.number,
                             .softening_length = request.softening_length,
                             .has_long_range = request.long_range != LongRangePart::left_out,
                             .tracers = (domains ? request.part->count : request.count) -
                                        std::size_t(share.all_sources),
                             .all_sources = std::size_t(share.all_sources),
                             .id = request.id.first(std::min(share.sources, request.id.size())),
                             .has_no_listed_targets =
                                 request.are_all_active() && !(domains && request.rung)};
        if (domains) {
            const GlobalCounts& all = *request.part;
            plan.softenings = all.softenings;
            plan.has_potentials = all.has_potentials;
            sources.ranks =
                RowsOfRank{.number = all.number.first(std::min(share.sources, all.number.size())),
                           .first = all.first,
                           .arrangement = all.arrangement,
                           .has_targets = !request.are_all_active() && share.sums_sources,
                           .targets = share.active_sources,
                           .rung = request.rung,
                           .first_rung = request.first};
        }
        // A new tree would change bits, also if an evaluation is tried again.
        const bool keeps = request.keeps_tree && share.all_sources > 0 &&
                           field_.sources_in_cells() == share.all_sources;
        sources.has_same_masses = keeps;
        for (;;)
            try {
                keeps ? field_.refit(sources, plan) : field_.build(sources, plan);
                ForceStatistics statistics = at_share(request, share, part, numbers);
                statistics.kept_tree = keeps;
                if (domains)
                    finish_on_ranks(request, before, statistics);
                return statistics;
            } catch (const OutOfDeviceMemory&) {
                if (domains || !field_.shrink_batches())
                    throw;
            }
    }

    /// Fourier modes are summed on the host.
    bool takes_device_arrays() const override
    {
        return options().device != "cpu" && options().tree_built_by != TreeBuiltBy::host &&
               (!options().is_periodic() || options().periodic.long_range == LongRangeKind::mesh);
    }
    void adjust(const SolverOptions& resolved) override { field_.adjust(resolved); }
    void exchange(Archive& archive) override { field_.exchange(archive); }
    std::string device() const override { return field_.device(); }
    const SolverOptions& options() const override { return field_.options(); }

private:
    /// A Share says which particles in a request are sources, and which are targets.
    struct Share {
        std::size_t sources = 0;       ///< in this request; they come first
        std::uint64_t all_sources = 0; ///< on all ranks
        bool sums_sources = false;     ///< whether any rank has a source that is a target
        std::span<const Index> active_sources = {}; ///< in this request; empty: all
        bool sums_tracers = false;       ///< whether any rank has a tracer that is a target
        std::vector<Index> tracers = {}; ///< in this request, targets only
    };

    /// Returns whether the active particles, in ascending order, are all particles.
    static bool names_all(const Request& request)
    {
        const std::span<const Index> active = request.active;
        for (std::size_t i = 0; i < active.size(); ++i)
            if (active.size() != request.count || active[i] != i)
                return false;
        return true;
    }

    /// Expects active particles in ascending order.
    Share share_of_whole(const Request& request, const TargetPart& part)
    {
        const std::span<const Index> active =
            names_all(request) ? std::span<const Index>() : request.active;
        Share share;
        share.sources = takes_tracers_ && !request.are_all_sources
                            ? sources_of(request, options(), lengths_)
                            : request.count;
        share.all_sources = share.sources;
        if (share.sources == request.count) {
            share.sums_sources = true;
            share.active_sources = active;
            return share;
        }
        std::size_t first = 0; // of the active tracers
        while (first < active.size() && active[first] < share.sources)
            ++first;
        share.active_sources = active.first(first);
        share.sums_sources = share.sources > 0 && (active.empty() || first > 0);
        if (part.part < part.parts - 1) // the last part has all tracers
            return share;
        if (active.empty()) {
            share.tracers.resize(request.count - share.sources);
            std::iota(share.tracers.begin(), share.tracers.end(), Index(share.sources));
        } else
            share.tracers.assign(active.begin() + std::ptrdiff_t(first), active.end());
        share.sums_tracers = !share.tracers.empty();
        return share;
    }

    Share share_of_rank(const Request& request)
    {
        const GlobalCounts& all = *request.part;
        const std::uint64_t tracers = takes_tracers_ ? all.tracers : 0;
        const bool all_active = request.are_all_active();
        const std::uint64_t active_tracers = all_active       ? tracers
                                             : takes_tracers_ ? all.active_tracers
                                                              : 0;
        Share share;
        share.all_sources = all.count - tracers;
        share.sources = request.count;
        while (share.sources > 0 && all.number_of(share.sources - 1) >= share.all_sources)
            --share.sources;
        share.sums_tracers = active_tracers > 0;
        share.sums_sources = share.all_sources > 0 && (all_active || all.active > active_tracers);
        active_.clear();
        for (std::size_t i = share.sources; all_active && i < request.count; ++i)
            share.tracers.push_back(Index(i));
        if (!all_active)
            for (const Index i : request.active)
                (i < share.sources ? active_ : share.tracers).push_back(i);
        share.active_sources = active_;
        lengths_.clear();
        if (tracers > 0 && request.softening)
            lengths_ = cut_softenings(request.softening, request.count, request.softening_length);
        return share;
    }

    /// Sums at the active sources, then at the active tracers as one set of points.
    ForceStatistics at_share(const Request& request, const Share& share, const TargetPart& part,
                             std::vector<Index>* numbers)
    {
        ForceStatistics statistics;
        if (share.sums_sources) {
            statistics = field_.at_sources(
                {share.active_sources, request.rung, request.first, part.part, part.parts},
                outputs_of(request));
            if (numbers)
                *numbers = field_.numbers_of_targets();
        }
        if (!share.sums_tracers)
            return statistics;
        const auto number = [&](std::size_t k) { return share.tracers[k]; };
        add(statistics, at_tracers(request, share.tracers.size(), number));
        if (numbers)
            numbers->insert(numbers->end(), share.tracers.begin(), share.tracers.end());
        return statistics;
    }

    /// Replaces statistics by those of all ranks, and repairs non-finite sums.
    void finish_on_ranks(const Request& request, const Traffic& before, ForceStatistics& statistics)
    {
        DomainTreeBuilder& domains = *field_.domains();
        share_figures(statistics, field_.consume_figures(), before, domains.ranks());
        if (statistics.ranks->not_finite > 0)
            field_.repair_rows(request);
        MigrationPlan* const places = request.part->places;
        if (!places || !request.are_all_active())
            return;
        places->begins = domains.leaving_begins();
        places->leaving = [&part = domains.part()] { return part.leaving(); };
        places->arriving = [&part = domains.part()] { return part.arriving(); };
    }

    /// Sums at the n tracers with indices number(k).
    template <class Number>
    ForceStatistics at_tracers(const Request& request, std::size_t n, const Number& number)
    {
        const bool stores = request.long_range == LongRangePart::stored;
        std::vector<Vec3<double>> place(n), acceleration(n), long_range(stores ? n : 0);
        std::vector<double> potential(request.potential ? n : 0), lengths;
        for (std::size_t k = 0; k < n; ++k)
            place[k] = request.position.load_vector(number(k));
        for (std::size_t k = 0; !lengths_.empty() && k < n; ++k)
            lengths.push_back(lengths_[number(k)]);
        ForceStatistics statistics;
        statistics.targets = n;
        if (field_.size() > 0)
            statistics = field_.at_points(
                {.count = n,
                 .position = view_of(std::span(place)),
                 .softening = lengths.empty() ? ArrayView{} : view_of(std::span(lengths))},
                {view_of(std::span(acceleration)), view_of(std::span(potential)),
                 request.long_range, view_of(std::span(long_range))});
        for (std::size_t k = 0; k < n; ++k) {
            request.acceleration.store_vector(number(k), acceleration[k]);
            if (stores)
                request.long_range_acceleration.store_vector(
                    number(k),
                    request.long_range_acceleration.load_vector(number(k)) + long_range[k]);
            if (request.potential)
                request.potential.store(number(k), 0, potential[k]);
        }
        return statistics;
    }

    static ListField::Outputs outputs_of(const Request& request)
    {
        return {request.acceleration, request.potential, request.long_range,
                request.long_range_acceleration};
    }

    bool takes_tracers_;
    std::vector<double> lengths_; // per particle, if tracers have per-particle softening
    std::vector<Index> active_;   // local sources
    ListField field_;
};

class HostDirectSolver final : public DirectSolver {
public:
    explicit HostDirectSolver(const SolverOptions& resolved)
        : lists_(resolved, make_parts(resolved, true), {})
    {}

    ForceStatistics evaluate(const Request& request) override { return lists_.evaluate(request); }
    ForceStatistics evaluate_part(const Request& request, const TargetPart& part,
                                  std::vector<Index>& numbers) override
    {
        numbers.clear();
        return lists_.evaluate(request, part, &numbers);
    }
    std::string device() const override { return lists_.device(); }
    const SolverOptions& options() const override { return lists_.options(); }

private:
    ListSolver lists_;
};

} // namespace

std::size_t sources_of(const Request& request, const SolverOptions& options,
                       std::vector<double>& lengths)
{
    std::size_t n = request.count;
    while (n > 0 && request.mass && request.mass.load(n - 1) == 0)
        --n;
    if (n == request.count || (n == 0 && options.is_periodic()))
        return request.count;
    lengths.clear();
    if (!request.softening)
        return n;
    lengths = cut_softenings(request.softening, request.count, request.softening_length);
    const auto differs = [&lengths](double length) { return length != lengths.front(); };
    const auto tracers = lengths.begin() + std::ptrdiff_t(n);
    const bool is_one = std::none_of(lengths.begin(), tracers, differs);
    return is_one && std::any_of(tracers, lengths.end(), differs) ? request.count : n;
}

GroupSizes group_sizes(const SolverOptions& options)
{
    GroupSizes sizes{options.group_size, options.cluster_size};
    if (options.solver == SolverKind::tree) {
        const bool on_host = options.device == "cpu";
        sizes.few = on_host ? 16 : 0; // a pack; a GPU would wait for the longest list
        sizes.sparse = 1000;
    }
    return sizes;
}

GroupSizes sizes_of_points(const SolverOptions& options, std::size_t points, std::size_t sources)
{
    const double part = double(points) / double(sources);
    GroupSizes sizes{options.group_size, options.cluster_size};
    if (options.solver != SolverKind::tree || part >= 1)
        return sizes;
    const double max = options.group_size, min = options.device == "cpu" ? 16 : 32;
    const double group = std::max(std::min(min, max), part * max);
    sizes.group = int(group);
    sizes.cluster = std::max(1, int(options.cluster_size * part * max / group));
    return sizes;
}

AcceptanceCriterion criterion_of(const SolverOptions& options, std::optional<double> min_length)
{
    AcceptanceCriterion criterion;
    criterion.kind = options.criterion;
    criterion.theta = options.theta;
    criterion.tolerance = options.tolerance;
    criterion.order = options.order;
    criterion.local_order = options.local_order;
    criterion.softening = options.softening.length;
    criterion.softening_reach = form_of(options.softening.kind).reach;
    criterion.softening_rule = options.softening.rule;
    if (min_length)
        criterion.min_softening_squared = *min_length * *min_length; // clearance is per cell
    else
        criterion.clearance = options.softening.reach();
    return criterion;
}

std::unique_ptr<AdjustableSolver> make_list_solver(const SolverOptions& resolved, SolverParts parts,
                                                   std::unique_ptr<LongRange> long_range)
{
    return std::make_unique<ListSolver>(resolved, std::move(parts), std::move(long_range));
}

std::unique_ptr<DirectSolver> make_host_direct_solver(const SolverOptions& resolved)
{
    return std::make_unique<HostDirectSolver>(resolved);
}

} // namespace chamomile
