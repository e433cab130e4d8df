#include "chamomile/run/texts/scheme_text.hpp"

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/device_check.hpp"

namespace chamomile {
namespace {

/// Returns the mean time of an evaluation in milliseconds.
std::string milliseconds(double seconds, std::uint64_t evaluations)
{
    return evaluations > 0 ? formatted("%.3f", 1e3 * seconds / double(evaluations)) : "-";
}

/// Returns a table with the number of particles per step length and the cost of their evaluations.
std::vector<std::string> rung_table(const BlockReport& report)
{
    double time = 0, steps = 0, seconds = 0;
    std::uint64_t evaluations = 0;
    for (const auto& [exponent, rung] : report.rungs) {
        time += rung.particle_time;
        steps += double(rung.particle_steps);
        seconds += rung.seconds + rung.moving;
        evaluations += rung.evaluations;
    }
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : 0; };
    std::vector<std::string> lines;
    lines.push_back(formatted("%.4g particle steps in %llu evaluations, mean %.4g", steps,
                              (unsigned long long)evaluations, ratio(steps, double(evaluations))));
    lines.push_back("   step   particles     steps  evaluations  active in each  pairs of one  "
                    "forces ms:   tree  groups   lists    wait  moving ms  of the time");
    for (auto rung = report.rungs.rbegin(); rung != report.rungs.rend(); ++rung) {
        const BlockReport::Rung& r = rung->second;
        const Profile& phases = r.phases;
        const double groups = phases.seconds("groups") + phases.seconds("nodes"),
                     lists = phases.seconds("walk"), wait = phases.seconds("results");
        const auto each = [&](double seconds) { return milliseconds(seconds, r.timed); };
        lines.push_back(formatted(
            "  2^%-4d %8.3f %% %9.4g %12llu %15.6g %13.0f %10s %7s %7s %7s %7s %10s %10.1f %%",
            rung->first, 100 * ratio(r.particle_time, time), double(r.particle_steps),
            (unsigned long long)r.evaluations, ratio(double(r.targets), double(r.evaluations)),
            ratio(double(r.pairs), double(r.timed_targets)), each(r.seconds).c_str(),
            each(r.seconds - groups - lists - wait).c_str(), each(groups).c_str(),
            each(lists).c_str(), each(wait).c_str(), each(r.moving).c_str(),
            100 * ratio(r.seconds + r.moving, seconds)));
    }
    if (report.below_shortest > 0)
        lines.push_back(formatted("%llu steps were lengthened to the limit of {dt-min} or {rungs}",
                                  (unsigned long long)report.below_shortest));
    return lines;
}

} // namespace

std::string check_device(const Scheme& scheme, const SolverOptions& solver)
{
    if (resolved(of_first_rank(solver)).device == "cpu")
        return "";
    const double start = wall_clock_seconds();
    const double difference = scheme.kind == SchemeKind::hermite ? check_jerk_device(solver)
                                                                 : chamomile::check_device(solver);
    return formatted("checked      sums of the GPU and the host differ by %.1e, in %.2f s",
                     difference, wall_clock_seconds() - start);
}

std::string scheme_text(const Integrator& integrator)
{
    const auto* hermite = dynamic_cast<const Hermite*>(&integrator);
    if (!hermite)
        return "";
    const HermiteOptions& o = hermite->options();
    const bool last = o.last_evaluation == LastEvaluation::after_correction;
    const std::string name = o.iterations == 1 ? "PEC" : formatted("P(EC)^%d", o.iterations);
    return name + (last ? "E" : "") +
           (o.fixed_length > 0 ? std::string()
                               : ", eta = " + number_text(o.eta) + ", " + number_text(o.eta_start) +
                                     " at the start");
}

std::string steps_text(const Scheme& scheme)
{
    const TimeStep step = time_step_of(scheme);
    if (step.kind == TimeStepKind::fixed)
        return "in steps of " + number_text(step.length);
    if (scheme.kind == SchemeKind::hermite)
        return scheme.shared_steps ? "in shared adaptive steps" : "in blocks of individual steps";
    const bool by_potential = step.criterion == StepCriterion::potential;
    if (scheme.individual)
        return formatted("in %s of individual steps, by the %s, eta = %s",
                         scheme.block_scheme == BlockScheme::hierarchical ? "a hierarchy"
                                                                          : "blocks",
                         by_potential ? "potential" : "softening", number_text(step.eta).c_str());
    return std::string("in adaptive steps, ") + (by_potential ? "by the potential, " : "") +
           "eta = " + number_text(step.eta);
}

std::vector<std::string> step_summary(const Integrator& integrator, const Particles& particles)
{
    const Leapfrog* const leapfrog = integrator.leapfrog();
    if (leapfrog && !leapfrog->report().rungs.empty())
        return rung_table(leapfrog->report());
    const auto* hermite = dynamic_cast<const Hermite*>(&integrator);
    if (!hermite)
        return {};
    const HermiteReport report = hermite->report();
    std::vector<std::string> lines;
    if (report.blocks == 0)
        return lines;
    const double steps = double(report.particle_steps);
    lines.push_back(formatted("%.4g particle steps in %llu blocks, mean %.4g", steps,
                              (unsigned long long)report.blocks, steps / double(report.blocks)));
    std::string levels;
    for (const auto& [exponent, count] : report.steps_by_exponent)
        levels += formatted("%s2^%d: %llu", levels.empty() ? "" : ", ", exponent,
                            (unsigned long long)count);
    lines.push_back("steps by length (to twice the length): " + levels);
    if (report.below_shortest > 0)
        lines.push_back(formatted("%llu steps were lengthened to the shortest, %.3g",
                                  (unsigned long long)report.below_shortest, report.shortest));
    if (const ClosePair& pair = report.closest; std::isfinite(pair.distance))
        lines.push_back(formatted("closest pair: ids %llu and %llu, %.4g apart at t = %.9g",
                                  (unsigned long long)particles.id[pair.i],
                                  (unsigned long long)particles.id[pair.j], pair.distance,
                                  pair.time));
    return lines;
}

} // namespace chamomile
