#include "app/scheme.hpp"

#include "app/solver_options.hpp"
#include "app/table.hpp"
#include "core/error.hpp"
#include "integrate/resident.hpp"

namespace chamomile::app {
namespace {

constexpr const char* of_hermite[] = {"block-steps", "shared-steps",     "eta-start",
                                      "iterations",  "final-evaluation", "count-short-steps"};
constexpr const char* of_trees[] = {
    "criterion",   "tolerance",           "theta",          "order",
    "local-order", "group-size",          "leaf-size",      "decorrelate",
    "accuracy",    "accuracy-percentile", "accuracy-every", "tune"};

[[noreturn]] void refuse(const std::string& line)
{
    throw Error(Fault::usage, "run: " + line);
}

/// The leapfrog on the GPU sums directly, in steps of one length.
void settle_resident(const Options& options, SolverOptions& solver)
{
    for (const char* name : of_trees)
        if (options.given(name))
            refuse(std::string("--") + name + ": is for trees; --resident sums directly");
    if (options.given("solver") && solver.solver != SolverKind::direct)
        refuse("--solver tree: --resident sums directly; leave it out");
    if (options.given("adaptive"))
        refuse("--adaptive: contradicts --resident; give --dt");
    if (options.given("softening") && solver.softening.kind != SofteningKind::plummer)
        refuse("--softening spline: --resident knows Plummer softening alone");
    solver.solver = SolverKind::direct;
}

} // namespace

void add_scheme_options(Options& options, SchemeRequest& request)
{
    options.choice(
        "integrator", request.scheme,
        {{"leapfrog", Scheme::leapfrog}, {"hermite", Scheme::hermite}},
        "leapfrog: second order, one step for all; hermite: fourth order, direct sums in "
        "double, for stars that meet closely");
    options.flag("resident", request.resident,
                 "of the leapfrog: the whole simulation stays on the GPU, with direct sums");
    options.flag(
        "block-steps", request.block_steps,
        "of hermite: individual steps in powers of two (so unless --dt or --shared-steps)");
    options.flag("shared-steps", request.shared_steps,
                 "of hermite: the shortest step of any particle for all");
    options.number("eta-start", request.hermite.eta_start, positive,
                   "of hermite: accuracy of the first steps");
    options.number("iterations", request.hermite.iterations, between(1, 10),
                   "of hermite: n of P(EC)^n");
    options.flag("final-evaluation", request.final_evaluation,
                 "of hermite: evaluate once more after the last correction");
    options.flag(
        "count-short-steps", request.count_short,
        "of hermite: where a step falls below --dt-min, go on with that and count; the run "
        "ends there without");
}

void settle_scheme(const Options& options, SchemeRequest& request, TimeStep& step,
                   SolverOptions& solver)
{
    if (request.scheme == Scheme::leapfrog) {
        for (const char* name : of_hermite)
            if (options.given(name))
                refuse(std::string("--") + name + ": needs --integrator hermite");
        if (request.resident)
            settle_resident(options, solver);
        return;
    }
    if (request.resident)
        refuse("--resident: is for the leapfrog");
    for (const char* name : of_trees)
        if (options.given(name))
            refuse(std::string("--") + name + ": is for trees; hermite sums directly");
    if (options.given("solver") && solver.solver != SolverKind::direct)
        refuse("--solver tree: hermite sums directly; leave it out");
    if (options.given("adaptive"))
        refuse("--adaptive: is for the leapfrog; the steps of hermite are unless --dt is given");
    if (options.given("softening") && solver.softening.kind != SofteningKind::plummer)
        refuse("--softening spline: hermite knows Plummer softening alone");
    const bool fixed = options.given("dt");
    if (request.block_steps && (fixed || request.shared_steps))
        refuse(std::string("--block-steps: contradicts ") + (fixed ? "--dt" : "--shared-steps"));
    HermiteOptions& hermite = request.hermite;
    if (fixed || request.shared_steps)
        hermite.sharing = StepSharing::shared;
    if (!options.given("eta"))
        step.eta = hermite.eta;
    hermite.eta = step.eta;
    if (request.final_evaluation)
        hermite.last_evaluation = LastEvaluation::after_correction;
    if (request.count_short)
        hermite.below_shortest = BelowShortest::count;
    solver.solver = SolverKind::direct;
    if (!options.given("precision"))
        solver.precision = Precision::double_precision;
}

Mover::Mover(const SchemeRequest& request, const SolverOptions& solver, const TimeStep& step,
             const Clock& clock)
    : step_(step)
{
    if (request.resident) {
        integrator_ = make_resident_leapfrog(solver, step);
        return;
    }
    if (request.scheme == Scheme::leapfrog) {
        solver_ = make_solver(solver);
        integrator_ = std::make_unique<Leapfrog>(*solver_, step, clock);
        return;
    }
    HermiteOptions options = request.hermite;
    options.shortest = step.shortest;
    options.longest = step.longest;
    options.fixed_length = step.kind == TimeStepKind::fixed ? step.length : 0;
    jerks_ = make_jerk_solver(solver);
    auto hermite = std::make_unique<Hermite>(*jerks_, options);
    hermite_ = hermite.get();
    integrator_ = std::move(hermite);
}

std::string Mover::scheme_text() const
{
    if (!hermite_)
        return "";
    const HermiteOptions& o = hermite_->options();
    const bool last = o.last_evaluation == LastEvaluation::after_correction;
    const std::string name = o.iterations == 1 ? "PEC" : formatted("P(EC)^%d", o.iterations);
    return name + (last ? "E" : "") +
           (o.fixed_length > 0
                ? std::string()
                : ", eta = " + shortest(o.eta) + ", " + shortest(o.eta_start) + " at the start");
}

std::string Mover::steps_text() const
{
    if (step_.kind == TimeStepKind::fixed)
        return "in steps of " + shortest(step_.length);
    if (!hermite_)
        return "in adaptive steps, eta = " + shortest(step_.eta);
    return hermite_->options().sharing == StepSharing::blocks ? "in blocks of individual steps"
                                                              : "in adaptive steps that all share";
}

std::vector<std::string> Mover::summary(const Particles& particles) const
{
    if (!hermite_)
        return {};
    const HermiteReport report = hermite_->report();
    std::vector<std::string> lines;
    if (report.blocks == 0)
        return lines;
    const double steps = double(report.particle_steps);
    lines.push_back(formatted("%.4g steps of particles in %llu blocks, %.4g in the mean", steps,
                              (unsigned long long)report.blocks, steps / double(report.blocks)));
    std::string levels;
    for (const auto& [exponent, count] : report.steps_by_exponent)
        levels += formatted("%s2^%d: %llu", levels.empty() ? "" : ", ", exponent,
                            (unsigned long long)count);
    lines.push_back("steps by length, each up to twice that: " + levels);
    if (report.below_shortest > 0)
        lines.push_back(formatted("%llu steps would have been below the shortest of %.3g",
                                  (unsigned long long)report.below_shortest, report.shortest));
    if (const ClosePair& pair = report.closest; std::isfinite(pair.distance))
        lines.push_back(formatted("closest pair: ids %llu and %llu, %.4g apart at t = %.9g",
                                  (unsigned long long)particles.id[pair.i],
                                  (unsigned long long)particles.id[pair.j], pair.distance,
                                  pair.time));
    return lines;
}

} // namespace chamomile::app
