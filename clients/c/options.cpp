#include "chamomile/clients/c/options.hpp"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/nearest_name.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile::c {
namespace {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

const Words<SolverKind> solvers = {{"tree", SolverKind::tree}, {"direct", SolverKind::direct}};
const Words<Criterion> criteria = {{"moments", Criterion::moments},
                                   {"relative", Criterion::relative},
                                   {"geometric", Criterion::geometric},
                                   {"minimum_distance", Criterion::minimum_distance}};
const Words<SofteningKind> kinds = {{"plummer", SofteningKind::plummer},
                                    {"spline", SofteningKind::spline}};
const Words<Precision> precisions = {{"float", Precision::single_precision},
                                     {"double", Precision::double_precision}};
const Words<bool> switches = {{"1", true},  {"true", true},   {"yes", true}, {"on", true},
                              {"0", false}, {"false", false}, {"no", false}, {"off", false}};
const Words<int> first_numbers = {{"0", 0}, {"1", 1}};
const std::vector<std::string> keys = {
    "solver",          "criterion", "tolerance",  "theta",     "accuracy",       "order",
    "local_order",     "softening", "G",          "precision", "softening_kind", "device",
    "instruction_set", "threads",   "group_size", "leaf_size", "deterministic",  "first_number"};

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

template <class T>
T word(const std::string& key, const std::string& value, const Words<T>& words)
{
    std::vector<std::string> names;
    for (const auto& [name, meaning] : words) {
        if (name == value)
            return meaning;
        names.push_back(name);
    }
    throw Error(Fault::usage, key + ": " + value + ": must be one of " + listed(names));
}

int whole(const std::string& key, const std::string& text)
{
    const double value = number(key, text);
    if (value != std::floor(value) || std::abs(value) > 1e9)
        throw Error(Fault::usage, key + ": " + text + ": a whole number is needed");
    return int(value);
}

/// Of a criterion that is given, one that takes this limit; else the first that does.
void choose_criterion(FieldOptions& o, const std::string& key, bool tolerance, Criterion usual)
{
    if (o.criterion_given && compares_accelerations(o.solver.criterion) != tolerance)
        throw Error(Fault::usage, key + ": the criterion takes " +
                                      (tolerance ? "theta" : "tolerance") + " instead");
    if (!o.criterion_given)
        o.solver.criterion = usual;
}

void take(FieldOptions& o, const std::string& key, const std::string& value)
{
    SolverOptions& s = o.solver;
    if (key == "solver") {
        s.solver = word(key, value, solvers);
    } else if (key == "criterion") {
        s.criterion = word(key, value, criteria);
        o.criterion_given = true;
    } else if (key == "tolerance") {
        s.tolerance = number(key, value);
        choose_criterion(o, key, true, Criterion::moments);
    } else if (key == "theta") {
        s.theta = number(key, value);
        choose_criterion(o, key, false, Criterion::geometric);
    } else if (key == "accuracy") {
        const double error = number(key, value);
        s.accuracy.reset();
        if (error != 0)
            s.accuracy = AccuracyGoal{.error = error};
    } else if (key == "order") {
        s.order = whole(key, value);
    } else if (key == "local_order") {
        s.local_order = whole(key, value);
    } else if (key == "softening") {
        s.softening.length = number(key, value);
    } else if (key == "softening_kind") {
        s.softening.kind = word(key, value, kinds);
    } else if (key == "G") {
        s.gravitational_constant = number(key, value);
    } else if (key == "precision") {
        s.precision = word(key, value, precisions);
    } else if (key == "device") {
        choose_gpu(value);
        s.device = value;
    } else if (key == "instruction_set") {
        find_instruction_set(value);
        s.instruction_set = value;
    } else if (key == "threads") {
        o.threads = whole(key, value);
        if (o.threads < 0 || o.threads > most_threads)
            throw Error(Fault::usage, key + ": " + value + ": must be 1 to " +
                                          std::to_string(most_threads) + ", or 0");
    } else if (key == "group_size") {
        s.group_size = whole(key, value);
    } else if (key == "leaf_size") {
        s.leaf_size = whole(key, value);
    } else if (key == "first_number") {
        o.first_number = word(key, value, first_numbers);
    } else if (key == "deterministic") {
        word(key, value, switches);
    } else {
        throw Error(Fault::usage,
                    "option: " + key + ": unknown" + suggestion(key, keys) + ": " + listed(keys));
    }
}

} // namespace

double number(const std::string& key, const std::string& text)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end)
        throw Error(Fault::usage, key + ": " + text + ": a number is needed");
    return value;
}

void check(const FieldOptions& options)
{
    SolverOptions on_host = options.solver;
    on_host.device = "cpu";
    settled(on_host);
}

void set_option(FieldOptions& options, const std::string& key, const std::string& value)
{
    FieldOptions changed = options;
    take(changed, key, value);
    check(changed);
    options = changed;
}

} // namespace chamomile::c
