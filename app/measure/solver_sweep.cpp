#include "app/measure/solver_sweep.hpp"

#include <algorithm>

#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"

namespace chamomile::app {
namespace {

bool is_tree(const SolverOptions& solver)
{
    return solver.solver == SolverKind::tree;
}

std::string size_text(int size)
{
    return size == 0 ? "auto" : std::to_string(size);
}

/// `settings` with each value of the list put in, or in those that `takes` says.
template <class T, class Put>
void cross(std::vector<SolverOptions>& settings, const std::vector<T>& values, Put put,
           bool (*takes)(const SolverOptions&) = nullptr)
{
    std::vector<SolverOptions> all;
    for (const SolverOptions& setting : settings) {
        if (takes && !takes(setting)) {
            all.push_back(setting);
            continue;
        }
        for (const T& value : values) {
            all.push_back(setting);
            put(all.back(), value);
        }
    }
    settings = std::move(all);
}

/// A criterion and its tolerance or opening angle.
struct Limit {
    Criterion criterion;
    double value;
};

std::vector<Limit> criteria_of(const SolverSweep& sweep, const Options& options)
{
    std::vector<std::string> names = sweep.criteria;
    if (!options.given("criterion") && options.given("theta")) {
        names = {"geometric"};
        if (options.given("tolerance"))
            names.insert(names.begin(), "moments");
    }
    std::vector<Limit> limits;
    bool takes_tolerance = false, takes_theta = false;
    for (const std::string& name : names) {
        const Criterion criterion = criterion_named(name);
        const bool tolerance = compares_accelerations(criterion);
        (tolerance ? takes_tolerance : takes_theta) = true;
        for (double value : tolerance ? sweep.tolerances : sweep.thetas)
            limits.push_back({criterion, value});
    }
    const auto refuse = [&](const char* option) {
        throw Error(Fault::usage,
                    options.command() + ": " + option + ": no --criterion of the list takes it");
    };
    if (options.given("tolerance") && !takes_tolerance)
        refuse("--tolerance");
    if (options.given("theta") && !takes_theta)
        refuse("--theta");
    return limits;
}

void cross_accuracies(std::vector<SolverOptions>& settings, const SolverSweep& sweep,
                      const Options& options)
{
    std::vector<std::string> criteria = sweep.criteria;
    if (!options.given("criterion"))
        criteria.resize(1);
    cross(
        settings, criteria,
        [](SolverOptions& o, const std::string& x) { o.criterion = criterion_named(x); }, is_tree);
    cross(
        settings, sweep.accuracy.errors,
        [&](SolverOptions& o, double x) { settle_accuracy(options, sweep.accuracy, x, o); },
        is_tree);
}

} // namespace

void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep)
{
    add_law_options(options, solver);
    options.texts("solver", "tree|direct,...", sweep.solvers, solver_help, solver_names());
    options.numbers("eps", sweep.softening_lengths, not_negative, softening_length_help);
    options.texts("precision", "float|double,...", sweep.precisions, precision_help,
                  precision_names());
    options.texts("criterion", "moments|relative|geometric|minimum-distance,...", sweep.criteria,
                  criterion_help, criterion_names());
    options.numbers("tolerance", sweep.tolerances, tolerance_range, tolerance_help);
    options.numbers("theta", sweep.thetas, theta_range, theta_help);
    options.numbers("order", sweep.orders, between(0, 4), order_help);
    options.numbers("local-order", sweep.local_orders, between(0, 6), local_order_help);
    options.numbers("group-size", sweep.group_sizes, size_range, group_size_help);
    options.numbers("leaf-size", sweep.leaf_sizes, size_range, leaf_size_help);
    add_accuracy_options(options, sweep.accuracy, AccuracyUse::list);
    options.texts("device", "auto|cpu|gpu[:n],...", sweep.devices, device_help);
    options.texts("instruction-set", "auto|avx512|avx2|baseline,...", sweep.instruction_sets,
                  instruction_set_help, instruction_set_words);
    add_periodic_options(options, solver.periodic);
}

void settle_sweep(const Options& options, const SolverSweep& sweep, SolverOptions& solver)
{
    const auto has = [](const std::vector<std::string>& list, const char* word) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    solver.order = *std::max_element(sweep.orders.begin(), sweep.orders.end());
    solver.local_order = *std::max_element(sweep.local_orders.begin(), sweep.local_orders.end());
    if (!has(sweep.precisions, "float"))
        solver.precision = Precision::double_precision;
    if (has(sweep.solvers, "tree"))
        return;
    solver.solver = SolverKind::direct;
    refuse_tree_options(options, "needs a tree among --solver");
}

std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options)
{
    std::vector<SolverOptions> settings{solver};
    if (!sweep.accuracy.errors.empty()) // refuses what contradicts
        settle_accuracy(options, sweep.accuracy, sweep.accuracy.errors.front(), solver);
    else
        settle_accuracy(options, sweep.accuracy, solver);
    if (options.given("eps"))
        cross(settings, sweep.softening_lengths,
              [](SolverOptions& o, double x) { o.softening.length = x; });
    cross(settings, sweep.devices, [](SolverOptions& o, const auto& x) { o.device = x; });
    cross(settings, sweep.instruction_sets,
          [](SolverOptions& o, const auto& x) { o.instruction_set = x; });
    std::erase_if(settings, [&](const SolverOptions& o) {
        return o.instruction_set != sweep.instruction_sets.front() &&
               make_solver(o)->options().device != "cpu";
    });
    cross(settings, sweep.solvers,
          [](SolverOptions& o, const auto& x) { o.solver = solver_named(x); });
    cross(settings, sweep.precisions,
          [](SolverOptions& o, const auto& x) { o.precision = precision_named(x); });
    cross(
        settings, sweep.orders, [](SolverOptions& o, int x) { o.order = x; }, is_tree);
    cross(
        settings, sweep.local_orders, [](SolverOptions& o, int x) { o.local_order = x; }, is_tree);
    cross(settings, sweep.group_sizes, [](SolverOptions& o, int x) { o.group_size = x; });
    cross(
        settings, sweep.leaf_sizes, [](SolverOptions& o, int x) { o.leaf_size = x; }, is_tree);
    if (!sweep.accuracy.errors.empty())
        cross_accuracies(settings, sweep, options);
    else if (std::any_of(settings.begin(), settings.end(), is_tree))
        cross(
            settings, criteria_of(sweep, options),
            [](SolverOptions& o, const Limit& x) {
                o.criterion = x.criterion;
                (compares_accelerations(x.criterion) ? o.tolerance : o.theta) = x.value;
            },
            is_tree);
    for (const SolverOptions& setting : settings)
        make_solver(setting); // refuses what is out of range before anything takes long
    return settings;
}

std::span<const SettingColumn> setting_columns()
{
    using O = SolverOptions;
    static constexpr SettingColumn columns[] = {
        {"device", [](const O& o) { return o.device; }},
        {"instruction set",
         [](const O& o) { return o.device == "cpu" ? o.instruction_set : std::string("-"); }},
        {"softening", [](const O& o) { return describe(o.softening); }},
        {"solver", [](const O& o) { return describe(o)["solver"]; }},
        {"precision", [](const O& o) { return describe(o)["precision"]; }},
        {"order", [](const O& o) { return is_tree(o) ? std::to_string(o.order) : "-"; }},
        {"local order",
         [](const O& o) { return is_tree(o) ? std::to_string(o.local_order) : "-"; }},
        {"group", [](const O& o) { return size_text(o.group_size); }},
        {"leaf", [](const O& o) { return is_tree(o) ? size_text(o.leaf_size) : "-"; }},
        {"criterion",
         [](const O& o) { return is_tree(o) ? word_of(o.criterion, criterion_words) : "-"; }},
        {"tolerance",
         [](const O& o) {
             return is_tree(o) && compares_accelerations(o.criterion) ? shortest(o.tolerance) : "-";
         }},
        {"theta",
         [](const O& o) {
             return is_tree(o) && !compares_accelerations(o.criterion) ? shortest(o.theta) : "-";
         }},
        {"accuracy", [](const O& o) { return o.accuracy ? shortest(o.accuracy->error) : "-"; }},
    };
    return columns;
}

} // namespace chamomile::app
