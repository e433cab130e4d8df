#include "chamomile/run/texts/accuracy_text.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numbers>
#include <optional>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile {
namespace {

/// 99 % errors are 0.4 to 2 tolerances for quadrupoles and higher orders with any particles, and
/// five for the monopoles of a disk. Sums in float add at most `float_sums`.
constexpr double tolerances = 3, float_sums = 5e-6;

/// 99 % errors of the mesh with r_s of 1.25 cells (docs/explanation/periodic.md).
constexpr double mesh_error = 1e-3;

/// An RequestedError is the max error |da|/|a| that a setting promises for `percentile` % of the
/// particles, and the reason. It comes from the AccuracyGoal, or is three times the tolerance,
/// relative to accelerations of isolated particles (docs/explanation/accuracy.md). In a box, the
/// errors of cut and mesh are the lower limit. Direct sums and opening angles promise nothing.
struct RequestedError {
    double error, percentile;
    std::string because;
};

/// Returns the fraction of a pair force that remains at the cut.
double error_of_cut(const PeriodicOptions& periodic)
{
    const double u = 0.5 * periodic.cut;
    return std::erfc(u) + 2 * u * std::exp(-u * u) * std::numbers::inv_sqrtpi;
}

std::optional<RequestedError> asked_error(const SolverOptions& setting)
{
    if (setting.accuracy)
        return RequestedError{setting.accuracy->error, setting.accuracy->percentile,
                              "the limit by {accuracy}"};
    if (setting.solver == SolverKind::direct || !compares_accelerations(setting.criterion))
        return {};
    const bool is_float = setting.precision == Precision::single_precision;
    const RequestedError of_tree{
        std::max(tolerances * setting.tolerance, is_float ? float_sums : 0), 99,
        formatted("%g times the tolerance", tolerances)};
    if (!setting.is_periodic())
        return of_tree;
    const bool has_mesh = setting.periodic.long_range == LongRangeKind::mesh;
    const RequestedError of_cut{
        std::max(error_of_cut(setting.periodic), has_mesh ? mesh_error : 0), 99,
        std::string(has_mesh ? "the error of the mesh and " : "the error of ") + "the cut at " +
            number_text(setting.periodic.cut) + " r_s without cancelling forces"};
    return of_cut.error > of_tree.error ? of_cut : of_tree;
}

} // namespace

std::string excess_text(const SolverOptions& setting, std::vector<double> errors)
{
    const std::optional<RequestedError> asked = asked_error(setting);
    if (!asked || errors.empty())
        return "";
    const double n = double(errors.size()), part = 1 - asked->percentile / 100;
    const auto larger = std::count_if(errors.begin(), errors.end(),
                                      [&](double error) { return !(error <= asked->error); });
    if (double(larger) <= n * part + 3 * std::sqrt(n * part * (1 - part)))
        return "";
    return formatted("%s %% error %.2g: above %.3g, ", number_text(asked->percentile).c_str(),
                     value_at_percentile(errors, asked->percentile), asked->error) +
           asked->because;
}

bool may_cancel(const ForceStatistics& statistics)
{
    return statistics.cancelling_part.value_or(0) > 0.01;
}

std::string cancellation_text(const ForceStatistics& statistics, const SolverOptions& setting,
                              std::size_t count,
                              const std::function<std::vector<double>(std::size_t targets)>& errors)
{
    constexpr std::size_t max_targets = 1000, min_targets = 100;
    constexpr double max_pairs = 1e9; // about a second on one processor
    if (!may_cancel(statistics) || setting.accuracy)
        return "";
    const auto not_measured = [](const std::string& reason) {
        return "forces that cancel: errors not measured: " + reason;
    };
    try {
        const std::string line = excess_text(
            setting,
            errors(std::clamp(std::size_t(max_pairs / double(count)), min_targets, max_targets)));
        return line.empty() ? ""
                            : "forces that cancel: " + line +
                                  "; {accuracy} or {solver} direct reduces errors";
    } catch (const std::bad_alloc&) {
        return not_measured("not enough memory");
    } catch (const Error& error) {
        if (error.fault() != Fault::device)
            throw;
        return not_measured(error.line());
    }
}

std::string goal_text(const AccuracyGoal& goal)
{
    return number_text(goal.percentile) + " % error at most " + number_text(goal.error);
}

std::string report_text(const AccuracyReport& report)
{
    const AccuracyGoal& goal = *report.after.accuracy;
    const std::string percent = number_text(goal.percentile) + " % error ";
    const auto number = (unsigned long long)report.evaluation;
    switch (report.event) {
    case AccuracyReport::Event::chosen:
        return percent + formatted("%.2e of %s: ", report.error, number_text(goal.error).c_str()) +
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
    std::vector<const char*> names = {"accuracy",    "criterion",  "order",
                                      "local-order", "group-size", "leaf-size"};
    if (chosen.is_periodic())
        names[3] = chosen.periodic.long_range == LongRangeKind::mesh ? "mesh" : "long-range";
    if (chosen.solver == SolverKind::direct)
        names = {"solver", "precision"};
    if (chosen.solver == SolverKind::direct && chosen.is_periodic())
        names.pop_back();
    std::vector<std::string> texts;
    for (const char* name : names) {
        const auto& row = row_of(force_options(), name);
        texts.push_back("{" + row.name + (row.setting.empty() ? "} " : "}=") + row.text(chosen));
    }
    return joined(texts, ' ');
}

} // namespace chamomile
