// Option tables: names, values, rules; C and AMUSE accept every row.
#include <set>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/interfaces/amuse/gravity_code.hpp"
#include "chamomile/interfaces/c/context.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"
#include "tests/unit/c_context.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("option_table");

namespace {

/// Returns a non-default value for a row: the last word, or a number within the range.
template <class Settings>
std::string another_value(const OptionRow<Settings>& row)
{
    if (row.kind == OptionKind::flag)
        return "true";
    const std::string usual = row.text(Settings());
    if (!row.words.empty())
        return row.words.back() == usual ? row.words.front() : row.words.back();
    if (row.name == "eps-type")
        return "1=0.25,2=0.5";
    if (row.kind == OptionKind::text)
        return "cpu";
    for (const char* text : {"0.25", "4", "64"}) {
        Settings settings;
        if (text != usual && error_line([&] { row.put(settings, row.name, text); }).empty())
            return text;
    }
    return "";
}

/// Calls `check(row, value)` for each row of both tables.
template <class Check>
void for_each_row(Check check)
{
    for (const auto& row : force_options())
        check(row, another_value(row));
    for (const auto& row : scheme_options())
        check(row, another_value(row));
}

} // namespace

TEST_CASE("option names and aliases are unique; every row has a help text")
{
    std::set<std::string> names, keys;
    for_each_row([&](const OptionTerms& row, const std::string& value) {
        CAPTURE(row.name);
        CHECK(names.insert(row.name).second);
        std::set<std::string> words;
        for (const std::string& word : row.words)
            CHECK(words.insert(word).second);
        CHECK(row.help.size() > 20);
        CHECK(!row.group.empty());
        CHECK(value != "");
    });
    for (const std::string& key : run_keys()) {
        CAPTURE(key);
        CHECK(keys.insert(key).second);
        CHECK((find_row(force_options(), key) != nullptr) +
                  (find_row(scheme_options(), key) != nullptr) ==
              1);
    }
}

TEST_CASE("option rows show the value set and refuse invalid values")
{
    const auto check = [](auto& row, auto settings, const std::string& value) {
        CAPTURE(row.name);
        const auto put = [&](const char* text) {
            return error_line([&] { row.put(settings, "--" + row.name, text); });
        };
        row.put(settings, row.name, value);
        CHECK(row.text(settings) == value);
        const std::string before = row.text(settings);
        CHECK(put("") != "");
        if (row.kind != OptionKind::text)
            CHECK(put("1e400").starts_with("--" + row.name + ": 1e400: "));
        if (row.kind == OptionKind::number || row.kind == OptionKind::whole)
            CHECK(put("-1e9").starts_with("--" + row.name + ": -1e9: "));
        CHECK(row.text(settings) == before);
    };
    for (const auto& row : force_options())
        check(row, SolverOptions(), another_value(row));
    for (const auto& row : scheme_options())
        check(row, Scheme(), another_value(row));
}

TEST_CASE("option rows and make_solver() agree on ranges")
{
    const auto agrees = [](const char* name, double value, auto place) {
        CAPTURE(name);
        CAPTURE(value);
        SolverOptions direct, read;
        direct.box = std::string_view("mesh split cut").find(name) != std::string::npos;
        place(direct) = std::remove_reference_t<decltype(place(direct))>(value);
        const std::string refused = error_line([&] { make_solver(direct); });
        const std::string by_row =
            error_line([&] { row_of(force_options(), name).put(read, name, number_text(value)); });
        CHECK(refused.empty() == by_row.empty());
    };
    using O = SolverOptions;
    for (const double x : {-1.0, 0.0, 1e-13, 0.5, 1.0, 1.5, 1.51, 3.0, 7.0, 7.5, 10.0, 11.0}) {
        agrees(
            "tolerance", x, [](O & o) -> auto& { return o.tolerance; });
        agrees(
            "theta", x, [](O & o) -> auto& { return o.theta; });
        agrees(
            "eps", x, [](O & o) -> auto& { return o.softening.length; });
        agrees(
            "G", x, [](O & o) -> auto& { return o.gravitational_constant; });
        agrees(
            "split", x, [](O & o) -> auto& { return o.periodic.split; });
        agrees(
            "cut", x, [](O & o) -> auto& { return o.periodic.cut; });
    }
    for (const int k : {-1, 0, 1, 2, 3, 4, 5, 6, 7, 15, 64, 32769, (1 << 20) + 1}) {
        agrees(
            "order", k, [](O & o) -> auto& { return o.order; });
        agrees(
            "local-order", k, [](O & o) -> auto& { return o.local_order; });
        agrees(
            "group-size", k, [](O & o) -> auto& { return o.group_size; });
        agrees(
            "leaf-size", k, [](O & o) -> auto& { return o.leaf_size; });
        agrees(
            "mesh", k, [](O & o) -> auto& { return o.periodic.mesh; });
    }
}

TEST_CASE("no key stands twice, and the command line spells options and settings")
{
    std::set<std::string> keys;
    const auto check = [&](const auto& rows) {
        for (const OptionTerms& row : rows) {
            CAPTURE(row.name);
            CHECK(keys.insert(row.key()).second);
            CHECK(spelled("{" + row.name + "}", command_line_spelling()) == row.typed());
        }
    };
    check(force_options());
    check(rank_options());
    check(scheme_options());
    check(cosmology_options());
    check(run_options());
    CHECK(row_of(run_options(), "frame-center").typed("0,0,1") == "--set frames.center=0,0,1");
    CHECK(row_of(force_options(), "theta").typed("0.5") == "--theta 0.5");
}

TEST_CASE("C and AMUSE accept every option under all names")
{
    for (const auto& row : force_options()) {
        std::vector<std::string> keys;
        add_keys(keys, std::vector{row});
        for (const std::string& key : keys) {
            CAPTURE(key);
            const std::string value = another_value(row);
            tests::Context c;
            REQUIRE(chm_set_option(c, key.c_str(), value.c_str()) == CHM_OK);
            chm_context* context = c;
            CHECK(row.text(context->options.forces.options) == value);
            GravityCode code;
            CHECK(error_line([&] { code.set_option(key, value); }) == "");
        }
    }
    for (const auto& row : scheme_options())
        CHECK(error_line([&] { GravityCode().set_option(row.plain_name(), another_value(row)); }) ==
              "");
    CHECK(error_line([] { GravityCode().set_option("thetta", "1"); }) ==
          "option: thetta: unknown; did you mean 'theta'?");
}

TEST_CASE("chm_options() lists every option with all names and a help text")
{
    const std::string text = chm_options();
    for (const std::string& key : force_keys()) {
        CAPTURE(key);
        const bool begins = text.starts_with(key) || text.find("\n" + key) != std::string::npos;
        CHECK((begins || text.find(", " + key) != std::string::npos));
    }
    CHECK(text.find("softening, eps (X,..., default 0): softening length") != std::string::npos);
    CHECK(text.find("--") == std::string::npos);
    CHECK(text.find("threads (N, default 0)") != std::string::npos);
}

TEST_CASE("contradicting options are refused in the caller's terms")
{
    struct Case {
        std::vector<std::pair<const char*, const char*>> options;
        const char* line;
    };
    const std::vector<Case> cases = {
        {{{"step", "1"}, {"theta", "0.5"}}, ""},
        {{{"step", "1"}, {"theta", "0.5"}, {"tolerance", "0.1"}},
         "tolerance and theta: give one of the two"},
        {{{"step", "1"}, {"criterion", "minimum_distance"}, {"tolerance", "0.1"}},
         "criterion minimum-distance: needs theta"},
        {{{"step", "1"}, {"solver", "direct"}, {"local-order", "3"}},
         "local_order: needs solver tree"},
        {{{"step", "1"}, {"accuracy_percentile", "90"}}, "accuracy_percentile: needs accuracy"},
        {{{"step", "1"}, {"accuracy", "1e-7"}, {"precision", "single"}},
         "accuracy 1e-07: needs precision double"},
        {{{"step", "1"}, {"cut", "4"}}, "cut: needs a periodic box; give box SIDE"},
        {{{"step", "1"}, {"box", "4"}, {"order", "3"}},
         "order: 3: must be 0 or 2 in a periodic box"},
        {{{"step", "1"}, {"box", "4"}, {"solver", "direct"}, {"precision", "float"}},
         "precision: must be left out: direct sums in a periodic box run in double on the "
         "processor"},
        {{{"tolerance", "0.1"}}, "step, eta or block_steps: missing: give one"},
        {{{"step", "1"}, {"block_steps", "true"}}, "step: contradicts block_steps"},
        {{{"step", "1"}, {"eta", "0.1"}},
         "eta: needs adaptive or individual steps; step sets a fixed step"},
        {{{"step", "1"}, {"rungs", "3"}}, "rungs: needs block_steps"},
        {{{"step", "1"}, {"iterations", "2"}}, "iterations: needs integrator hermite"},
        {{{"integrator", "hermite"}, {"resident", "true"}}, "resident: needs the leapfrog"},
        {{{"integrator", "hermite"}, {"resident", "false"}}, ""},
        {{{"integrator", "hermite"}, {"theta", "0.5"}},
         "theta: needs the tree solver; hermite uses direct sums"},
        {{{"integrator", "hermite"}, {"box", "4"}},
         "integrator hermite: needs isolated particles; box 0 ignores the box"},
        {{{"integrator", "hermite"}, {"kernel", "spline"}, {"softening", "0.1"}},
         "kernel spline: must be plummer for hermite"},
        {{{"block_steps", "true"}, {"box", "4"}},
         "step_criterion potential: needs isolated particles; give step_criterion softening in a "
         "periodic box"},
        {{{"eta", "0.1"}},
         "adaptive: criterion 'softening' needs a softening length > 0; 'potential' needs none"},
        {{{"resident", "true"}, {"step", "1"}, {"solver", "tree"}, {"accuracy", "0.01"}},
         "accuracy: contradicts resident"},
        {{{"step", "1"}, {"device", "cpu"}, {"tree", "host"}}, ""},
        {{{"step", "1"}, {"device", "cpu"}, {"tree", "gpu"}}, "tree: gpu: needs device gpu"},
        {{{"step", "1"}, {"solver", "direct"}, {"tree", "host"}}, "tree: needs solver tree"},
        {{{"resident", "true"}, {"step", "1"}, {"tree", "host"}},
         "tree host: contradicts resident"},
        {{{"resident", "true"}, {"step", "1"}, {"box", "4"}, {"long_range", "modes"}},
         "long_range=modes: contradicts resident, which needs a mesh"},
        {{{"resident", "true"}, {"step", "1"}, {"box", "4"}, {"solver", "direct"}},
         "resident: contradicts direct sums in a periodic box, which run on the processor"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.line);
        IntegratorOptionsReader keyed;
        for (const auto& [key, value] : c.options)
            REQUIRE(keyed.take(key, value));
        const auto resolve = [&] {
            keyed.resolve();
            make_integrator(keyed.options, keyed.scheme);
        };
        CHECK(error_line(resolve, {}, {.names = &plain_names_of_runs()}) == c.line);
    }
}

TEST_SUITE_END();
