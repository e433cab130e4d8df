#include "app/solver_sweep.hpp"

#include "app/solver_options.hpp"

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

} // namespace

void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep)
{
    add_law_options(options, solver);
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
        struct Criterion {
            double tolerance;
            std::optional<double> theta;
        };
        std::vector<Criterion> criteria;
        if (options.given("tolerance") || !options.given("theta"))
            for (double tolerance : sweep.tolerances)
                criteria.push_back({tolerance, {}});
        for (double theta : sweep.thetas)
            criteria.push_back({solver.tolerance, theta});
        cross(settings, criteria, [](SolverOptions& o, const Criterion& x) {
            o.tolerance = x.tolerance;
            o.theta = x.theta;
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
        {"tolerance",
         [](const O& o) { return is_tree(o) && !o.theta ? shortest(o.tolerance) : "-"; }},
        {"theta", [](const O& o) { return is_tree(o) && o.theta ? shortest(*o.theta) : "-"; }},
    };
    return columns;
}

} // namespace chamomile::app
