#include "app/options/accuracy_options.hpp"

#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/methods.hpp"

namespace chamomile::app {
namespace {

constexpr Range error_range = between(1e-12, 0.5);
const char* const accuracy_help =
    "keep this error |da|/|a| of 99 % of the particles (--accuracy-percentile): criterion, "
    "tolerance, orders and sizes that are not given are chosen by measuring error and time";

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

} // namespace chamomile::app
