#include "app/solver_sweep.hpp"

#include "app/solver_options.hpp"
#include "core/error.hpp"

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

/// `settings` with each value of the list put in.
template <class T, class Put>
void cross(std::vector<SolverOptions>& settings, const std::vector<T>& values, Put put)
{
    std::vector<SolverOptions> all;
    for (const SolverOptions& setting : settings)
        for (const T& value : values) {
            all.push_back(setting);
            put(all.back(), value);
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
            names.insert(names.begin(), "relative");
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

} // namespace

void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep)
{
    add_law_options(options, solver);
    options.texts("criterion", "relative|geometric|minimum-distance|moments,...", sweep.criteria,
                  criterion_help, criterion_names());
    options.numbers("tolerance", sweep.tolerances, tolerance_range, tolerance_help);
    options.numbers("theta", sweep.thetas, theta_range, theta_help);
    options.numbers("order", sweep.orders, between(0, 2), order_help);
    options.numbers("local-order", sweep.local_orders, between(0, 6), local_order_help);
    options.numbers("group-size", sweep.group_sizes, size_range, group_size_help);
    options.numbers("leaf-size", sweep.leaf_sizes, size_range, leaf_size_help);
    options.texts("device", "auto|cpu|gpu[:n],...", sweep.devices, device_help);
    options.texts("instruction-set", "auto|avx512|avx2|baseline,...", sweep.instruction_sets,
                  instruction_set_help, instruction_set_words);
}

std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options)
{
    std::vector<SolverOptions> settings{solver};
    cross(settings, sweep.devices, [](SolverOptions& o, const auto& x) { o.device = x; });
    cross(settings, sweep.instruction_sets,
          [](SolverOptions& o, const auto& x) { o.instruction_set = x; });
    std::erase_if(settings, [&](const SolverOptions& o) {
        return o.instruction_set != sweep.instruction_sets.front() &&
               make_solver(o)->options().device != "cpu";
    });
    if (is_tree(solver)) {
        cross(settings, sweep.orders, [](SolverOptions& o, int x) { o.order = x; });
        cross(settings, sweep.local_orders, [](SolverOptions& o, int x) { o.local_order = x; });
    }
    cross(settings, sweep.group_sizes, [](SolverOptions& o, int x) { o.group_size = x; });
    if (is_tree(solver)) {
        cross(settings, sweep.leaf_sizes, [](SolverOptions& o, int x) { o.leaf_size = x; });
        cross(settings, criteria_of(sweep, options), [](SolverOptions& o, const Limit& x) {
            o.criterion = x.criterion;
            (compares_accelerations(x.criterion) ? o.tolerance : o.theta) = x.value;
        });
    }
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
        {"solver", [](const O& o) { return describe(o)["solver"]; }},
        {"precision", [](const O& o) { return describe(o)["precision"]; }},
        {"order", [](const O& o) { return is_tree(o) ? std::to_string(o.order) : "-"; }},
        {"local order",
         [](const O& o) { return is_tree(o) ? std::to_string(o.local_order) : "-"; }},
        {"group", [](const O& o) { return size_text(o.group_size); }},
        {"leaf", [](const O& o) { return is_tree(o) ? size_text(o.leaf_size) : "-"; }},
        {"criterion", [](const O& o) { return is_tree(o) ? criterion_name(o.criterion) : "-"; }},
        {"tolerance",
         [](const O& o) {
             return is_tree(o) && compares_accelerations(o.criterion) ? shortest(o.tolerance) : "-";
         }},
        {"theta",
         [](const O& o) {
             return is_tree(o) && !compares_accelerations(o.criterion) ? shortest(o.theta) : "-";
         }},
    };
    return columns;
}

} // namespace chamomile::app
