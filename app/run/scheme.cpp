#include "app/run/scheme.hpp"

#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/force/small_sets.hpp"
#include "chamomile/integrate/device_check.hpp"
#include "chamomile/integrate/resident.hpp"

namespace chamomile::app {
namespace {

[[noreturn]] void refuse(const std::string& line)
{
    throw Error(Fault::usage, "run: " + line);
}

/// The leapfrog on the GPU sums directly, in steps of one length, unless a tree is asked for or
/// the particles lie in a box.
void settle_resident(const Options& options, SolverOptions& solver, bool in_box)
{
    if ((options.given("solver") && solver.solver == SolverKind::tree) || in_box) {
        if (solver.solver == SolverKind::direct)
            refuse("--resident: direct sums on the GPU are not periodic");
        refuse_idle(options, {{true, "accuracy tune", "contradicts --resident"}});
        return;
    }
    const std::string direct = "--resident sums directly without --solver tree";
    refuse_idle(options, {{true, "block-steps", "contradicts --resident without --solver tree"}});
    refuse_tree_options(options, "is for trees; " + direct);
    refuse_idle(options, {{true, "group-size", "is for trees; " + direct},
                          {true, "adaptive", direct + ", in steps of --dt"}});
    if (options.given("softening") && solver.softening.kind != SofteningKind::plummer)
        refuse("--softening spline: --resident knows Plummer softening alone");
    solver.solver = SolverKind::direct;
}

/// The leapfrog, in steps of one length, adaptive or individual ones.
void settle_leapfrog(const Options& options, SchemeRequest& request, TimeStep& step,
                     SolverOptions& solver, bool in_box)
{
    const bool blocks = request.block_steps, given_step = options.given("dt");
    refuse_idle(options,
                {{true, "shared-steps eta-start iterations final-evaluation count-short-steps",
                  "needs --integrator hermite"},
                 {!blocks, "rungs rebuild-above host-below", "needs --block-steps"},
                 {given_step, "step-criterion", "needs --block-steps or --adaptive"},
                 {blocks, "dt adaptive", "contradicts --block-steps"},
                 {solver.solver == SolverKind::direct, "rebuild-above", "needs --solver tree"},
                 {request.resident, "host-below", "contradicts --resident"},
                 {options.given("accuracy"), "host-below", "not with --accuracy"},
                 {in_box, "host-below", "not in a periodic box"}});
    if (blocks || options.given("step-criterion"))
        step.criterion = request.blocks.criterion;
    if (!options.given("eta") && step.criterion == StepCriterion::potential)
        step.eta = request.blocks.eta;
    request.blocks.eta = step.eta;
    if (request.resident)
        settle_resident(options, solver, in_box);
}

/// The Hermite scheme, of isolated particles, by direct sums in double.
void settle_hermite(const Options& options, SchemeRequest& request, TimeStep& step,
                    SolverOptions& solver, bool in_box)
{
    const bool fixed = options.given("dt"), box_is_given = options.given("box");
    refuse_idle(
        options,
        {{in_box, "box", "hermite is not periodic; leave out one of the two"},
         {in_box && !box_is_given, "integrator",
          "hermite is not periodic, and the file states a box; --box 0 runs it isolated"},
         {true, "rungs rebuild-above host-below step-criterion resident", "is for the leapfrog"},
         {true, "adaptive", "is for the leapfrog; the steps of hermite are unless --dt is given"},
         {fixed, "block-steps", "contradicts --dt"},
         {request.shared_steps, "block-steps", "contradicts --shared-steps"}});
    refuse_tree_options(options, "is for trees; hermite sums directly");
    refuse_idle(options, {{true, "group-size", "is for trees; hermite sums directly"}});
    if (options.given("solver") && solver.solver != SolverKind::direct)
        refuse("--solver tree: hermite sums directly; leave it out");
    if (options.given("softening") && solver.softening.kind != SofteningKind::plummer)
        refuse("--softening spline: hermite knows Plummer softening alone");
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

/// Of one evaluation, in the mean.
std::string milliseconds(double seconds, std::uint64_t evaluations)
{
    return evaluations > 0 ? formatted("%.3f", 1e3 * seconds / double(evaluations)) : "-";
}

/// How many particles had steps of each length, and what their evaluations cost.
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
    lines.push_back(formatted("%.4g steps of particles in %llu evaluations, %.4g in the mean",
                              steps, (unsigned long long)evaluations,
                              ratio(steps, double(evaluations))));
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
        lines.push_back(formatted("%llu steps should have been shorter than --dt-min or --rungs "
                                  "allow",
                                  (unsigned long long)report.below_shortest));
    return lines;
}

} // namespace

void add_scheme_options(Options& options, SchemeRequest& request)
{
    options.choice("integrator", request.scheme,
                   {{"leapfrog", Scheme::leapfrog}, {"hermite", Scheme::hermite}},
                   "leapfrog: second order, one step for all or individual ones; hermite: fourth "
                   "order, direct sums in double, of isolated stars that meet closely");
    options.flag("resident", request.resident,
                 "of the leapfrog: particles stay on the GPU, with direct sums, or by --solver "
                 "tree and in boxes with a tree");
    options.flag("block-steps", request.block_steps,
                 "individual steps in powers of two, instead of --adaptive or --dt; hermite has "
                 "them unless --dt or --shared-steps is given");
    options.choice(
        "step-criterion", request.blocks.criterion,
        {{"potential", StepCriterion::potential}, {"softening", StepCriterion::softening}},
        "of the leapfrog's individual or adaptive steps, eta times: potential: Gm/|phi|^1.5, Gm = "
        "phi^2/|a|, eta "
        "0.03 unless given, of individual steps of isolated particles unless given; softening: "
        "sqrt(eps/|a|), eta 0.1, or 0.2 of comoving files, whose criterion it is");
    options.number("rungs", request.blocks.rungs, between(0, 40),
                   "of the leapfrog's individual steps: most factors of two between the whole "
                   "step and the shortest");
    options.number("rebuild-above", request.blocks.rebuild, not_negative,
                   "of the leapfrog's individual steps: within a whole step the tree is built anew "
                   "for at least this part of the particles; fewer take the cells that there are. "
                   "Unless given, cells are taken as long as lists hardly grow");
    options.number("host-below", request.host_below, not_negative,
                   "of the leapfrog's individual steps on a GPU: fewer active particles than this "
                   "are left to the processor; measured once unless given");
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
                   SolverOptions& solver, bool in_box)
{
    const auto settle = request.scheme == Scheme::leapfrog ? settle_leapfrog : settle_hermite;
    settle(options, request, step, solver, in_box);
}

std::string check_device(const SchemeRequest& request, const SolverOptions& solver)
{
    if (settled(solver).device == "cpu")
        return "";
    const double start = wall_clock_seconds();
    const double difference = request.scheme == Scheme::hermite ? check_jerk_device(solver)
                                                                : chamomile::check_device(solver);
    return formatted("checked      sums of the device differ from the host's by %.1e, in %.2f s",
                     difference, wall_clock_seconds() - start);
}

Mover::Mover(const SchemeRequest& request, const SolverOptions& solver, const TimeStep& step,
             const Clock& clock)
    : step_(step)
{
    if (request.resident && solver.solver == SolverKind::direct) {
        integrator_ = make_resident_leapfrog(solver, step);
        return;
    }
    if (request.scheme == Scheme::leapfrog && request.block_steps) {
        BlockSteps steps = request.blocks;
        steps.shortest = step.shortest;
        steps.longest = step.longest;
        solver_ = request.resident ? make_solver(solver)
                                   : make_solver_with_host(solver, request.host_below);
        auto blocks = request.resident ? make_resident_blocks(*solver_, steps, clock)
                                       : std::make_unique<BlockLeapfrog>(*solver_, steps, clock);
        blocks_ = blocks.get();
        integrator_ = std::move(blocks);
        return;
    }
    if (request.resident) {
        solver_ = make_solver(solver);
        integrator_ = make_resident_tree(*solver_, step, clock);
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
    const bool by_potential = step_.criterion == StepCriterion::potential;
    if (blocks_)
        return formatted("in blocks of individual steps, by the %s, eta = %s",
                         by_potential ? "potential" : "softening", shortest(step_.eta).c_str());
    if (!hermite_)
        return std::string("in adaptive steps, ") + (by_potential ? "by the potential, " : "") +
               "eta = " + shortest(step_.eta);
    return hermite_->options().sharing == StepSharing::blocks ? "in blocks of individual steps"
                                                              : "in adaptive steps that all share";
}

std::vector<std::string> Mover::summary(const Particles& particles) const
{
    if (blocks_ && !blocks_->report().rungs.empty())
        return rung_table(blocks_->report());
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
