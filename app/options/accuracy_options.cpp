#include "app/options/accuracy_options.hpp"

#include <algorithm>
#include <cmath>

#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/accuracy/methods.hpp"

namespace chamomile::app {
namespace {

constexpr Range error_range = between(1e-12, 0.5);
const char* const accuracy_help =
    "keep this error |da|/|a| of 99 % of the particles (--accuracy-percentile): criterion, "
    "tolerance, orders and sizes that are not given are chosen by measuring error and time";

/// 99 % errors are 0.4 to 2 tolerances for quadrupoles and more, whatever the particles, and five
/// for the monopoles of a disk; sums in float err by this much at most.
constexpr double tolerances = 3, float_sums = 5e-6;

} // namespace

void add_accuracy_options(Options& options, AccuracyRequest& request, AccuracyUse use)
{
    if (use == AccuracyUse::list)
        options.numbers("accuracy", request.errors, error_range, accuracy_help);
    else
        options.number("accuracy", request.error, error_range, accuracy_help);
    options.number("accuracy-percentile", request.percentile, above(0, 99.9),
                   "part of the particles, in %, whose error --accuracy is about");
    if (use == AccuracyUse::run)
        options.number("accuracy-every", request.check_every, not_negative,
                       "steps between checks of the error that --accuracy asks for; 0: none after "
                       "the first");
}

void settle_accuracy(const Options& options, const AccuracyRequest& request, double error,
                     SolverOptions& solver)
{
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::usage, options.command() + ": " + line);
    };
    for (const char* chosen : {"tolerance", "theta"})
        if (options.given(chosen))
            refuse(std::string("--accuracy and --") + chosen +
                   ": give one of the two; --accuracy chooses the other");
    if (options.given("tune"))
        refuse("--accuracy and --tune: give one of the two; --accuracy chooses sizes too");
    if (options.given("precision") && solver.precision == Precision::single_precision &&
        error < least_goal_in_float)
        refuse("--accuracy " + shortest(error) + ": needs --precision double");
    AccuracyGoal goal;
    goal.error = error;
    goal.percentile = request.percentile;
    goal.check_every = request.check_every;
    if (options.given("criterion"))
        goal.criterion = solver.criterion;
    if (options.given("order"))
        goal.order = solver.order;
    if (options.given("local-order"))
        goal.local_order = solver.local_order;
    solver.accuracy = goal;
}

void settle_accuracy(const Options& options, const AccuracyRequest& request, SolverOptions& solver)
{
    refuse_idle(options, {{!options.given("accuracy"), "accuracy-percentile accuracy-every",
                           "needs --accuracy"}});
    if (request.error)
        settle_accuracy(options, request, *request.error, solver);
}

std::optional<AskedError> asked_error(const SolverOptions& setting)
{
    if (setting.accuracy)
        return AskedError{setting.accuracy->error, setting.accuracy->percentile};
    // In a box forces cancel, and the tolerance is a part of those that do not.
    if (setting.solver == SolverKind::direct || setting.periodic ||
        !compares_accelerations(setting.criterion))
        return {};
    const bool is_float = setting.precision == Precision::single_precision;
    return AskedError{std::max(tolerances * setting.tolerance, is_float ? float_sums : 0), 99};
}

std::string excess_text(const SolverOptions& setting, std::vector<double> errors)
{
    const std::optional<AskedError> asked = asked_error(setting);
    if (!asked || errors.empty())
        return "";
    const double n = double(errors.size()), part = 1 - asked->percentile / 100;
    const auto larger = std::count_if(errors.begin(), errors.end(),
                                      [&](double error) { return !(error <= asked->error); });
    if (double(larger) <= n * part + 3 * std::sqrt(n * part * (1 - part)))
        return "";
    return formatted("%s %% error %.2g: above %s, ", shortest(asked->percentile).c_str(),
                     value_at_percentile(errors, asked->percentile),
                     shortest(asked->error).c_str()) +
           (setting.accuracy ? "the --accuracy asked for"
                             : formatted("%g times the tolerance", tolerances));
}

std::string cancellation_text(const ForceStatistics& statistics)
{
    const double part = statistics.cancelling_part.value_or(0);
    if (!(part > 0.01))
        return "";
    return formatted("forces cancel: %.0f %% of the particles have less than an eighth of the "
                     "acceleration that the tolerance is taken of, and larger errors than it "
                     "stands for; --accuracy or --solver direct keeps them small",
                     100 * part);
}

std::string goal_text(const AccuracyGoal& goal)
{
    return shortest(goal.percentile) + " % error at most " + shortest(goal.error);
}

std::string report_text(const AccuracyReport& report)
{
    const AccuracyGoal& goal = *report.after.accuracy;
    const std::string percent = shortest(goal.percentile) + " % error ";
    const auto number = (unsigned long long)report.evaluation;
    switch (report.event) {
    case AccuracyReport::Event::chosen:
        return percent + formatted("%.2e of %s: ", report.error, shortest(goal.error).c_str()) +
               method_text(report.after) +
               formatted(", groups of %d, leaves of %d; %d evaluations, %s",
                         report.after.group_size, report.after.leaf_size, report.trials,
                         duration_text(report.seconds).c_str());
    case AccuracyReport::Event::kept:
        return formatted("step %llu: ", number) + percent + formatted("%.2e", report.error);
    case AccuracyReport::Event::adjusted:
        return formatted("step %llu: ", number) + percent +
               formatted("%.2e with ", report.error_before) + method_text(report.before) +
               formatted("; %.2e with ", report.error) + method_text(report.after) +
               formatted("; %d evaluations, %s", report.trials,
                         duration_text(report.seconds).c_str());
    }
    return "";
}

std::string repeating_options(const SolverOptions& chosen)
{
    if (chosen.solver == SolverKind::direct)
        return std::string("--solver direct --precision ") +
               (chosen.precision == Precision::double_precision ? "double" : "float");
    return formatted("--accuracy %s --criterion %s --order %d --local-order %d --group-size %d "
                     "--leaf-size %d",
                     shortest(chosen.accuracy->error).c_str(),
                     criterion_name(chosen.criterion).c_str(), chosen.order, chosen.local_order,
                     chosen.group_size, chosen.leaf_size);
}

} // namespace chamomile::app
