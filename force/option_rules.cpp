// These rules say which force options fit together.
#include "chamomile/core/error.hpp"
#include "chamomile/force/accuracy/methods.hpp"
#include "chamomile/force/option_table.hpp"

namespace chamomile {
namespace {

/// With modes, the tree reaches to nearly half the box. More forces cancel there than within a
/// mesh's cutoff (docs/explanation/periodic.md).
constexpr double cut_of_modes = 7, tolerance_of_modes = 1e-4;

bool is_direct(const SolverOptions& options)
{
    return options.solver == SolverKind::direct;
}

/// Refuses float for a goal that needs double.
Refusal refuse_float(const SolverOptions& options, const GivenOptions& given, double min)
{
    if (options.accuracy && given.contains("precision") &&
        options.precision == Precision::single_precision && options.accuracy->error < min)
        return "{accuracy} " + number_text(options.accuracy->error) + ": needs {precision} double";
    return {};
}

/// Fixes the given options in the goal.
Refusal resolve_goal(SolverOptions& options, const GivenOptions& given)
{
    AccuracyGoal& goal = *options.accuracy;
    if (const Refusal line = refuse_float(options, given, min_goal_in_float))
        return line;
    if (given.contains("criterion"))
        goal.criterion = options.criterion;
    if (given.contains("order"))
        goal.order = options.order;
    if (given.contains("local-order"))
        goal.local_order = options.local_order;
    if (given.contains("split"))
        goal.split = options.periodic.split;
    if (given.contains("cut"))
        goal.cut = options.periodic.cut;
    return {};
}

} // namespace

Refusal resolve_limits(SolverOptions& options, const GivenOptions& given)
{
    for (const char* limit : {"tolerance", "theta"})
        if (given.contains("accuracy") && given.contains(limit))
            return std::string("{accuracy} and --") + limit +
                   ": give one of the two; {accuracy} chooses the other";
    if (given.contains("tolerance") && given.contains("theta"))
        return "{tolerance} and {theta}: give one of the two";
    if (!given.contains("criterion") && given.contains("theta"))
        options.criterion = Criterion::geometric;
    const bool tolerance = compares_accelerations(options.criterion);
    if (given.contains(tolerance ? "theta" : "tolerance"))
        return "{criterion} " + row_of(force_options(), "criterion").text(options) + ": needs " +
               (tolerance ? "{tolerance}" : "{theta}");
    return options.accuracy ? resolve_goal(options, given) : Refusal();
}

Refusal resolve_method(SolverOptions& options, const GivenOptions& given)
{
    std::vector<Unmet> unmet;
    if (is_direct(options))
        unmet.push_back({needs_tree, "needs {solver} tree"});
    if (!given.contains("accuracy"))
        unmet.push_back({needs_goal, "needs {accuracy}"});
    if (const Refusal line = refuse_idle_rows(force_options(), given, unmet))
        return line;
    return resolve_limits(options, given);
}

Refusal resolve_boundary(SolverOptions& options, const GivenOptions& given)
{
    const bool periodic = options.is_periodic(), direct = is_direct(options);
    std::vector<Unmet> unmet;
    if (!periodic)
        unmet.push_back({needs_box, "needs a periodic box; give {box} SIDE"});
    if (direct)
        unmet.push_back({needs_tree, "needs {solver} tree"});
    if (options.periodic.long_range == LongRangeKind::modes)
        unmet.push_back({needs_mesh, "needs {long-range}=mesh"});
    if (periodic && direct)
        unmet.push_back({needs_lists, "needs {solver} tree in a periodic box"});
    if (const Refusal refusal = refuse_idle_rows(force_options(), given, unmet))
        return refusal;
    if (!periodic)
        return {};
    if (direct) {
        const bool in_float =
            given.contains("precision") && options.precision == Precision::single_precision;
        const bool on_gpu = given.contains("device") && options.device.starts_with("gpu");
        if (in_float || on_gpu)
            return std::string(in_float ? "{precision}" : "{device}") +
                   ": must be left out: direct sums in a periodic box run in double on the "
                   "processor";
        return {};
    }
    if (options.order > 2)
        return "{order}: " + std::to_string(options.order) + ": must be 0 or 2 in a periodic box";
    if (given.contains("local-order") && options.local_order > 0)
        return "{local-order}: must be 0 in a periodic box";
    options.local_order = 0;
    if (const Refusal line = refuse_float(options, given, min_goal_in_float_in_box))
        return line;
    if (options.periodic.long_range == LongRangeKind::modes) {
        if (!given.contains("cut"))
            options.periodic.cut = cut_of_modes;
        if (!given.contains("tolerance"))
            options.tolerance = tolerance_of_modes;
    }
    return {};
}

Refusal refuse_idle_rule(const SolverOptions& options, const GivenOptions& given)
{
    if (given.contains("eps-rule") && !options.softening.per_particle)
        return "{eps-rule}: needs several softening lengths";
    return {};
}

bool is_used(const OptionTerms& row, const SolverOptions& options)
{
    unsigned there = needs_lists;
    there |= is_direct(options) ? 0u : needs_tree;
    there |= options.is_periodic() ? needs_box : 0u;
    there |= options.periodic.long_range == LongRangeKind::mesh ? needs_mesh : 0u;
    there |= options.accuracy ? needs_goal | needs_steps : 0u;
    if (row.name == "eps-rule")
        return options.softening.per_particle;
    if (row.name == "tolerance" || row.name == "theta")
        return !is_direct(options) &&
               compares_accelerations(options.criterion) == (row.name == "tolerance");
    return (row.needs & ~there) == 0;
}

bool KeyedOptions::take(const std::string& key, const std::string& value)
{
    return set_row(force_options(), options, key, value);
}

void KeyedOptions::resolve()
{
    require(refuse_idle_rows(force_options(), given,
                             {{needs_steps, "needs a time loop; this is one evaluation"}}));
    require(resolve_method(options, given));
    require(resolve_boundary(options, given));
}

void KeyedOptions::set_softenings(bool are_there)
{
    options.softening.per_particle = are_there;
    require(refuse_idle_rule(options, given));
}

std::vector<std::string> force_keys()
{
    std::vector<std::string> keys;
    add_keys(keys, force_options());
    return keys;
}

} // namespace chamomile
