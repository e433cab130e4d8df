#include "chamomile/force/adjoint/field_adjoint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/adjoint/dual_moments.hpp"
#include "chamomile/force/adjoint/periodic_adjoint.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/lists/strided_io.hpp"

namespace chamomile {
namespace {

SolverOptions in_double_on_host(SolverOptions options)
{
    options.precision = Precision::double_precision;
    options.device = "cpu";
    options.instruction_set = "auto";
    return options;
}

std::vector<double> read_finite(const ArrayView& view, std::size_t n, int components,
                                const SolverOptions& options, const char* what)
{
    std::vector<double> rows;
    if (view)
        rows = read_rows(view, n, components, options.device);
    for (std::size_t k = 0; k < rows.size(); ++k)
        if (!std::isfinite(rows[k]))
            throw Error(Fault::input, std::string("cotangents: ") + what + ": row " +
                                          item(k / std::size_t(components)) + ": " +
                                          std::to_string(rows[k]) + ": must be finite");
    return rows;
}

std::span<Vec3<double>> as_vectors(std::vector<double>& rows)
{
    static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
    return {reinterpret_cast<Vec3<double>*>(rows.data()), rows.size() / 3};
}

} // namespace

/// Cotangents, and gradients to write, in the caller's order and units.
struct FieldAdjoint::Values {
    std::span<const Vec3<double>> lambda;
    std::span<const double> mu;
    std::span<Vec3<double>> position;
    std::span<double> mass;
};

FieldAdjoint::FieldAdjoint(const SolverOptions& resolved)
    : options_(resolved), laws_(resolved), exact_(in_double_on_host(resolved))
{}

ForceStatistics FieldAdjoint::evaluate(ListField& lists, const FieldCotangents& given,
                                       const FieldGradients& gradients)
{
    if (!gradients.position && !gradients.mass)
        throw Error(Fault::usage, "gradients: none requested: must be one or more");
    const std::size_t n = lists.size();
    ForceStatistics statistics;
    const std::span<const Index> active = gradients.active;
    if (n > 0 && active.empty() && options_.solver == SolverKind::tree &&
        lists.has_adjoint_on_device() &&
        lists.adjoint_at_sources({.lambda = given.acceleration, .mu = given.potential}, gradients,
                                 statistics) == 0)
        return statistics; // else repairs and messages need values on the host
    statistics = {};
    std::vector<double> lambda = read_finite(given.acceleration, n, 3, options_, "acceleration"),
                        mu = read_finite(given.potential, n, 1, options_, "potential");
    std::vector<double> position(3 * n), mass(n);
    if (n == 0)
        return statistics;
    const Values values{as_vectors(lambda), mu, as_vectors(position), mass};
    for (const Index i : active)
        if (i >= n)
            throw Error(Fault::input,
                        "active: " + std::to_string(i) + ": must be below " + std::to_string(n));
    if (options_.solver == SolverKind::direct) {
        std::vector<Index> all(active.empty() ? n : 0);
        std::iota(all.begin(), all.end(), Index(0));
        sum_directly(lists, laws_, active.empty() ? all : active, values, statistics);
    } else {
        const std::size_t not_finite = with_adjoint(lists).adjoint_at_sources(
            {.lambda = given.acceleration ? view_of(values.lambda) : ArrayView{},
             .mu = given.potential ? view_of(values.mu) : ArrayView{}},
            {view_of(values.position), view_of(values.mass)}, statistics);
        std::vector<Index> singular;
        for (std::size_t i = 0; not_finite > 0 && i < n; ++i) {
            const Vec3<double>& x = values.position[i];
            if (!std::isfinite(x.x + x.y + x.z + mass[i]))
                singular.push_back(Index(i));
        }
        ForceStatistics repairs;
        if (!singular.empty())
            sum_directly(lists, exact_, singular, values, repairs);
    }
    if (!active.empty()) {
        std::vector<double> rows(3 * active.size()), masses(active.size());
        for (std::size_t k = 0; k < active.size(); ++k) {
            std::copy_n(&position[3 * active[k]], 3, &rows[3 * k]);
            masses[k] = mass[active[k]];
        }
        position = std::move(rows);
        mass = std::move(masses);
    }
    write_rows(position, mass.size(), gradients.position, options_.device);
    write_rows(mass, mass.size(), gradients.mass, options_.device);
    return statistics;
}

std::vector<double> FieldAdjoint::derivatives(ListField& lists, const ArrayView& lambda,
                                              const ArrayView& velocity,
                                              ForceStatistics& statistics)
{
    std::vector<double> rows(3 * lists.size());
    ListField& own = with_adjoint(lists);
    if (own.adjoint_at_sources({.lambda = lambda, .velocity = velocity},
                               {view_of(as_vectors(rows))}, statistics) == lists.size())
        std::fill(rows.begin(), rows.end(), std::nan("")); // some were not written
    return rows;
}

/// Returns the lists, or equal ones on the host for a tree on a GPU that has no gradients.
ListField& FieldAdjoint::with_adjoint(ListField& lists)
{
    if (lists.has_adjoint())
        return lists;
    if (!host_) {
        SolverOptions options = options_;
        options.device = "cpu";
        options.instruction_set = "auto";
        options.tree_built_by = TreeBuiltBy::automatic;
        options.group_size = options.cluster_size = options.leaf_size = 0; // chosen for a GPU
        options = resolved(options);
        auto made = std::make_unique<ListField>(options, make_parts(options));
        const FieldCopy copy = copy_of(lists);
        const FieldSources all = copy.sources();
        made->build({all.count, all.position, all.mass, false, all.softening},
                    {.has_arrays = false});
        host_ = std::move(made);
    }
    return *host_;
}

/// Sums over all pairs for these targets. Sums in float that are not finite are repeated in double.
void FieldAdjoint::sum_directly(ListField& lists, FieldLaws& laws, std::span<const Index> targets,
                                const Values& values, ForceStatistics& statistics)
{
    const FieldCopy all = copy_of(lists);
    const std::size_t n = all.mass.size();
    const InternalScale& scale = lists.sources().scale();
    const double unit =
        unit_of_lambda(scale,
                       {.lambda = values.lambda.empty() ? ArrayView{} : view_of(values.lambda),
                        .mu = values.mu.empty() ? ArrayView{} : view_of(values.mu)},
                       n);
    const double length = scale.length; // a power of two, like all units
    std::vector<double> sources;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3<double>& x = all.position[i];
        const Vec3<double> l = values.lambda.empty() ? Vec3<double>{} : values.lambda[i];
        sources.insert(sources.end(), {x.x / length, x.y / length, x.z / length,
                                       all.mass[i] / scale.mass, l.x / unit, l.y / unit, l.z / unit,
                                       values.mu.empty() ? 0 : length / unit * values.mu[i]});
        if (!all.softening.empty())
            sources.push_back(all.softening[i] / length * (all.softening[i] / length));
    }
    const std::size_t width = sources.size() / n;
    std::vector<double> rows, sums(4 * targets.size());
    for (const Index i : targets)
        rows.insert(rows.end(), &sources[width * i], &sources[width * i] + width);
    Softening softening = lists.softening();
    softening.length /= length;
    PairStatistics pairs;
    if (options_.is_periodic()) {
        pairs = sum_periodic_adjoint(options_.box / length,
                                     options_.device == "cpu" ? options_.instruction_set : "auto",
                                     sources, targets, softening, lists.has_own_softenings(), sums);
    } else {
        laws.take(softening, lists.has_own_softenings());
        pairs = laws.adjoint().sum({rows, sources, targets, {}}, sums);
    }
    statistics.particle_particle = pairs.pairs;
    statistics.targets = pairs.targets;
    statistics.device_busy = pairs.device_busy;
    const double of_mass = options_.gravitational_constant * unit / length / length,
                 of_position = of_mass * scale.mass / length;
    std::vector<Index> singular;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const double* const sum = &sums[4 * k];
        values.position[targets[k]] = {of_position * sum[0], of_position * sum[1],
                                       of_position * sum[2]};
        values.mass[targets[k]] = of_mass * sum[3];
        if (!std::isfinite(of_position * (std::abs(sum[0]) + std::abs(sum[1]) + std::abs(sum[2])) +
                           of_mass * sum[3]))
            singular.push_back(targets[k]);
    }
    if (singular.empty())
        return;
    if (&laws != &exact_ && !options_.is_periodic())
        return sum_directly(lists, exact_, singular, values, statistics);
    PairTargets at;
    for (const Index i : singular) {
        at.position.insert(at.position.end(), &all.position[i].x, &all.position[i].x + 3);
        if (!all.softening.empty())
            at.softening.push_back(all.softening[i]);
        at.self.push_back(i);
    }
    refuse_coincident(lists, at);
    throw Error(Fault::numeric, "source " + item(singular.front()) + ": gradient: not finite");
}

} // namespace chamomile
