#include "interfaces/python/options.hpp"

#include <cmath>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/run/texts/stated_forces.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/plain.hpp"

namespace chamomile::python {
namespace {

template <class T>
bool is_a(nb::handle value)
{
    T result{};
    return nb::try_cast(value, result);
}

/// Returns numbers, or texts such as "1 Gyr", joined by commas. Throws nb::type_error.
std::string series_text(const std::string& key, nb::handle values)
{
    std::string text;
    const auto refuse = [&] {
        throw nb::type_error((key + ": " + nb::str(values).c_str() +
                              ": must be a list of numbers, or a text such as '0,1:5:1'")
                                 .c_str());
    };
    if (!nb::isinstance<nb::iterable>(values))
        refuse();
    for (nb::handle value : nb::iter(values)) {
        require_plain(value, key);
        const bool is_text = nb::isinstance<nb::str>(value);
        if (!is_text && !is_a<double>(value))
            refuse();
        text.append(text.empty() ? "" : ",");
        text.append(is_text ? nb::str(value).c_str() : number_text(nb::cast<double>(value)));
    }
    return text;
}

} // namespace

std::string option_text(const OptionTerms& row, const std::string& key, nb::handle value)
{
    require_plain(value, key);
    const std::string text = nb::str(value).c_str();
    const auto require = [&](bool fits, const char* what) {
        if (!fits)
            throw nb::type_error((key + ": " + text + ": must be " + what).c_str());
    };
    switch (row.kind) {
    case OptionKind::number:
        if (nb::isinstance<nb::str>(value) && !row.dimension.is_pure())
            return text;
        require(is_a<double>(value), "a number");
        return number_text(nb::cast<double>(value));
    case OptionKind::whole:
        require(is_a<std::int64_t>(value) || is_a<std::uint64_t>(value), "a whole number");
        return nb::str(nb::int_(nb::borrow(value))).c_str();
    case OptionKind::series:
        if (!nb::isinstance<nb::str>(value))
            return series_text(key, value);
        break;
    case OptionKind::flag:
        require(nb::isinstance<nb::bool_>(value), "True or False");
        return nb::cast<bool>(value) ? "true" : "false";
    case OptionKind::word:
    case OptionKind::text:
        require(nb::isinstance<nb::str>(value), "a text");
    }
    return text;
}

namespace {

/// Passes each keyword to `keyed`. Quantities are converted to the units of `frame` unless null.
/// `terms` finds the option row for a name.
template <class Keyed, class Terms>
void read(Keyed& keyed, nb::dict keywords, Terms terms, const std::vector<std::string>& known,
          const UnitFrame* frame = nullptr)
{
    for (auto [key_object, value] : keywords) {
        const std::string key = nb::str(key_object).c_str();
        const OptionTerms* row = terms(key);
        if (!row)
            throw Error(Fault::usage, key + ": unknown option" + suggestion(key, known));
        if (value.is_none())
            continue;
        const std::string text = option_text(*row, key, value);
        const bool is_quantity = frame && !row->dimension.is_pure();
        keyed.take(key, is_quantity ? in_frame(key, text, row->dimension, *frame) : text);
    }
}

nb::object value_of(const OptionTerms& row, const std::string& text)
{
    if (text.empty())
        return nb::none();
    switch (row.kind) {
    case OptionKind::number:
        if (text.find(',') != text.npos) // one per particle type
            return nb::str(text.c_str());
        return nb::float_(nb::str(text.c_str()));
    case OptionKind::whole:
        return nb::int_(nb::str(text.c_str()));
    case OptionKind::flag:
        return nb::bool_(text == "true");
    case OptionKind::series: // the default is always an empty list
    case OptionKind::word:
    case OptionKind::text:
        break;
    }
    return nb::str(text.c_str());
}

/// Returns (name, type, words, default, help, command-line name) of each row.
template <class Settings>
nb::list listed(const std::vector<OptionRow<Settings>>& rows)
{
    static constexpr const char* kinds[] = {"float", "int",  "str",
                                            "str",   "bool", "str | Sequence[float | str]"};
    nb::list all;
    for (const auto& row : rows) {
        nb::list words;
        for (const std::string& word : row.words)
            if (row.kind != OptionKind::flag)
                words.append(value_of(row, word));
        const std::string help =
            in_python(row.help) +
            (row.dimension.is_pure() ? ""
                                     : "; in units of " + dimension_name(row.dimension) +
                                           "; a Simulation also accepts a text such as '" +
                                           quantity_example(row.dimension) + "'") +
            (std::is_same_v<Settings, SolverOptions> && row.needs & needs_tree ? "; trees only"
                                                                               : "") +
            (std::is_same_v<Settings, SolverOptions> && row.needs & needs_box
                 ? "; periodic boxes only"
                 : "");
        const char* kind = row.kind == OptionKind::number && !row.dimension.is_pure()
                               ? "float | str"
                               : kinds[int(row.kind)];
        all.append(nb::make_tuple(row.plain_name(), kind, words,
                                  value_of(row, row.text(Settings())), help, row.key()));
    }
    return all;
}

/// Returns a command-line value as normalized by its option row, or none if there is no such row.
template <class Settings>
std::optional<std::string> rewritten(const std::vector<OptionRow<Settings>>& rows,
                                     const std::string& name, const std::string& text)
{
    for (const auto& row : rows)
        if (row.name == name) {
            Settings settings;
            row.put(settings, name, text);
            return row.text(settings);
        }
    return {};
}

} // namespace

KeyedOptions read_options(nb::dict keywords)
{
    KeyedOptions keyed;
    read(
        keyed, keywords, [](const std::string& key) { return find_row(force_options(), key); },
        force_keys());
    keyed.resolve();
    return keyed;
}

double quantity(const std::string& name, nb::handle value, Dimension dimension,
                const UnitFrame& frame)
{
    OptionTerms terms;
    terms.name = name;
    terms.dimension = dimension;
    return parse_number<double>(
        name, in_frame(name, option_text(terms, name, value), dimension, frame), ranges::any);
}

bool KeyedSimulation::take(const std::string& key, const std::string& value)
{
    return IntegratorOptionsReader::take(key, value) ||
           set_row(cosmology_options(), cosmology, key, value);
}

std::map<std::string, std::string> KeyedSimulation::texts() const
{
    std::map<std::string, std::string> all = IntegratorOptionsReader::texts();
    for (const auto& row : cosmology_options())
        if (given.contains(row.name))
            all[row.name] = row.text(cosmology);
    return all;
}

KeyedSimulation read_simulation(nb::dict keywords, const UnitFrame& frame)
{
    KeyedSimulation keyed;
    const auto terms = [](const std::string& key) -> const OptionTerms* {
        if (const OptionTerms* row = find_row(force_options(), key))
            return row;
        if (const OptionTerms* row = find_row(scheme_options(), key))
            return row;
        return find_row(cosmology_options(), key);
    };
    std::vector<std::string> known = run_keys();
    add_keys(known, cosmology_options());
    read(keyed, keywords, terms, known, &frame);
    return keyed;
}

void KeyedRun::take(const std::string& key, const std::string& value)
{
    const OptionRow<RunSettings>& row = *find_row(run_options(), key);
    row.put(settings, key, value);
    if (row.kind != OptionKind::flag || value != "false")
        given.insert(row.name);
}

std::string in_python(const std::string& text)
{
    static const PlainNames names = [] {
        PlainNames made = plain_names_of_runs();
        add_plain_names(made, cosmology_options());
        add_plain_names(made, run_options());
        made["output"] = "folder";
        made["overwrite"] = "overwrite=True";
        made["restart"] = "restart=True";
        return made;
    }();
    return spelled(text, {.names = &names});
}

KeyedRun read_run(nb::dict keywords, const CosmologyRequest& cosmology, const UnitFrame& frame)
{
    KeyedRun keyed;
    keyed.settings.cosmology = cosmology;
    std::vector<std::string> known;
    add_keys(known, run_options());
    read(
        keyed, keywords, [](const std::string& key) { return find_row(run_options(), key); }, known,
        &frame);
    require(refuse_idle_settings(keyed.settings, keyed.given));
    return keyed;
}

void require_same_options(const NamedOptions& earlier, const NamedOptions& now)
{
    std::set<std::string> names;
    for (const NamedOptions* options : {&earlier, &now})
        for (const auto& [name, text] : *options)
            names.insert(name);
    for (const std::string& name : changeable_options())
        names.erase(name);
    names.erase("cosmology"); // implied by the coordinates
    const auto text_of = [](const NamedOptions& options, const std::string& name) -> std::string {
        const auto found = options.find(name);
        if (found == options.end())
            return "not given";
        if (const auto text = rewritten(force_options(), name, found->second))
            return *text;
        if (const auto text = rewritten(scheme_options(), name, found->second))
            return *text;
        if (const auto text = rewritten(cosmology_options(), name, found->second))
            return *text;
        return rewritten(run_options(), name, found->second).value_or(found->second);
    };
    for (const std::string& name : names)
        if (text_of(earlier, name) != text_of(now, name))
            throw Error(Fault::restart, "restart: {" + name + "}: " + text_of(now, name) +
                                            ": must be as at the start of the run, " +
                                            text_of(earlier, name));
}

nb::dict describe_options(const SolverOptions& options)
{
    const bool tolerance = compares_accelerations(options.criterion);
    nb::dict d;
    for (const auto& row : force_options())
        if (row.name != (tolerance ? "theta" : "tolerance"))
            d[row.plain_name().c_str()] = value_of(row, row.text(options));
    return d;
}

void bind_options(nb::module_& m)
{
    m.def(
        "option_table",
        [] {
            nb::list time_loop = listed(scheme_options());
            time_loop.extend(listed(cosmology_options()));
            return nb::make_tuple(listed(force_options()), time_loop, listed(run_options()));
        },
        nb::sig("def option_table() -> tuple[list[tuple], list[tuple], list[tuple]]"),
        "(name, type, words, default, help, command-line name) of each option of forces and time "
        "loops.");
}

TimeLoopOptions complete(Snapshot& snapshot, std::optional<double> end_time, KeyedSimulation& keyed)
{
    CosmologyRequest& cosmology = keyed.cosmology;
    cosmology.asked = snapshot.comoving.has_value();
    if (!cosmology.asked)
        for (const auto& row : cosmology_options())
            if (keyed.given.contains(row.name))
                throw Error(Fault::usage,
                            row.plain_name() + ": needs a snapshot in comoving coordinates");
    if (end_time.has_value() == cosmology.asked)
        throw Error(Fault::usage, end_time ? "end_time: " + number_text(*end_time) +
                                                 ": must be z_end or a_end in comoving coordinates"
                                           : "end_time: missing: needed in plain coordinates");
    if (cosmology.asked)
        require(resolve_cosmology(cosmology, keyed.scheme, keyed.given));
    TimeLoopOptions options;
    options.clock = begin_clock(cosmology, "snapshot", keyed.options, keyed.given, snapshot);
    options.time.start_time = start_of(cosmology, snapshot);
    if (cosmology.asked)
        require(refuse_epochs(cosmology, options.time.start_time, false));
    options.time.end_time = cosmology.asked ? end_of(cosmology) : *end_time;
    require(adopt_stated(snapshot, keyed.given, keyed.options));
    keyed.resolve();
    return options;
}

} // namespace chamomile::python
