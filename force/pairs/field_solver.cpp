// A FieldSolver uses lists for accelerations and potentials, and sums over pairs for the rest.
#include <algorithm>
#include <cmath>
#include <optional>

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/adjoint/field_adjoint.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/pairs/coincident_sources.hpp"
#include "chamomile/force/pairs/field_derivatives.hpp"
#include "chamomile/force/pairs/field_of_ranks.hpp"
#include "chamomile/force/pairs/sources_within.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/scale.hpp"

namespace chamomile {
namespace {

/// The FieldSolver returned by make_field_solver().
class Field final : public FieldSolver {
public:
    explicit Field(const SolverOptions& resolved)
        : lists_(resolved, make_parts(resolved, true)), derivatives_(resolved), adjoint_(resolved)
    {}

    void build(const FieldSources& sources) override
    {
        check_views(sources);
        is_built_ = false; // an exception leaves no sources
        derivatives_.take_velocities({});
        lists_.build(in_arrays(sources), {.number = builds_++, .has_arrays = false});
        keep(sources);
        is_built_ = true;
    }

    void refit(const FieldSources& sources) override
    {
        check_views(sources);
        require_sources();
        is_built_ = sources.count != size(); // if refused, the earlier sources stay
        if (!is_built_)
            derivatives_.take_velocities({});
        lists_.refit(in_arrays(sources), {.number = builds_ - 1, .has_arrays = false});
        keep(sources);
        is_built_ = true;
    }

    std::size_t size() const override { return lists_.size(); }

    FieldCopy copy_of_sources() override
    {
        FieldCopy copy = copy_of(lists_);
        copy.velocity = derivatives_.velocities();
        return copy;
    }

    ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results) override
    {
        check_targets(targets);
        check_results(results);
        require(!results.jerk || targets.velocity || targets.count == 0,
                "targets: velocities: missing: needed for jerks");
        ForceStatistics statistics;
        require(!options().is_periodic() || options().solver == SolverKind::tree,
                "box: must be 0 for direct sums at targets other than the sources");
        if (targets.count > 0)
            require_sources();
        if (size() == 0) {
            self_of(targets); // must be -1
            write_zeros(targets.count, results);
            return statistics;
        }
        ListField& lists = lists_for(targets);
        if (results.acceleration || results.potential)
            statistics = lists.at_points(
                {.count = targets.count,
                 .position = where_built(targets.position, targets.count, positions_),
                 .self = targets.self,
                 .softening = targets.softening},
                {results.acceleration, results.potential});
        if ((results.tidal || results.jerk) && targets.count > 0)
            write(derivatives_.at_points(lists,
                                         {read(targets.position, targets.count, 3),
                                          results.jerk ? read(targets.velocity, targets.count, 3)
                                                       : std::vector<double>{},
                                          lists.has_own_softenings()
                                              ? lists.target_softenings(targets)
                                              : std::vector<double>{},
                                          self_of(targets)},
                                         results, statistics),
                  results);
        return statistics;
    }

    ForceStatistics evaluate_sources(std::span<const Index> active,
                                     const FieldResults& results) override
    {
        check_results(results);
        require_sources();
        for (const Index i : active)
            if (i >= size())
                throw Error(Fault::input, "active: " + std::to_string(i) + ": must be below " +
                                              std::to_string(size()));
        ForceStatistics statistics;
        if (results.acceleration || results.potential)
            statistics = at_sources(active, results);
        if ((results.tidal || results.jerk) && size() > 0) {
            look_for_interruption();
            write(derivatives_.at_sources(lists_, adjoint_, active, results, statistics), results);
        }
        return statistics;
    }

    ForceStatistics evaluate_adjoint(const FieldCotangents& given,
                                     const FieldGradients& gradients) override
    {
        require_sources();
        check_view(given.acceleration, 3, "cotangents: accelerations: must have 3 components");
        check_view(given.potential, 1, "cotangents: potentials: must have 1 component");
        check_view(gradients.position, 3, "gradients: positions: must have 3 components");
        check_view(gradients.mass, 1, "gradients: masses: must have 1 component");
        return adjoint_.evaluate(lists_, given, gradients);
    }

    void neighbours(const FieldTargets& targets, const ArrayView& radius, std::size_t max,
                    std::span<std::int64_t> count, std::span<std::int64_t> list) override
    {
        check_targets(targets);
        require_sources();
        require(!options().is_periodic(), "box: must be 0 to find neighbours");
        check_view(radius, 1, "radius: must have 1 component");
        require(radius || targets.count == 0, "radius: missing");
        require(count.size() >= targets.count && list.size() >= max * targets.count,
                "neighbours: lists: must have room for all targets");
        const std::vector<double> position = read(targets.position, targets.count, 3),
                                  search_radius = read(radius, targets.count, 1);
        for (std::size_t i = 0; i < targets.count; ++i)
            if (!(search_radius[i] >= 0) ||
                !std::isfinite(position[3 * i] + position[3 * i + 1] + position[3 * i + 2]))
                throw Error(Fault::input,
                            "target " + item(i) + ": position must be finite, radius 0 or more");
        const std::vector<Index> self = self_of(targets);
        if (size() == 0) {
            std::fill_n(count.begin(), targets.count, 0);
            return;
        }
        const Octree& octree = lists_.sources().octree();
        const Moments& moments = lists_.sources().moments();
        parallel_loop(targets.count, 8, [&](std::size_t i) {
            const Vec3<double> place{position[3 * i], position[3 * i + 1], position[3 * i + 2]};
            const double limit = search_radius[i] * search_radius[i];
            std::vector<Index> found = sources_within(octree, moments, place, limit);
            std::erase(found, self[i]);
            std::sort(found.begin(), found.end());
            count[i] = std::int64_t(found.size());
            std::copy_n(found.begin(), std::min(max, found.size()),
                        list.begin() + std::ptrdiff_t(max * i));
        });
    }

    std::string device() const override { return lists_.device(); }
    const SolverOptions& options() const override { return lists_.options(); }

private:
    /// Copies device arrays to the host if the host builds the tree, and for a periodic box, where
    /// the host wraps positions and sums Fourier modes.
    ArrayView where_built(const ArrayView& view, std::size_t n, std::vector<double>& memory) const
    {
        const bool is_host =
            options().is_periodic() || options().tree_built_by == TreeBuiltBy::host;
        if (!is_host || !view.on_device)
            return view;
        const int components = view.components();
        memory = read(view, n, std::size_t(components));
        const auto stride = std::ptrdiff_t(std::size_t(components) * sizeof(double));
        return components == 3 ? vectors_at(memory.data(), stride)
                               : numbers_at(memory.data(), stride);
    }

    TreeParticles in_arrays(const FieldSources& sources)
    {
        return {sources.count, where_built(sources.position, sources.count, positions_),
                where_built(sources.mass, sources.count, masses_), false, sources.softening};
    }

    /// Computes fields at sources: entry k in the results belongs to source active[k]. Direct sums
    /// on a GPU (where forces may cancel) or in a periodic box use a Solver.
    ForceStatistics at_sources(std::span<const Index> active, const FieldResults& results)
    {
        const bool sums_directly = options().solver == SolverKind::direct &&
                                   (options().device != "cpu" || options().is_periodic());
        const bool comes_to_host = options().is_periodic() &&
                                   (results.acceleration.on_device || results.potential.on_device);
        if (active.empty() && !sums_directly && !comes_to_host)
            return lists_.at_sources({}, {results.acceleration, results.potential});
        std::vector<Vec3<double>> acceleration(size());
        std::vector<double> potential(results.potential ? size() : 0);
        const ArrayView to = view_of(std::span(acceleration)),
                        potentials = view_of(std::span(potential));
        ForceStatistics statistics;
        if (sums_directly) {
            if (!direct_)
                direct_ = make_solver(options());
            const FieldCopy copy = copy_of_sources();
            const FieldSources all = copy.sources();
            statistics = direct_->evaluate({.count = all.count,
                                            .position = all.position,
                                            .mass = all.mass,
                                            .acceleration = to,
                                            .potential = potentials,
                                            .active = active,
                                            .softening_length = lists_.softening().length,
                                            .softening = all.softening});
        } else {
            statistics = lists_.at_sources({active}, {to, potentials});
        }
        const std::size_t n = active.empty() ? size() : active.size();
        std::vector<double> rows(3 * n);
        for (std::size_t k = 0; k < n; ++k)
            std::copy_n(&acceleration[active.empty() ? k : active[k]].x, 3, &rows[3 * k]);
        write_rows(rows, n, results.acceleration, options().device);
        for (std::size_t k = 0; results.potential && k < n; ++k)
            rows[k] = potential[active.empty() ? k : active[k]];
        write_rows(rows, n, results.potential, options().device);
        return statistics;
    }

    static void require(bool fulfilled, const char* line)
    {
        if (!fulfilled)
            throw Error(Fault::usage, line);
    }

    void require_sources() const { require(is_built_, "field: no sources: call build() first"); }

    void check_view(const ArrayView& view, int components, const char* line) const
    {
        require(!view || view.components() == components, line);
        require(!view.on_device || options().device != "cpu",
                "array: marked as GPU memory: must be on the host, like the solver");
    }

    void check_views(const FieldSources& sources) const
    {
        require((sources.position && sources.mass) || sources.count == 0,
                "sources: positions or masses: missing");
        check_view(sources.position, 3, "sources: positions: must have 3 components");
        check_view(sources.mass, 1, "sources: masses: must have 1 component");
        check_view(sources.velocity, 3, "sources: velocities: must have 3 components");
        require(!sources.softening.on_device, "sources: softenings: must be on the host");
    }

    void check_targets(const FieldTargets& targets) const
    {
        require(targets.position || targets.count == 0, "targets: positions: missing");
        check_view(targets.position, 3, "targets: positions: must have 3 components");
        check_view(targets.velocity, 3, "targets: velocities: must have 3 components");
        if (targets.softening)
            cut_softenings(targets.softening, targets.count, {}, 0, "target"); // checks them
    }

    void check_results(const FieldResults& results) const
    {
        require(bool(results), "results: none requested: must be one or more");
        check_view(results.acceleration, 3, "results: accelerations: must have 3 components");
        check_view(results.potential, 1, "results: potentials: must have 1 component");
        check_view(results.tidal, 6, "results: tidal tensors: must have 6 components");
        check_view(results.jerk, 3, "results: jerks: must have 3 components");
        require(!options().is_periodic() || (!results.tidal && !results.jerk),
                "box: must be 0 for tidal tensors and jerks");
    }

    std::vector<double> read(const ArrayView& view, std::size_t n, std::size_t components) const
    {
        return read_rows(view, n, int(components), options().device);
    }

    void keep(const FieldSources& sources)
    {
        softened_lists_.reset();
        adjoint_.clear();
        if (sources.velocity)
            derivatives_.take_velocities(read(sources.velocity, sources.count, 3));
        length_.reset();
        if (sources.softening && sources.count > 0 && !lists_.has_own_softenings())
            length_ = sources.softening.load(0);
    }

    /// Returns whether some target's length changes the pairs' softening; sources share one length.
    bool have_other_lengths(const FieldTargets& targets) const
    {
        const bool adds = lists_.softening().rule == SofteningRule::root_of_squares;
        if (!length_ || (!adds && !targets.softening))
            return false;
        for (std::size_t i = 0; i < targets.count; ++i) {
            const bool is_source = i < targets.self.size() && targets.self[i] >= 0;
            const double length = targets.softening ? targets.softening.load(i)
                                  : is_source       ? *length_
                                                    : 0;
            if (adds ? length != *length_ : !(length <= *length_))
                return true;
        }
        return false;
    }

    /// Returns lists for these targets: with per-particle softening if lengths differ.
    ListField& lists_for(const FieldTargets& targets)
    {
        if (!have_other_lengths(targets))
            return lists_;
        if (!softened_lists_) {
            FieldCopy copy = copy_of_sources();
            copy.softening.assign(size(), *length_);
            auto lists = std::make_unique<ListField>(options(), make_parts(options(), true));
            lists->build(in_arrays(copy.sources()),
                         {.number = builds_ - 1, .has_arrays = false, .keeps_lengths = true});
            softened_lists_ = std::move(lists);
        }
        return *softened_lists_;
    }

    std::vector<Index> self_of(const FieldTargets& targets) const
    {
        std::vector<Index> self(targets.count, no_source);
        require(targets.self.empty() || targets.self.size() == targets.count,
                "self: must have one entry per target");
        for (std::size_t i = 0; i < targets.self.size(); ++i) {
            if (targets.self[i] < -1 || targets.self[i] >= std::int64_t(size()))
                throw Error(Fault::input, "target " + item(i) +
                                              ": self: " + std::to_string(targets.self[i]) +
                                              ": must be -1 or below " + std::to_string(size()));
            if (targets.self[i] >= 0)
                self[i] = Index(targets.self[i]);
        }
        return self;
    }

    /// Writes zeros, for a field without sources.
    void write_zeros(std::size_t n, const FieldResults& results) const
    {
        for (const ArrayView& view :
             {results.acceleration, results.potential, results.tidal, results.jerk}) {
            const std::vector<double> zeros(view ? n * std::size_t(view.components()) : 0);
            if (!zeros.empty())
                write(zeros, view);
        }
    }

    void write(const FieldDerivatives::Sums& sums, const FieldResults& results) const
    {
        if (results.tidal)
            write(sums.tidal, results.tidal);
        if (results.jerk)
            write(sums.jerk, results.jerk);
    }

    void write(const std::vector<double>& rows, const ArrayView& view) const
    {
        const std::size_t components = std::size_t(view.components());
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!std::isfinite(rows[i]))
                throw Error(Fault::numeric, "target " + item(i / components) +
                                                ": tidal tensor or jerk: not finite");
        write_rows(rows, rows.size() / components, view, options().device);
    }

    ListField lists_;
    std::unique_ptr<ListField> softened_lists_; // as lists_, with per-particle softening
    std::unique_ptr<Solver> direct_;            // for direct sums, when needed
    std::uint64_t builds_ = 0;                  // number for the root cube (decorrelate)
    bool is_built_ = false;
    std::vector<double> positions_, masses_;
    FieldDerivatives derivatives_;
    FieldAdjoint adjoint_;
    std::optional<double> length_; ///< per-particle softening, if all are equal
};

} // namespace

std::optional<std::string> field_refusal(const SolverOptions& options)
{
    if (options.accuracy)
        return "{accuracy}: must be left out for kept fields; give {tolerance}";
    return refusal(options);
}

std::unique_ptr<FieldSolver> make_field_solver(const SolverOptions& options)
{
    require(field_refusal(options));
    if (own_ranks(options) > 0)
        return make_field_of_ranks(options);
    return std::make_unique<Field>(resolved(options));
}

} // namespace chamomile
