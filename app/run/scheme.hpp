/// \file  The integrator of a run: `--integrator` and the options of the Hermite scheme.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/integrate/block_leapfrog.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile::app {

enum class Scheme { leapfrog, hermite };

struct SchemeRequest {
    Scheme scheme = Scheme::leapfrog;
    HermiteOptions hermite;
    BlockSteps blocks;                       ///< of the leapfrog
    std::optional<std::uint64_t> host_below; ///< active particles, with a GPU; none: measured
    bool block_steps = false, shared_steps = false, final_evaluation = false, count_short = false;
    bool resident = false; ///< the leapfrog on the GPU
};

/// Adds --integrator, --resident, --block-steps, --step-criterion, --rungs, --rebuild-above,
/// --host-below, --shared-steps, --eta-start, --iterations, --final-evaluation and
/// --count-short-steps.
void add_scheme_options(Options& options, SchemeRequest& request);

/// The time steps of --dt, --eta, --dt-min and --dt-max, and direct sums in double unless the
/// options say otherwise. Throws Error(usage) for options that the scheme would not use, and for a
/// box that it does not know.
void settle_scheme(const Options& options, SchemeRequest& request, TimeStep& step,
                   SolverOptions& solver, bool in_box);

/// Before a run trusts a GPU (integrate/device_check.hpp): a line about it, empty on the CPU.
/// Throws Error(device).
std::string check_device(const SchemeRequest& request, const SolverOptions& solver);

/// An integrator with what computes its forces.
class Mover {
public:
    /// With the leapfrog's clock, which must outlive it. Throws like make_solver() and
    /// make_jerk_solver(), Leapfrog and Hermite.
    Mover(const SchemeRequest& request, const SolverOptions& solver, const TimeStep& step,
          const Clock& clock = Clock::newtonian());

    Integrator& integrator() { return *integrator_; }
    const Integrator& integrator() const { return *integrator_; }

    /// "PEC, eta = 0.01, 0.01 at the start"; empty for the leapfrog.
    std::string scheme_text() const;
    /// "in blocks of individual steps", "in steps of 0.01", "in adaptive steps, eta = 0.1".
    std::string steps_text() const;
    /// What individual steps have done, in lines, with ids; empty for a leapfrog of shared steps.
    std::vector<std::string> summary(const Particles& particles) const;

private:
    TimeStep step_;
    std::unique_ptr<Solver> solver_;
    std::unique_ptr<JerkSolver> jerks_;
    std::unique_ptr<Integrator> integrator_;
    const Hermite* hermite_ = nullptr;
    const BlockLeapfrog* blocks_ = nullptr;
};

} // namespace chamomile::app
