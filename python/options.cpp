#include "python/options.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/nearest_name.hpp"
#include "chamomile/force/accuracy/methods.hpp"

namespace chamomile::python {
namespace {

template <class T>
using Words = std::vector<std::pair<std::string, T>>;

const Words<SolverKind> solver_words = {{"tree", SolverKind::tree}, {"direct", SolverKind::direct}};
const Words<Criterion> criterion_words = {{"moments", Criterion::moments},
                                          {"relative", Criterion::relative},
                                          {"geometric", Criterion::geometric},
                                          {"minimum-distance", Criterion::minimum_distance}};
const Words<SofteningKind> kernel_words = {{"plummer", SofteningKind::plummer},
                                           {"spline", SofteningKind::spline}};
const Words<Precision> precision_words = {{"single", Precision::single_precision},
                                          {"double", Precision::double_precision}};

std::string text_of(nb::handle value)
{
    return nb::str(value).c_str();
}

/// A value of the wrong Python type is the caller's TypeError.
template <class T>
T value_of(const std::string& key, nb::handle value, const char* what)
{
    T result{};
    if (!nb::try_cast(value, result))
        throw nb::type_error((key + ": " + text_of(value) + ": must be " + what).c_str());
    return result;
}

double number(const std::string& key, nb::handle value)
{
    return value_of<double>(key, value, "a number");
}

int whole(const std::string& key, nb::handle value)
{
    return value_of<int>(key, value, "a whole number");
}

template <class T>
T word(const std::string& key, nb::handle value, const Words<T>& words)
{
    std::vector<std::string> known;
    std::string list;
    for (const auto& [name, meaning] : words) {
        if (nb::isinstance<nb::str>(value) && name == text_of(value))
            return meaning;
        known.push_back(name);
        list += (list.empty() ? "" : ", ") + name;
    }
    throw Error(Fault::usage, key + ": " + text_of(value) + ": must be one of " + list +
                                  suggestion(text_of(value), known));
}

template <class T>
const char* name_of(T meaning, const Words<T>& words)
{
    for (const auto& word : words)
        if (word.second == meaning)
            return word.first.c_str();
    return "";
}

using Reader = std::function<void(SolverOptions&, const std::string&, nb::handle)>;

const std::vector<std::pair<std::string, Reader>>& readers()
{
    using O = SolverOptions;
    using S = const std::string&;
    using V = nb::handle;
    static const std::vector<std::pair<std::string, Reader>> all = {
        {"solver", [](O& o, S k, V v) { o.solver = word(k, v, solver_words); }},
        {"criterion", [](O& o, S k, V v) { o.criterion = word(k, v, criterion_words); }},
        {"tolerance", [](O& o, S k, V v) { o.tolerance = number(k, v); }},
        {"theta", [](O& o, S k, V v) { o.theta = number(k, v); }},
        {"order", [](O& o, S k, V v) { o.order = whole(k, v); }},
        {"local_order", [](O& o, S k, V v) { o.local_order = whole(k, v); }},
        {"group_size", [](O& o, S k, V v) { o.group_size = whole(k, v); }},
        {"leaf_size", [](O& o, S k, V v) { o.leaf_size = whole(k, v); }},
        {"batch_size", [](O& o, S k, V v) { o.batch_size = whole(k, v); }},
        {"softening",
         [](O& o, S k, V v) {
             o.softening.length = number(k, v);
             if (!(o.softening.length >= 0)) // by its name here
                 throw Error(Fault::usage, k + ": " + text_of(v) + ": must be 0 or more");
         }},
        {"kernel", [](O& o, S k, V v) { o.softening.kind = word(k, v, kernel_words); }},
        {"G",
         [](O& o, S k, V v) {
             o.gravitational_constant = number(k, v);
             if (!(o.gravitational_constant > 0))
                 throw Error(Fault::usage, k + ": " + text_of(v) + ": must be above 0");
         }},
        {"precision", [](O& o, S k, V v) { o.precision = word(k, v, precision_words); }},
        {"decorrelate",
         [](O& o, S k, V v) {
             o.decorrelate = value_of<std::uint64_t>(k, v, "a seed, 0 or more");
         }},
        {"accuracy", [](O& o, S k, V v) { o.accuracy = AccuracyGoal{.error = number(k, v)}; }},
        {"device", [](O& o, S k, V v) { o.device = value_of<std::string>(k, v, "a text"); }},
        {"instruction_set",
         [](O& o, S k, V v) { o.instruction_set = value_of<std::string>(k, v, "a text"); }},
    };
    return all;
}

/// What is given beside the goal is not for it to choose.
void settle_goal(SolverOptions& options, nb::dict keywords)
{
    AccuracyGoal& goal = *options.accuracy;
    if (is_given(keywords, "criterion"))
        goal.criterion = options.criterion;
    if (is_given(keywords, "order"))
        goal.order = options.order;
    if (is_given(keywords, "local_order"))
        goal.local_order = options.local_order;
    if (is_given(keywords, "precision") && options.precision == Precision::single_precision &&
        goal.error < least_goal_in_float)
        throw Error(Fault::usage,
                    "accuracy: " + text_of(keywords["accuracy"]) + ": needs precision double");
}

} // namespace

SolverOptions read_options(nb::dict keywords)
{
    SolverOptions options;
    std::vector<std::string> known;
    for (const auto& reader : readers())
        known.push_back(reader.first);
    for (auto [key_object, value] : keywords) {
        const std::string key = text_of(key_object);
        const auto found = std::find_if(readers().begin(), readers().end(),
                                        [&](const auto& reader) { return reader.first == key; });
        if (found == readers().end())
            throw Error(Fault::usage, key + ": unknown option" + suggestion(key, known));
        if (value.is_none())
            continue;
        found->second(options, key, value);
    }
    for (const char* limit : {"tolerance", "theta"})
        if (is_given(keywords, "accuracy") && is_given(keywords, limit))
            throw Error(Fault::usage, std::string("accuracy and ") + limit +
                                          ": give one of the two; accuracy chooses the other");
    if (is_given(keywords, "tolerance") && is_given(keywords, "theta"))
        throw Error(Fault::usage, "tolerance and theta: give one of the two");
    if (is_given(keywords, "theta") && !is_given(keywords, "criterion"))
        options.criterion = Criterion::geometric;
    if (options.solver == SolverKind::direct)
        refuse_tree_options(keywords, "solver direct sums all pairs");
    const bool tolerance = compares_accelerations(options.criterion);
    if (is_given(keywords, tolerance ? "theta" : "tolerance"))
        throw Error(Fault::usage, std::string("criterion ") +
                                      name_of(options.criterion, criterion_words) + ": takes " +
                                      (tolerance ? "tolerance" : "theta"));
    if (options.accuracy)
        settle_goal(options, keywords);
    return options;
}

bool is_given(nb::dict keywords, const char* key)
{
    return keywords.contains(key) && !nb::object(keywords[key]).is_none();
}

void refuse_tree_options(nb::dict keywords, const std::string& why)
{
    for (const char* key : {"criterion", "tolerance", "theta", "order", "local_order", "leaf_size",
                            "decorrelate", "accuracy"})
        if (is_given(keywords, key))
            throw Error(Fault::usage, std::string(key) + ": is for trees; " + why);
}

nb::dict describe_options(const SolverOptions& options)
{
    nb::dict d;
    d["solver"] = name_of(options.solver, solver_words);
    d["criterion"] = name_of(options.criterion, criterion_words);
    if (compares_accelerations(options.criterion))
        d["tolerance"] = options.tolerance;
    else
        d["theta"] = options.theta;
    d["order"] = options.order;
    d["local_order"] = options.local_order;
    d["group_size"] = options.group_size;
    d["leaf_size"] = options.leaf_size;
    d["batch_size"] = options.batch_size;
    d["softening"] = options.softening.length;
    d["kernel"] = name_of(options.softening.kind, kernel_words);
    d["G"] = options.gravitational_constant;
    d["precision"] = name_of(options.precision, precision_words);
    d["decorrelate"] = options.decorrelate ? nb::cast(*options.decorrelate) : nb::none();
    d["accuracy"] = options.accuracy ? nb::cast(options.accuracy->error) : nb::none();
    d["device"] = options.device;
    d["instruction_set"] = options.instruction_set;
    return d;
}

} // namespace chamomile::python
