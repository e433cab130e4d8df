/// \file  The content of a chm_context, with mutual exclusion of calls and no exceptions.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/integrate/batch/batch.hpp"
#include "chamomile/interfaces/c/chamomile.h"
#include "chamomile/interfaces/c/options.hpp"

namespace chamomile::c {

/// Errors stores the message of the last failed call per thread.
class Errors {
public:
    void remember(const char* line) noexcept;
    const char* last() const noexcept;

private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::string> lines_; // by thread number
};

/// An Outcome is the status of a call and its error message.
struct Outcome {
    int status = CHM_OK;
    std::string line;
};

} // namespace chamomile::c

/// A chm_context holds options, sources and solvers of the C interface.
struct chm_context {
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    std::atomic<bool> is_cancelled = false; ///< the call in progress
    chamomile::c::Errors errors;

    chamomile::c::FieldOptions options;
    chamomile::FieldSources sources; ///< views set by the caller
    bool has_sources = false;
    std::unique_ptr<chamomile::FieldSolver> solver; ///< null: not yet made from the options
    bool is_built = false;
    bool has_own_softenings = false; ///< the sources of the last build
    /// By softening length: solvers for chm_targets.softening, with the same sources.
    std::map<double, std::unique_ptr<chamomile::FieldSolver>> softened;
    std::unique_ptr<chamomile::BatchSolver> batch; ///< null: not yet made from the options
    std::vector<chamomile::Index> active;
    std::string device;
    chm_run_stats stats{};

    chm_context();
    chamomile::FieldSolver& built_solver(); ///< Error(usage) before chm_build()
    /// Sets the source views, after checks.
    void set_sources(std::int64_t n, const chm_view& position, const chm_view& mass,
                     const chm_view& velocity);
    void set_softenings(const chm_view& softening); ///< of these sources
    void build();
    void use_law(double G, double softening); ///< from the next build()
    /// Returns a solver with different softening and the same sources.
    chamomile::FieldSolver& softened_solver(double softening);

    void begin_evaluation();
    /// Runs a part of an evaluation, and adds its time and statistics.
    template <class Part>
    void timed(Part part)
    {
        const double start = chamomile::wall_clock_seconds();
        const chamomile::ForceStatistics statistics = part();
        add(statistics, chamomile::wall_clock_seconds() - start);
    }

    bool is_ours() const; ///< created in this process

private:
    const long process_;
    void add(const chamomile::ForceStatistics& statistics, double seconds);
};

namespace chamomile::c {

using Body = void (*)(void*);

/// Runs `body(argument)` exclusively in the context. Returns the status for the caller.
int run(chm_context* context, Body body, void* argument) noexcept;

/// Like run(), for a callable.
template <class Call>
int guarded(chm_context* context, Call call) noexcept
{
    return run(
        context, [](void* argument) { (*static_cast<Call*>(argument))(); }, &call);
}

/// Throws Error(usage).
[[noreturn]] inline void refuse(const std::string& line)
{
    throw Error(Fault::usage, line);
}

/// Returns n. Throws Error(usage) if it is negative.
std::size_t count_of(const char* what, std::int64_t n);

} // namespace chamomile::c
