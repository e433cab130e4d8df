// Contexts, their sources and their statistics.
#include "chamomile/interfaces/c/chamomile.h"

#include <new>

#include "chamomile/core/version.hpp"
#include "chamomile/interfaces/c/context.hpp"

using namespace chamomile;

extern "C" {

const char* chm_version(void)
{
    return chamomile::version;
}

int chm_create(chm_context** context)
{
    if (!context)
        return CHM_USAGE;
    *context = nullptr;
    try {
        *context = new chm_context;
        return CHM_OK;
    } catch (...) {
        return CHM_NUMERIC;
    }
}

void chm_destroy(chm_context* context)
{
    // After fork(), threads and device belong to the parent. In the child the context is not
    // deleted.
    if (context && context->is_ours())
        delete context;
}

void chm_cancel(chm_context* context)
{
    if (context)
        context->is_cancelled = true;
}

const char* chm_last_error(const chm_context* context)
{
    return context ? context->errors.last() : "context: NULL: must be a context from chm_create()";
}

const char* chm_options(void)
{
    return c::options_text().c_str();
}

int chm_set_option(chm_context* context, const char* key, const char* value)
{
    return c::guarded(context, [&] {
        if (!key || !value)
            c::refuse("option: key or value: must not be NULL");
        c::set_option(context->options, key, value);
        context->is_built = false;
        context->solver.reset();
        context->batch.reset();
    });
}

int chm_set_sources(chm_context* context, int64_t n, chm_view position, chm_view mass,
                    chm_view velocity)
{
    return c::guarded(context, [&] { context->set_sources(n, position, mass, velocity); });
}

int chm_set_softenings(chm_context* context, chm_view softening)
{
    return c::guarded(context, [&] { context->set_softenings(softening); });
}

int chm_build(chm_context* context)
{
    return c::guarded(context, [&] {
        if (!context->has_sources)
            c::refuse("order of calls: call chm_set_sources() first");
        context->build();
    });
}

int chm_refit(chm_context* context)
{
    return c::guarded(context, [&] {
        FieldSolver& solver = context->built_solver();
        if (context->sources.count != solver.size())
            c::refuse("sources: " + std::to_string(context->sources.count) + ": must be " +
                      std::to_string(solver.size()) + ", as in chm_build()");
        if (context->has_own_softenings != bool(context->sources.softening))
            c::refuse("softening of the sources: must be set for both chm_build() and chm_refit(), "
                      "or for neither");
        context->softened.clear();
        try {
            solver.refit(context->sources);
        } catch (...) { // sources may be partly updated
            context->is_built = false;
            throw;
        }
    });
}

int chm_stats(chm_context* context, chm_run_stats* stats)
{
    return c::guarded(context, [&] {
        if (!stats)
            c::refuse("stats: must not be NULL");
        *stats = context->stats;
    });
}

const char* chm_device(const chm_context* context)
{
    return context ? context->device.c_str() : "";
}

} // extern "C"
