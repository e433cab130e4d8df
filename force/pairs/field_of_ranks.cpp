// Ranks in this process sum at the sources; the first rank does everything else.
#include "chamomile/force/pairs/field_of_ranks.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile {
namespace {

class FieldOfRanks final : public FieldSolver {
public:
    explicit FieldOfRanks(const SolverOptions& options)
        : first_options_(of_first_rank(options)), ranks_(make_solver(options))
    {}

    void build(const FieldSources& sources) override
    {
        sources_.reset();
        first_.reset();
        if (!are_for_ranks(sources))
            return first().build(sources);
        sources_ = copy_of(sources);
        ++builds_;
        keeps_tree_ = false;
    }

    void refit(const FieldSources& sources) override
    {
        if (!sources_ || !are_for_ranks(sources) || sources.count != size())
            return first().refit(sources);
        FieldCopy moved = copy_of(sources);
        keeps_tree_ =
            keeps_tree_ && moved.mass == sources_->mass && moved.softening == sources_->softening;
        sources_ = std::move(moved);
        if (first_)
            first_->refit(sources);
    }

    std::size_t size() const override
    {
        return sources_ ? sources_->mass.size() : first_ ? first_->size() : 0;
    }

    FieldCopy copy_of_sources() override
    {
        return sources_ ? *sources_ : first().copy_of_sources();
    }

    ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results) override
    {
        return first().evaluate(targets, results);
    }

    ForceStatistics evaluate_sources(std::span<const Index> active,
                                     const FieldResults& results) override
    {
        if (!sum_on_ranks(active, results))
            return first().evaluate_sources(active, results);
        const FieldSources all = sources_->sources();
        const bool are_all = active.empty();
        std::vector<Vec3<double>> acceleration(are_all && results.acceleration ? 0 : all.count);
        std::vector<double> potential(!are_all && results.potential ? all.count : 0);
        Request request{.count = all.count,
                        .position = all.position,
                        .mass = all.mass,
                        .acceleration = acceleration.empty() ? results.acceleration
                                                             : view_of(std::span(acceleration)),
                        .potential =
                            potential.empty() ? results.potential : view_of(std::span(potential)),
                        .active = active,
                        .number = builds_ - 1,
                        .keeps_tree = keeps_tree_,
                        .softening = all.softening,
                        .are_all_sources = true};
        const ForceStatistics statistics = ranks_->evaluate(request);
        keeps_tree_ = true;
        for (std::size_t k = 0; k < active.size(); ++k) {
            if (results.acceleration)
                results.acceleration.store_vector(k, acceleration[active[k]]);
            if (results.potential)
                results.potential.store(k, 0, potential[active[k]]);
        }
        return statistics;
    }

    ForceStatistics evaluate_adjoint(const FieldCotangents& given,
                                     const FieldGradients& gradients) override
    {
        return first().evaluate_adjoint(given, gradients);
    }

    void neighbours(const FieldTargets& targets, const ArrayView& radius, std::size_t max,
                    std::span<std::int64_t> count, std::span<std::int64_t> list) override
    {
        first().neighbours(targets, radius, max, count, list);
    }

    std::string device() const override { return ranks_->device(); }
    const SolverOptions& options() const override { return ranks_->options(); }

private:
    /// Returns whether a view is on the host with `components` components, or may be empty.
    static bool is_on_host(const ArrayView& view, int components, bool may_be_empty = true)
    {
        return view ? !view.on_device && view.components() == components : may_be_empty;
    }
    /// Returns whether the ranks accept these sources. If not, the first rank reports the error.
    static bool are_for_ranks(const FieldSources& sources)
    {
        const bool none = sources.count == 0;
        return is_on_host(sources.position, 3, none) && is_on_host(sources.mass, 1, none) &&
               is_on_host(sources.velocity, 3) && is_on_host(sources.softening, 1);
    }

    static FieldCopy copy_of(const FieldSources& sources)
    {
        FieldCopy copy;
        const auto copy_all = [n = sources.count](const ArrayView& from, auto& to,
                                                  const auto& value) {
            to.resize(from ? n : 0);
#pragma omp parallel for if (to.size() > worth_threads) schedule(static)
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] = value(from, i);
        };
        const auto vector = [](const ArrayView& view, std::size_t i) {
            return view.load_vector(i);
        };
        const auto number = [](const ArrayView& view, std::size_t i) { return view.load(i); };
        copy_all(sources.position, copy.position, vector);
        copy_all(sources.velocity, copy.velocity, vector);
        copy_all(sources.mass, copy.mass, number);
        copy_all(sources.softening, copy.softening, number);
        return copy;
    }

    /// Returns whether the ranks compute these results.
    bool sum_on_ranks(std::span<const Index> active, const FieldResults& results) const
    {
        return sources_ && size() > 0 && (results.acceleration || results.potential) &&
               !results.tidal && !results.jerk && is_on_host(results.acceleration, 3) &&
               is_on_host(results.potential, 1) &&
               std::ranges::all_of(active, [&](Index i) { return i < size(); });
    }

    /// Returns the field on the first rank, which gets the sources at the first call.
    FieldSolver& first()
    {
        if (!first_) {
            auto made = make_field_solver(first_options_);
            if (sources_)
                made->build(sources_->sources());
            first_ = std::move(made);
        }
        return *first_;
    }

    SolverOptions first_options_;
    std::unique_ptr<Solver> ranks_;
    std::optional<FieldCopy> sources_; ///< none: only the first rank has them
    std::unique_ptr<FieldSolver> first_;
    std::uint64_t builds_ = 0; ///< places the root cubes (decorrelate)
    bool keeps_tree_ = false;  ///< Request::keeps_tree
};

} // namespace

std::unique_ptr<FieldSolver> make_field_of_ranks(const SolverOptions& options)
{
    return std::make_unique<FieldOfRanks>(options);
}

} // namespace chamomile
