// Errors of a context's accelerations and potentials relative to the direct sum in double.
#include <algorithm>

#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/interfaces/c/context.hpp"

using namespace chamomile;

namespace chamomile::c {
namespace {

/// Returns about `sample` sources, spread evenly, in ascending order. The seed selects the first.
std::vector<Index> chosen(std::size_t size, std::size_t sample, std::uint64_t seed)
{
    std::vector<Index> numbers = sample_targets(size, sample);
    const std::uint64_t mixed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u; // splitmix64
    const std::size_t shift = size > 0 ? std::size_t((mixed ^ mixed >> 27) % size) : 0;
    for (Index& number : numbers)
        number = Index((number + shift) % size);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

FieldResults into(std::vector<Vec3<double>>& acceleration, std::vector<double>& potential)
{
    return {view_of(std::span(acceleration)), view_of(std::span(potential)), {}, {}};
}

chm_percentiles of(const Percentiles& p)
{
    return {p.rms, p.median, p.p90, p.p99, p.p999, p.max};
}

chm_error_stats compared(chm_context& context, std::span<const Index> sample)
{
    SolverOptions direct = context.options.forces.options;
    direct.solver = SolverKind::direct;
    direct.precision = Precision::double_precision;
    direct.accuracy.reset();
    direct.decorrelate.reset();
    const auto reference = make_field_solver(direct);
    reference->build(context.sources);

    ReferenceSums exact;
    exact.acceleration.resize(sample.size());
    exact.potential.resize(sample.size());
    reference->evaluate_sources(sample, into(exact.acceleration, exact.potential));

    // All sources are evaluated: a subset would have smaller groups and different errors.
    std::vector<Vec3<double>> acceleration(context.sources.count);
    std::vector<double> potential(context.sources.count);
    context.begin_evaluation();
    context.timed(
        [&] { return context.solver->evaluate_sources({}, into(acceleration, potential)); });
    Particles here;
    for (Index i : sample) {
        here.mass.push_back(1);
        here.acceleration.push_back(acceleration[i]);
        here.potential.push_back(potential[i]);
    }
    std::vector<Index> all(sample.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = Index(k);
    exact.absolute_sum.assign(sample.size(), std::numeric_limits<double>::quiet_NaN());
    const ForceErrors errors = force_errors(here, exact, all);
    return {std::int64_t(sample.size()), std::int64_t(sample[errors.worst]),
            of(errors.acceleration), of(errors.potential)};
}

} // namespace
} // namespace chamomile::c

extern "C" int chm_compare_direct(chm_context* context, int64_t sample, uint64_t seed,
                                  chm_error_stats* errors)
{
    return c::guarded(context, [&] {
        if (!errors)
            c::refuse("errors: must not be NULL");
        const std::size_t wanted = c::count_of("sample", sample);
        const FieldSolver& solver = context->built_solver();
        if (context->sources.count != solver.size())
            c::refuse("sources: " + std::to_string(context->sources.count) +
                      ": must be the sources of the last chm_build()");
        const auto numbers = c::chosen(solver.size(), wanted, seed);
        *errors = {};
        if (!numbers.empty())
            *errors = c::compared(*context, numbers);
    });
}
