// Checks which schemes and forces go together, and makes integrators.
#include "chamomile/integrate/scheme.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/force/lists/hybrid_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/led_integrator.hpp"
#include "chamomile/integrate/step_checks.hpp"

namespace chamomile {
namespace {

bool is_direct(const SolverOptions& options)
{
    return options.solver == SolverKind::direct;
}

/// Refuses options that contradict {resident}. Leapfrog refuses any solver without GPU arrays.
Refusal refuse_resident(const SolverOptions& options)
{
    if (options.accuracy)
        return "{accuracy}: contradicts {resident}";
    if (options.tree_built_by == TreeBuiltBy::host)
        return "{tree} host: contradicts {resident}";
    if (options.is_periodic() && is_direct(options))
        return "{resident}: contradicts direct sums in a periodic box, which run on the processor";
    if (options.is_periodic() && options.periodic.long_range == LongRangeKind::modes)
        return "{long-range}=modes: contradicts {resident}, which needs a mesh";
    return {};
}

/// If few active particles may be summed on the processor, particles are stored on the host.
Residence residence_of(const Scheme& scheme)
{
    const bool on_host =
        scheme.on_host || scheme.host_below || (scheme.field && !scheme.field->has_formulas());
    return scheme.resident ? Residence::device
           : on_host       ? Residence::host
                           : Residence::where_solved;
}

HermiteOptions hermite_options(const Scheme& scheme)
{
    const TimeStep step = time_step_of(scheme);
    HermiteOptions options{.fixed_length = scheme.fixed_length.value_or(0),
                           .eta = step.eta,
                           .eta_start = scheme.eta_start,
                           .iterations = scheme.iterations,
                           .shortest = step.shortest,
                           .longest = step.longest};
    if (scheme.fixed_length || scheme.shared_steps)
        options.sharing = StepSharing::shared;
    if (scheme.final_evaluation)
        options.last_evaluation = LastEvaluation::after_correction;
    if (scheme.count_short_steps)
        options.below_shortest = BelowShortest::count;
    return options;
}

BlockSteps block_steps(const Scheme& scheme)
{
    const TimeStep step = time_step_of(scheme);
    return {.criterion = step.criterion,
            .eta = step.eta,
            .shortest = step.shortest,
            .longest = step.longest,
            .rungs = scheme.rungs,
            .rebuild = scheme.rebuild,
            .scheme = scheme.block_scheme};
}

} // namespace

TimeStep time_step_of(const Scheme& scheme)
{
    TimeStep step;
    const bool leapfrog = scheme.kind == SchemeKind::leapfrog;
    step.kind = scheme.fixed_length ? TimeStepKind::fixed : TimeStepKind::adaptive;
    step.length = scheme.fixed_length.value_or(step.length);
    step.shortest = scheme.shortest;
    step.longest = scheme.longest.value_or(step.longest);
    step.criterion = scheme.criterion.value_or(
        leapfrog && scheme.individual ? BlockSteps().criterion : step.criterion);
    const bool by_potential = step.criterion == StepCriterion::potential;
    step.eta = scheme.eta.value_or(!leapfrog      ? HermiteOptions().eta
                                   : by_potential ? BlockSteps().eta
                                                  : step.eta);
    return step;
}

Refusal refusal(const SolverOptions& options, const Scheme& scheme)
{
    if (asks_ranks(options)) {
        const std::string ranks = name_of_ranks;
        if (scheme.kind == SchemeKind::hermite)
            return ranks + ": need {integrator} leapfrog";
        if (scheme.host_below)
            return "{host-below}: needs a single rank";
        if (scheme.resident)
            return ranks + ": contradict {resident}";
    }
    const bool by_jerks = scheme.kind == SchemeKind::hermite;
    if (scheme.field)
        if (const Refusal line = refusal(
                *scheme.field, {.in_box = options.is_periodic(),
                                .without_softening = !scheme.fixed_length && !is_softened(options),
                                .on_device = scheme.resident,
                                .by_jerks = by_jerks}))
            return line;
    if (scheme.kind == SchemeKind::hermite)
        return scheme.resident ? "{resident}: needs the leapfrog" : jerk_refusal(options);
    if (scheme.resident)
        if (const Refusal line = refuse_resident(options))
            return line;
    const bool by_potential = time_step_of(scheme).criterion == StepCriterion::potential;
    if (!scheme.fixed_length && by_potential && options.is_periodic())
        return "{step-criterion} potential: needs isolated particles; give {step-criterion} "
               "softening in a periodic box";
    if (!scheme.fixed_length && !by_potential && !is_softened(options))
        return std::string(scheme.individual ? "{block-steps}" : "{adaptive}") +
               ": criterion 'softening' needs a softening length > 0; 'potential' needs none";
    return refusal(options);
}

IntegratorWithSolver make_integrator(const SolverOptions& options, const Scheme& scheme,
                                     const Clock& clock)
{
    require(refusal(options, scheme));
    IntegratorWithSolver made;
    if (scheme.kind == SchemeKind::hermite) {
        made.jerks = make_jerk_solver(options);
        auto hermite = std::make_unique<Hermite>(*made.jerks, hermite_options(scheme));
        hermite->put_into(scheme.field);
        made.hermite = hermite.get();
        made.integrator = std::move(hermite);
        return made;
    }
    const Residence residence = residence_of(scheme);
    SolverOptions given = options;
    made.ranks = make_own_ranks(given, serve_particles);
    const RankSteps steps =
        scheme.individual ? RankSteps(block_steps(scheme)) : RankSteps(time_step_of(scheme));
    // With an accuracy goal, only rank 0 has a solver.
    if (given.ranks && residence == Residence::where_solved && !given.accuracy) {
        made.integrator = std::make_unique<LedIntegrator>(given, steps, clock);
        made.integrator->put_into(scheme.field);
        made.leapfrog = made.integrator->leapfrog();
        return made;
    }
    made.solver = scheme.individual && residence == Residence::host
                      ? make_solver_with_host(given, scheme.host_below)
                      : make_solver(given);
    made.integrator = std::visit(
        [&](const auto& one) {
            return std::make_unique<Leapfrog>(*made.solver, one, clock, residence);
        },
        steps);
    made.integrator->put_into(scheme.field);
    made.leapfrog = made.integrator->leapfrog();
    return made;
}

} // namespace chamomile
