// This solver sums all particles by a tree, or over all pairs.
#include "chamomile/force/lists/list_solver.hpp"

#include <algorithm>

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

    /// Sums at that part of the targets, of direct sums; `numbers` get those of the targets, unless
    /// nobody asks.
    ForceStatistics evaluate(const Request& request, const TargetPart& part,
                             std::vector<Index>* numbers)
    {
        require_whole(request);
        if (request.position.on_device && !takes_device_arrays())
            throw Error(Fault::usage, "arrays on a device: need a GPU, and in boxes a mesh");
        if (request.rung && !request.position.on_device)
            throw Error(Fault::usage, "rungs: are those of arrays on a device; name active ones");
        const std::size_t count = takes_tracers_ && !request.are_all_sources
                                      ? sources_of(request, options(), lengths_)
                                      : request.count;
        TreeParticles sources{count, request.position, request.mass};
        sources.softening = request.softening;
        const ListField::Plan plan{.number = request.number,
                                   .softening_length = request.softening_length,
                                   .has_long_range = request.long_range != LongRangePart::left_out,
                                   .tracers = request.count - count,
                                   .id = request.id.first(std::min(count, request.id.size()))};
        // Other cells would make other bits, also where an evaluation is tried again.
        const bool keeps = request.keeps_tree && count > 0 && field_.sources_in_cells() == count;
        sources.has_same_masses = keeps;
        for (;;)
            try {
                keeps ? field_.refit(sources, plan) : field_.build(sources, plan);
                if (count < request.count)
                    return with_tracers(request, count, keeps, part, numbers);
                const ForceStatistics statistics = field_.at_sources(
                    {request.active, request.rung, request.first, part.part, part.parts},
                    outputs_of(request));
                if (numbers)
                    *numbers = field_.numbers_of_targets();
                return statistics;
            } catch (const OutOfDeviceMemory&) {
                if (!field_.shrink_batches())
                    throw;
            }
    }

    /// Fourier modes are summed on the host.
    bool takes_device_arrays() const override
    {
        return options().device != "cpu" &&
               (!options().is_periodic() || options().periodic.long_range == LongRangeKind::mesh);
    }
    void adjust(const SolverOptions& resolved) override { field_.adjust(resolved); }
    void exchange(Archive& archive) override { field_.exchange(archive); }
    std::string device() const override { return field_.device(); }
    const SolverOptions& options() const override { return field_.options(); }

private:
    /// Sums at the active sources, and at the active tracers as points among them, which are cut
    /// into groups as one: they belong to the last part.
    ForceStatistics with_tracers(const Request& request, std::size_t sources, bool keeps,
                                 const TargetPart& part, std::vector<Index>* numbers)
    {
        const std::span<const Index> active = request.active;
        std::size_t first = 0; // of the active tracers
        while (first < active.size() && active[first] < sources)
            ++first;
        ForceStatistics statistics;
        if (sources > 0 && (active.empty() || first > 0)) {
            statistics = field_.at_sources(
                {.active = active.first(first), .part = part.part, .parts = part.parts},
                outputs_of(request));
            if (numbers)
                *numbers = field_.numbers_of_targets();
        }
        statistics.kept_tree = keeps;
        const std::size_t tracers = part.part < part.parts - 1 ? 0
                                    : active.empty()           ? request.count - sources
                                                               : active.size() - first;
        if (tracers == 0)
            return statistics;
        const auto number = [&](std::size_t k) {
            return active.empty() ? sources + k : active[first + k];
        };
        add(statistics, at_tracers(request, tracers, number));
        for (std::size_t k = 0; numbers && k < tracers; ++k)
            numbers->push_back(Index(number(k)));
        return statistics;
    }

    /// Sums at the particles of those numbers, which are no sources.
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
    std::vector<double> lengths_; // of all particles, if tracers have them
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
        sizes.least = on_host ? 16 : 0; // a pack; where a GPU would wait for the longest list, none
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
    const double most = options.group_size, least = options.device == "cpu" ? 16 : 32;
    const double group = std::max(std::min(least, most), part * most);
    sizes.group = int(group);
    sizes.cluster = std::max(1, int(options.cluster_size * part * most / group));
    return sizes;
}

AcceptanceCriterion criterion_of(const SolverOptions& options, std::optional<double> least_length)
{
    AcceptanceCriterion criterion;
    criterion.kind = options.criterion;
    criterion.theta = options.theta;
    criterion.tolerance = options.tolerance;
    criterion.order = options.order;
    criterion.local_order = options.local_order;
    criterion.softening = options.softening.length;
    criterion.softening_kind = options.softening.kind;
    criterion.softening_rule = options.softening.rule;
    if (least_length)
        criterion.least_softening = *least_length * *least_length; // each cell has its clearance
    else if (options.softening.kind == SofteningKind::spline)
        criterion.clearance = options.softening.spline_radius();
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
