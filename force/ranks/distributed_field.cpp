// The kept tree of all ranks holds the sources. Targets are tracers: massless points in a separate
// tree of targets.
#include "chamomile/force/ranks/distributed_field.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile {
namespace {

class DistributedField final : public FieldSolver {
public:
    DistributedField(const SolverOptions& options, Communicator& ranks)
        : ranks_(ranks), solver_(options, ranks)
    {}

    void build(const FieldSources& sources) override { take(sources, false); }
    void refit(const FieldSources& sources) override { take(sources, true); }

    std::size_t size() const override { return is_built_ ? own_ : 0; }

    FieldCopy copy_of_sources() override
    {
        set_targets({});
        return {.position = position_, .velocity = {}, .mass = mass_, .softening = softening_};
    }

    ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results) override
    {
        ranks_.run_and_agree([&] {
            require_results(results);
            if (solver_.options().solver == SolverKind::direct || solver_.options().device != "cpu")
                throw Error(Fault::usage,
                            "targets on several ranks: need the tree solver on the CPU");
            if (!targets.self.empty() || targets.softening)
                throw Error(Fault::usage, "targets on several ranks: self indices and softening "
                                          "lengths must be left out");
        });
        const auto [first, count] = place_among_all(targets.count);
        if (count == 0)
            return {};
        ranks_.run_and_agree([&] { set_targets(targets); });
        std::iota(number_.begin() + std::ptrdiff_t(own_), number_.end(), count_ + first);
        std::vector<Index> active(targets.count);
        std::iota(active.begin(), active.end(), Index(own_));
        Request request = request_at(active, results);
        set_potentials(request);
        request.part->count += count;
        request.part->tracers = request.part->active = request.part->active_tracers = count;
        const ForceStatistics statistics = solver_.carry_out(request);
        write(active, results);
        return statistics;
    }

    ForceStatistics evaluate_sources(std::span<const Index> active,
                                     const FieldResults& results) override
    {
        ranks_.run_and_agree([&] {
            require_results(results);
            for (const Index i : active)
                if (i >= own_)
                    throw Error(Fault::input, "active: " + std::to_string(i) + ": must be below " +
                                                  std::to_string(own_));
            set_targets({});
        });
        std::vector<Index> which(active.begin(), active.end());
        std::sort(which.begin(), which.end());
        which.erase(std::unique(which.begin(), which.end()), which.end());
        std::uint64_t counts[] = {which.size()};
        ranks_.sum(counts);
        const bool are_all = counts[0] == 0;
        Request request = request_at(which, results);
        set_potentials(request);
        request.part->active = are_all ? count_ : counts[0];
        const ForceStatistics statistics = solver_.carry_out(request);
        if (!are_all)
            which.assign(active.begin(), active.end());
        else {
            which.resize(own_);
            std::iota(which.begin(), which.end(), Index(0));
        }
        write(which, results);
        return statistics;
    }

    ForceStatistics evaluate_adjoint(const FieldCotangents&, const FieldGradients&) override
    {
        throw Error(Fault::usage, "gradients: need a single rank");
    }

    void neighbours(const FieldTargets&, const ArrayView&, std::size_t, std::span<std::int64_t>,
                    std::span<std::int64_t>) override
    {
        throw Error(Fault::usage, "neighbours: need a single rank");
    }

    std::string device() const override { return solver_.device(); }
    const SolverOptions& options() const override { return solver_.options(); }

private:
    /// Returns the number of items on lower ranks, and on all ranks.
    std::pair<std::uint64_t, std::uint64_t> place_among_all(std::size_t own)
    {
        const std::vector<std::uint64_t> counts = ranks_.all_gather(std::uint64_t(own));
        const auto here = counts.begin() + ranks_.rank();
        const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
        return {std::accumulate(counts.begin(), here, std::uint64_t(0)), all};
    }

    void take(const FieldSources& sources, bool keeps)
    {
        const std::size_t n = sources.count;
        ranks_.run_and_agree([&] {
            if (keeps && (!is_built_ || n != own_))
                throw Error(Fault::input, "refit: " + std::to_string(n) +
                                              " sources, but build() took " +
                                              std::to_string(size()) + ": must be equal");
            if (sources.position.on_device || sources.mass.on_device)
                throw Error(Fault::usage, "ranks: arrays are on the GPU: must be on the host");
        });
        is_built_ = false;         // an exception leaves no sources behind
        std::uint64_t changes = 0; // in masses or softening; they rule out a kept tree
        ranks_.run_and_agree([&] {
            position_.resize(n);
            mass_.resize(n);
            changes = n > 0 && softening_.empty() == bool(sources.softening);
            softening_.resize(sources.softening ? n : 0);
            const auto take = [](double& kept, double value) {
                return std::uint64_t(std::exchange(kept, value) != value);
            };
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : changes)
            for (std::size_t i = 0; i < n; ++i) {
                position_[i] = sources.position.load_vector(i);
                changes += take(mass_[i], sources.mass ? sources.mass.load(i) : 1);
                if (sources.softening)
                    changes += take(softening_[i], sources.softening.load(i));
            }
            own_ = n;
        });
        ranks_.sum(std::span(&changes, 1));
        count_ = 0;
        const auto [first, count] = place_among_all(n);
        if (arrangement_ == 0 || number_.size() != n || first_ != first)
            arrangement_ = GlobalCounts::new_arrangement();
        first_ = first;
        count_ = count;
        number_.resize(n);
        std::iota(number_.begin(), number_.end(), first_);
        softenings_.reset();
        softenings_ = solver_.softenings_of(request_at({}, {}),
                                            {.count = count_, .active = count_, .first = first_});
        if (!keeps)
            ++builds_;
        // A direct sum makes its cells in an evaluation: one target now, so that cells fit these
        // sources.
        const bool sums_directly = solver_.options().solver == SolverKind::direct;
        std::vector<Index> one;
        if (sums_directly && first_ == 0 && n > 0)
            one = {0};
        Request request = request_at(one, {});
        request.part->active = sums_directly ? std::min<std::uint64_t>(count_, 1) : 0;
        request.keeps_tree = keeps && changes == 0;
        solver_.carry_out(request);
        is_built_ = true;
    }

    void require_results(const FieldResults& results) const
    {
        if (!is_built_)
            throw Error(Fault::usage, "evaluate: no sources: call build() first");
        if (results.tidal || results.jerk)
            throw Error(Fault::usage, "tidal tensors and jerks: need a single rank");
    }

    /// Appends the targets to the arrays of the sources.
    void set_targets(const FieldTargets& targets)
    {
        const std::size_t all = own_ + targets.count;
        check_number(all);
        position_.resize(all);
        mass_.resize(all, 0);
        if (softenings_)
            softening_.resize(all, 0);
        number_.resize(all);
        for (std::size_t k = 0; k < targets.count; ++k)
            position_[own_ + k] = targets.position.load_vector(k);
    }

    /// Returns a request for results at `active`, for the current sources and appended targets.
    Request request_at(std::span<const Index> active, const FieldResults& results)
    {
        Request request;
        request.count = position_.size();
        request.position = view_of(std::span(std::as_const(position_)));
        request.mass = view_of(std::span(std::as_const(mass_)));
        if (!softening_.empty())
            request.softening = view_of(std::span(std::as_const(softening_)));
        acceleration_.resize(request.count);
        request.acceleration = view_of(std::span(acceleration_));
        potential_.resize(results.potential ? request.count : 0);
        if (results.potential)
            request.potential = view_of(std::span(potential_));
        request.active = active;
        request.number = builds_ - 1;
        request.keeps_tree = true;
        request.part = GlobalCounts{.count = count_,
                                    .first = first_,
                                    .arrangement = arrangement_,
                                    .number = number_,
                                    .softenings = softenings_};
        return request;
    }

    /// Sets GlobalCounts::has_potentials if any rank asks for potentials.
    void set_potentials(Request& request)
    {
        std::uint64_t asking[] = {request.potential ? 1U : 0U};
        ranks_.sum(asking);
        request.part->has_potentials = asking[0] > 0;
    }

    /// Writes the results of the particles `which`, in that order.
    void write(std::span<const Index> which, const FieldResults& results) const
    {
#pragma omp parallel for if (which.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < which.size(); ++k) {
            if (results.acceleration)
                results.acceleration.store_vector(k, acceleration_[which[k]]);
            if (results.potential)
                results.potential.store(k, 0, potential_[which[k]]);
        }
    }

    Communicator& ranks_;
    DistributedSolver solver_;
    bool is_built_ = false;
    std::uint64_t arrangement_ = 0;       ///< of the sources
    std::uint64_t builds_ = 0;            ///< places the root cubes (decorrelate)
    std::size_t own_ = 0;                 ///< local sources; they come first in the arrays
    std::uint64_t first_ = 0, count_ = 0; ///< number of the first local source; count on all ranks
    std::optional<std::pair<double, double>> softenings_;
    std::vector<Vec3<double>> position_, acceleration_;
    std::vector<double> mass_, softening_, potential_;
    std::vector<GlobalIndex> number_; ///< of local sources and targets
};

} // namespace

SolverOptions options_for(const FieldSources& sources, const SolverOptions& options,
                          Communicator& ranks)
{
    if (!options.accuracy)
        return options;
    std::uint64_t all[] = {sources.count}; // rank 0 gathers them
    ranks.sum(all);
    agreed([&] { check_number(all[0]); });
    std::vector<Vec3<double>> position(sources.count);
    std::vector<double> mass(sources.count), softening;
    for (std::size_t i = 0; i < sources.count; ++i) {
        position[i] = sources.position.load_vector(i);
        mass[i] = sources.mass.load(i);
        if (sources.softening)
            softening.push_back(sources.softening.load(i));
    }
    Inbox positions, masses, softenings;
    ranks.gather(std::span<const Vec3<double>>(position), positions);
    ranks.gather(std::span<const double>(mass), masses);
    ranks.gather(std::span<const double>(softening), softenings);
    struct Chosen {
        ListOptions lists;
        SolverKind solver;
        Precision precision;
        bool is_decorrelated;
    } chosen{};
    std::exception_ptr failure;
    if (ranks.rank() > 0)
        serve_solver(ranks);
    else {
        try {
            SolverOptions of_all = options;
            of_all.ranks = &ranks;
            const std::span<const double> all = masses.all<double>();
            FieldSources gathered{all.size(), view_of(positions.all<Vec3<double>>()), view_of(all)};
            if (const std::span<const double> lengths = softenings.all<double>(); !lengths.empty())
                gathered.softening = view_of(lengths);
            const SolverOptions best = options_for(gathered, of_all);
            chosen = {best, best.solver, best.precision, best.decorrelate.has_value()};
        } catch (const PeerFailed&) {
            throw;
        } catch (...) {
            failure = std::current_exception();
        }
        end_serving(ranks);
    }
    ranks.run_and_agree([&] {
        if (failure)
            std::rethrow_exception(failure);
    });
    const Inbox told = ranks.broadcast(std::as_bytes(std::span(&chosen, 1)));
    chosen = told.from<Chosen>(0)[0];
    SolverOptions found = options;
    static_cast<ListOptions&>(found) = chosen.lists;
    found.solver = chosen.solver;
    found.precision = chosen.precision;
    if (!chosen.is_decorrelated)
        found.decorrelate.reset();
    found.accuracy.reset();
    return found;
}

std::unique_ptr<FieldSolver> make_distributed_field(const SolverOptions& options,
                                                    Communicator& ranks)
{
    return std::make_unique<DistributedField>(options, ranks);
}

} // namespace chamomile
