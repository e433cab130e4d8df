// The field of a context's sources: at targets, at the sources, and in one call.
#include <algorithm>

#include "chamomile/interfaces/c/context.hpp"
#include "chamomile/interfaces/c/softened_targets.hpp"
#include "chamomile/interfaces/c/views.hpp"

using namespace chamomile;

namespace chamomile::c {

FieldResults results_of(std::size_t n, const chm_results* results, Overlaps& memory)
{
    if (!results)
        refuse("results: must not be NULL");
    FieldResults views;
    const auto take = [&](const char* what, const chm_view& view, int components) {
        const ArrayView taken = input(what, n, view, components, Need::optional);
        memory.writes(what, n, taken);
        return taken;
    };
    views.acceleration = take("acceleration", results->acceleration, 3);
    views.potential = take("potential", results->potential, 1);
    views.tidal = take("tidal tensor", results->tidal, 6);
    views.jerk = take("jerk", results->jerk, 3);
    if (n > 0 && !views)
        refuse("results: none: must be one or more");
    return views;
}

namespace {

SoftenedTargets checked(const chm_targets* targets, Overlaps& memory)
{
    if (!targets)
        refuse("targets: must not be NULL");
    SoftenedTargets t;
    const std::size_t n = t.points.count = count_of("targets", targets->n);
    t.points.position = input("position of the targets", n, targets->position, 3);
    t.points.velocity = input("velocity of the targets", n, targets->velocity, 3, Need::optional);
    t.softening = input("softening", n, targets->softening, 1, Need::optional);
    if (targets->self && n > 0)
        t.points.self = {input("self", n, targets->self), n};
    memory.reads("position of the targets", n, t.points.position);
    memory.reads("velocity of the targets", n, t.points.velocity);
    memory.reads("softening", n, t.softening);
    memory.reads("self", t.points.self.size(), t.points.self.data());
    if (t.softening.on_device)
        refuse("softening: must be on the host");
    return t;
}

/// Throws Error(usage) if a view is in GPU memory but the solver on the CPU.
void require_device(const FieldSolver& solver, std::initializer_list<ArrayView> views)
{
    for (const ArrayView& view : views)
        if (view.on_device && solver.options().device == "cpu")
            refuse("place: CHM_GPU: must be CHM_HOST for a context on the CPU");
}

} // namespace
} // namespace chamomile::c

extern "C" {

int chm_eval(chm_context* context, const chm_targets* targets, const chm_results* results)
{
    return c::guarded(context, [&] {
        FieldSolver& solver = context->built_solver();
        c::Overlaps memory;
        const c::SoftenedTargets t = c::checked(targets, memory);
        const FieldResults r = c::results_of(t.points.count, results, memory);
        c::require_device(solver, {t.points.position, t.points.velocity, r.acceleration,
                                   r.potential, r.tidal, r.jerk});
        context->begin_evaluation();
        if (t.points.count == 0)
            return;
        if (context->has_own_softenings) {
            FieldTargets points = t.points;
            points.softening = t.softening;
            context->timed([&] { return solver.evaluate(points, r); });
        } else if (t.softening && solver.size() > 0)
            c::evaluate(*context, t, r);
        else
            context->timed([&] { return solver.evaluate(t.points, r); });
    });
}

int chm_eval_active(chm_context* context, int64_t n, const int64_t* active,
                    const chm_results* results)
{
    return c::guarded(context, [&] {
        FieldSolver& solver = context->built_solver();
        const std::size_t count = c::count_of("active", n);
        c::Overlaps memory;
        if (active)
            memory.reads("active", count, c::input("active", count, active));
        else if (count != solver.size())
            c::refuse("active: " + std::to_string(n) + ": must be the number of sources, " +
                      std::to_string(solver.size()));
        const FieldResults r = c::results_of(count, results, memory);
        c::require_device(solver, {r.acceleration, r.potential, r.tidal, r.jerk});
        context->begin_evaluation();
        std::vector<Index>& numbers = context->active;
        numbers.clear();
        for (std::size_t k = 0; active && k < count; ++k) {
            if (active[k] < 0 || std::size_t(active[k]) >= solver.size())
                c::refuse("active: " + std::to_string(active[k]) +
                          ": must be 0 or more and below " + std::to_string(solver.size()));
            numbers.push_back(Index(active[k]));
        }
        if (count > 0)
            context->timed([&] { return solver.evaluate_sources(numbers, r); });
    });
}

int chm_eval_adjoint(chm_context* context, chm_view acceleration, chm_view potential,
                     chm_view position, chm_view mass)
{
    return c::guarded(context, [&] {
        FieldSolver& solver = context->built_solver();
        const std::size_t n = solver.size();
        c::Overlaps memory;
        const auto take = [&](const char* what, const chm_view& view, int components, bool writes) {
            const ArrayView taken = c::input(what, n, view, components, c::Need::optional);
            writes ? memory.writes(what, n, taken) : memory.reads(what, n, taken);
            return taken;
        };
        const FieldCotangents given{take("acceleration", acceleration, 3, false),
                                    take("potential", potential, 1, false)};
        const FieldGradients gradients{take("position", position, 3, true),
                                       take("mass", mass, 1, true)};
        c::require_device(
            solver, {given.acceleration, given.potential, gradients.position, gradients.mass});
        context->begin_evaluation();
        if (n > 0)
            context->timed([&] { return solver.evaluate_adjoint(given, gradients); });
    });
}

int chm_neighbours(chm_context* context, const chm_targets* targets, chm_view radius, int64_t max,
                   int64_t* count, int64_t* list)
{
    return c::guarded(context, [&] {
        FieldSolver& solver = context->built_solver();
        c::Overlaps memory;
        const FieldTargets points = c::checked(targets, memory).points;
        const ArrayView reach = c::input("radius", points.count, radius, 1);
        const std::size_t length = c::count_of("max", max);
        std::size_t entries = 0;
        if (__builtin_mul_overflow(points.count, length, &entries) || entries > std::size_t(1)
                                                                                    << 48)
            c::refuse("max: " + std::to_string(max) + ": must fit into memory");
        memory.reads("radius", points.count, reach);
        memory.writes("count", points.count, c::input("count", points.count, count));
        memory.writes("list", entries, c::input("list", entries, list));
        c::require_device(solver, {points.position, reach});
        if (points.count == 0)
            return;
        solver.neighbours(points, reach, length, {count, points.count}, {list, entries});
    });
}

int chm_solve(chm_context* context, int64_t n, const double* m, const double* x,
              double* acceleration, double* potential)
{
    return c::guarded(context, [&] {
        context->set_sources(n, chm_vectors(x), chm_numbers(m), {});
        const chm_results results = {chm_vectors(acceleration), chm_numbers(potential), {}, {}};
        c::Overlaps memory;
        memory.reads("positions", context->sources.count, context->sources.position);
        memory.reads("masses", context->sources.count, context->sources.mass);
        const FieldResults r = c::results_of(context->sources.count, &results, memory);
        context->build();
        context->begin_evaluation();
        if (context->sources.count > 0)
            context->timed([&] { return context->solver->evaluate_sources({}, r); });
    });
}

int chm_accel_strided(chm_context* context, size_t targets, size_t sources, size_t stride,
                      const double* xyz, const double* mass, double* acceleration,
                      double* potential, double G, double softening)
{
    return c::guarded(context, [&] {
        if (sources > targets)
            c::refuse("sources: " + std::to_string(sources) +
                      ": must be at most the number of targets, " + std::to_string(targets));
        const auto records = [&](const double* first) {
            return chm_view_aos(first, int64_t(stride), CHM_FLOAT64, CHM_HOST);
        };
        const std::size_t n = c::count_of("targets", int64_t(targets));
        FieldTargets points;
        points.count = n;
        points.position = c::input("positions", n, records(xyz), 3);
        context->set_sources(int64_t(sources), records(xyz),
                             chm_view_numbers(mass, int64_t(stride), CHM_FLOAT64, CHM_HOST), {});
        c::Overlaps memory;
        memory.reads("positions", n, points.position);
        memory.reads("masses", sources, context->sources.mass);
        const chm_results results = {records(acceleration), chm_numbers(potential), {}, {}};
        const FieldResults r = c::results_of(n, &results, memory);
        context->use_law(G, softening);
        context->build();
        context->begin_evaluation();
        if (n == 0)
            return;
        if (sources == targets) {
            context->timed([&] { return context->solver->evaluate_sources({}, r); });
            return;
        }
        std::vector<std::int64_t> self(n, -1);
        for (std::size_t i = 0; i < sources; ++i)
            self[i] = std::int64_t(i);
        points.self = self;
        context->timed([&] { return context->solver->evaluate(points, r); });
    });
}

} // extern "C"
