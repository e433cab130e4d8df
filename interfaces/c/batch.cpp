// Batches of small systems, with the options of a context.
#include "chamomile/integrate/batch/batch.hpp"

#include "chamomile/interfaces/c/context.hpp"
#include "chamomile/interfaces/c/views.hpp"

using namespace chamomile;

namespace chamomile::c {
namespace {

/// The checked systems of a call.
struct CheckedSystems {
    std::vector<std::uint64_t> offsets;
    Batch batch;
};

CheckedSystems systems_of(const chm_systems* given, Need velocity, Overlaps& memory)
{
    if (!given)
        refuse("systems: must not be NULL");
    CheckedSystems s;
    const std::size_t systems = count_of("systems", given->n);
    if (given->offsets) {
        const std::int64_t* offsets = input("offsets", systems + 1, given->offsets);
        memory.reads("offsets", systems + 1, offsets);
        for (std::size_t b = 0; b <= systems; ++b)
            s.offsets.push_back(count_of("offsets", offsets[b]));
    } else {
        const std::size_t bodies = count_of("bodies", given->bodies);
        for (std::size_t b = 0; b <= systems; ++b)
            s.offsets.push_back(b * bodies);
    }
    const std::size_t n = s.offsets.back();
    s.batch = {s.offsets, input("position", n, given->position, 3),
               input("velocity", n, given->velocity, 3, velocity), input("mass", n, given->mass, 1),
               input("softening", n, given->softening, 1, Need::optional)};
    memory.reads("mass", n, s.batch.mass);
    memory.reads("softening", n, s.batch.softening);
    return s;
}

/// Returns the context's solver for batches with or without per-particle softening.
BatchSolver& solver_for(chm_context& context, const Batch& batch)
{
    const bool per_particle = bool(batch.softening);
    if (!context.batch || context.batch->options().softening.per_particle != per_particle) {
        context.batch.reset();
        FieldOptions options = context.options;
        if (!options.forces.given.contains("solver"))
            set_option(options, "solver", "direct");
        context.batch = std::make_unique<BatchSolver>(solver_options(options, per_particle));
    }
    context.device = context.batch->device();
    context.stats = {};
    context.stats.sources = std::int64_t(batch.bodies());
    return *context.batch;
}

} // namespace
} // namespace chamomile::c

extern "C" {

int chm_solve_batch(chm_context* context, const chm_systems* systems, const chm_results* results)
{
    return c::guarded(context, [&] {
        c::Overlaps memory;
        const c::CheckedSystems s = c::systems_of(systems, c::Need::optional, memory);
        const std::size_t n = s.batch.bodies();
        memory.reads("position", n, s.batch.position);
        memory.reads("velocity", n, s.batch.velocity);
        const FieldResults r = c::results_of(n, results, memory);
        BatchSolver& solver = c::solver_for(*context, s.batch);
        if (s.batch.systems() > 0)
            context->timed([&] { return solver.evaluate(s.batch, r); });
    });
}

int chm_advance_batch(chm_context* context, const chm_systems* systems, int32_t scheme,
                      int64_t lengths, const double* step, int64_t count)
{
    return c::guarded(context, [&] {
        c::Overlaps memory;
        const c::CheckedSystems s = c::systems_of(systems, c::Need::required, memory);
        memory.writes("position", s.batch.bodies(), s.batch.position);
        memory.writes("velocity", s.batch.bodies(), s.batch.velocity);
        if (scheme != CHM_LEAPFROG && scheme != CHM_HERMITE)
            c::refuse("scheme: " + std::to_string(scheme) +
                      ": must be CHM_LEAPFROG or CHM_HERMITE");
        if (!step)
            c::refuse("step: must not be NULL");
        const BatchSteps steps{scheme == CHM_HERMITE ? BatchScheme::hermite : BatchScheme::leapfrog,
                               {step, c::count_of("lengths", lengths)},
                               c::count_of("count", count)};
        BatchSolver& solver = c::solver_for(*context, s.batch);
        if (s.batch.systems() > 0)
            context->timed([&] { return solver.advance(s.batch, steps); });
    });
}

} // extern "C"
