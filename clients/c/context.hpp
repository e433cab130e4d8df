/// \file  What a chm_context holds, and how its calls are kept from each other and from throwing.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "chamomile/clients/c/chamomile.h"
#include "chamomile/clients/c/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/force/field.hpp"

namespace chamomile::c {

/// The last line of each thread that called in vain.
class Errors {
public:
    void remember(const char* line) noexcept;
    const char* last() const noexcept;

private:
    mutable std::mutex mutex_;
    std::map<std::uint64_t, std::string> lines_; // by the number of the thread
};

/// A call's status and, of a fault, its line.
struct Outcome {
    int status = CHM_OK;
    std::string line;
};

} // namespace chamomile::c

struct chm_context {
    std::atomic_flag busy = ATOMIC_FLAG_INIT;
    chamomile::c::Errors errors;

    chamomile::c::FieldOptions options;
    chamomile::FieldSources sources; ///< as they were said to lie
    bool has_sources = false;
    std::unique_ptr<chamomile::FieldSolver> solver; ///< null: to be made of the options
    bool built = false;
    /// Of targets with a softening of their own, by its length; of the same sources.
    std::map<double, std::unique_ptr<chamomile::FieldSolver>> softened;
    std::vector<chamomile::Index> active;
    std::string device;
    chm_run_stats stats{};

    chm_context();
    chamomile::FieldSolver& built_solver(); ///< Error(usage) before chm_build()
    /// Where they lie, checked.
    void set_sources(std::int64_t n, const chm_view& position, const chm_view& mass,
                     const chm_view& velocity);
    void build();
    void use_law(double G, double softening); ///< from the next build()
    /// Of another softening, made of the same sources.
    chamomile::FieldSolver& softened_solver(double softening);

    void begin_evaluation();
    /// Runs a part of an evaluation and adds its time and statistics.
    template <class Part>
    void timed(Part part)
    {
        const double start = chamomile::wall_clock_seconds();
        const chamomile::ForceStatistics statistics = part();
        add(statistics, chamomile::wall_clock_seconds() - start);
    }

    bool is_ours() const; ///< of this process

private:
    const long process_;
    void add(const chamomile::ForceStatistics& statistics, double seconds);
};

namespace chamomile::c {

using Body = void (*)(void*);

/// Runs `body(argument)` in the context as no other call does; the status for the caller.
int run(chm_context* context, Body body, void* argument) noexcept;

template <class Call>
int guarded(chm_context* context, Call call) noexcept
{
    return run(
        context, [](void* argument) { (*static_cast<Call*>(argument))(); }, &call);
}

[[noreturn]] inline void refuse(const std::string& line)
{
    throw Error(Fault::usage, line);
}

/// n, which must not be negative.
std::size_t count_of(const char* what, std::int64_t n);

} // namespace chamomile::c
