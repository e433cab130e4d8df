#include "app/measure/solver_sweep.hpp"

#include <algorithm>

#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/run/texts/method_text.hpp"

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

bool is_number(const std::string& word)
{
    return word.find_first_not_of("0123456789") == std::string::npos;
}

using Settings = std::vector<SolverOptions>;
using Texts = std::vector<std::string>;

/// Replaces `settings` by its product with the option values, for settings that `takes` accepts.
void cross(Settings& settings, const char* option, const Texts& texts,
           bool (*takes)(const SolverOptions&) = nullptr)
{
    const auto& row = row_of(force_options(), option);
    Settings all;
    for (const SolverOptions& setting : settings) {
        if (takes && !takes(setting)) {
            all.push_back(setting);
            continue;
        }
        for (const std::string& text : texts) {
            all.push_back(setting);
            row.put(all.back(), option, text);
        }
    }
    settings = std::move(all);
}

/// Replaces `settings` by its product with the criteria and, per criterion, its tolerances or
/// opening angles.
void cross_criteria(Settings& settings, const SolverSweep& sweep, const Options& options)
{
    Texts names = sweep.lists.at("criterion");
    if (!options.given("criterion") && options.given("theta")) {
        names = {"geometric"};
        if (options.given("tolerance"))
            names.insert(names.begin(), "moments");
    }
    Settings with, all;
    bool takes_tolerance = false, takes_theta = false;
    for (const SolverOptions& setting : settings) {
        with = {setting};
        cross(with, "criterion", names, is_tree);
        for (const SolverOptions& one : with) {
            const bool tolerance = compares_accelerations(one.criterion);
            const char* limit = tolerance ? "tolerance" : "theta";
            if (is_tree(one))
                (tolerance ? takes_tolerance : takes_theta) = true;
            Settings limits{one};
            cross(limits, limit, sweep.lists.at(limit), is_tree);
            all.insert(all.end(), limits.begin(), limits.end());
        }
    }
    settings = std::move(all);
    const auto refuse = [&](const char* option) {
        throw Error(Fault::usage,
                    options.command() + ": " + option + ": no --criterion of the list takes it");
    };
    if (options.given("tolerance") && !takes_tolerance)
        refuse("--tolerance");
    if (options.given("theta") && !takes_theta)
        refuse("--theta");
}

/// Returns the row for a list of values of one option, such as 0.4,0.6. The option parses each text
/// and gives the text to show.
OptionRow<Texts> list_row(const OptionRow<SolverOptions>& row)
{
    OptionRow<Texts> list;
    static_cast<OptionTerms&>(list) = row;
    list.kind = OptionKind::text;
    if (!list.values.ends_with(",..."))
        list.values += ",...";
    list.put = [row](Texts& values, const std::string& option, const std::string& text) {
        values.clear();
        for (const std::string& word : parts_of(text, ',')) {
            if (word.empty() && row.kind != OptionKind::number && row.kind != OptionKind::whole)
                throw Error(Fault::usage, option + ": " + text + ": a name is missing");
            SolverOptions one;
            row.put(one, option, word);
            values.push_back(row.text(one));
        }
    };
    list.text = [](const Texts& values) { return joined(values); };
    return list;
}

} // namespace

void add_swept_solver_options(Options& options, SolverOptions& solver, SolverSweep& sweep)
{
    add_force_options(options, solver, ForceUse::evaluation);
    for (const char* name :
         {"solver", "eps", "precision", "criterion", "tolerance", "theta", "order", "local-order",
          "group-size", "leaf-size", "tree", "device", "instruction-set", "accuracy"}) {
        const auto& row = row_of(force_options(), name);
        Texts& values = sweep.lists[name];
        if (const std::string usual = row.text(SolverOptions()); values.empty() && !usual.empty())
            values = {usual};
        options.add(list_row(row), values);
    }
}

void resolve_sweep(const Options& options, SolverSweep& sweep, SolverOptions& solver)
{
    Texts devices;
    for (const std::string& word : sweep.lists.at("device"))
        if (!devices.empty() && devices.back().starts_with("gpu:") && is_number(word))
            devices.back() += "," + word;
        else
            devices.push_back(word);
    sweep.lists["device"] = devices;
    const auto has = [&](const char* name, const char* word) {
        const Texts& list = sweep.lists.at(name);
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    for (const char* name : {"order", "local-order"}) {
        const Texts& list = sweep.lists.at(name); // values with one digit
        row_of(force_options(), name)
            .put(solver, name, *std::max_element(list.begin(), list.end()));
    }
    if (!has("precision", "float"))
        solver.precision = Precision::double_precision;
    if (has("solver", "tree"))
        return;
    solver.solver = SolverKind::direct;
    refuse_tree_options(options, "needs a tree among --solver");
}

std::vector<SolverOptions> swept(SolverOptions solver, const SolverSweep& sweep,
                                 const Options& options)
{
    const bool has_goal = !sweep.lists.at("accuracy").empty();
    if (!has_goal)
        require(options, refuse_idle_rows(force_options(), options.asked(),
                                          {{needs_goal, "needs --accuracy"}}));
    Settings settings{solver};
    settings[0].accuracy.reset(); // trees only
    const auto list = [&](const char* option, bool (*takes)(const SolverOptions&) = nullptr) {
        cross(settings, option, sweep.lists.at(option), takes);
    };
    if (options.given("eps") && options.given("eps-type"))
        throw Error(Fault::usage, options.command() + ": --eps-type: contradicts --eps, whose list "
                                                      "is compared; give one");
    if (options.given("eps"))
        list("eps");
    list("device");
    list("instruction-set");
    std::erase_if(settings, [&](const SolverOptions& o) {
        return o.instruction_set != sweep.lists.at("instruction-set").front() &&
               make_solver(o)->options().device != "cpu";
    });
    list("solver");
    list("precision");
    list("order", is_tree);
    list("local-order", is_tree);
    list("group-size");
    list("leaf-size", is_tree);
    list("tree", is_tree);
    if (has_goal) {
        list("criterion", is_tree);
        for (SolverOptions& setting : settings)
            if (is_tree(setting))
                setting.accuracy = solver.accuracy.value_or(AccuracyGoal());
        list("accuracy", is_tree);
    } else if (std::any_of(settings.begin(), settings.end(), is_tree)) {
        cross_criteria(settings, sweep, options);
    }
    for (SolverOptions& setting : settings) {
        if (setting.accuracy)
            resolve_forces(options, setting);
        make_solver(setting); // fails before long work starts
    }
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
        {"tree",
         [](const O& o) {
             return is_tree(o) ? row_of(force_options(), "tree").text(o) : std::string("-");
         }},
        {"criterion", [](const O& o) { return is_tree(o) ? describe(o)["criterion"] : "-"; }},
        {"tolerance",
         [](const O& o) {
             return is_tree(o) && compares_accelerations(o.criterion) ? number_text(o.tolerance)
                                                                      : "-";
         }},
        {"theta",
         [](const O& o) {
             return is_tree(o) && !compares_accelerations(o.criterion) ? number_text(o.theta) : "-";
         }},
        {"accuracy", [](const O& o) { return o.accuracy ? number_text(o.accuracy->error) : "-"; }},
    };
    return columns;
}

} // namespace chamomile::app
