// The options of time integration, and their contradictions.
#include "chamomile/core/error.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/scheme.hpp"

namespace chamomile {
namespace {

using S = Scheme;

enum SchemeNeeds : unsigned {
    needs_leapfrog = first_free_need,
    needs_hermite = first_free_need << 1,
    needs_individual = first_free_need << 2,
    needs_varying = first_free_need << 3 ///< steps other than one fixed length
};

std::vector<OptionRow<S>> rows()
{
    constexpr unsigned blocks = needs_leapfrog | needs_individual;
    OptionRows<S> t;
    t.group("Time");
    t.number(
         "dt", [](S & s) -> auto& { return s.fixed_length; }, ranges::positive,
         "length of a fixed step")
        .also({"step", "dt"})
        .in(dimensions::time);
    t.flag(
         "adaptive", [](S & s) -> auto& { return s.adaptive; },
         "steps of eta sqrt(eps/|a|), or by {step-criterion}, the smallest of all particles, "
         "instead of {dt}")
        .only(needs_leapfrog);
    t.number(
         "eta", [](S & s) -> auto& { return s.eta; }, ranges::positive,
         "accuracy of adaptive and individual steps; unless given 0.1, 0.2 of comoving files, 0.03 "
         "of {step-criterion} potential, 0.01 of hermite")
        .only(needs_varying)
        .shown(number_text(TimeStep().eta));
    t.number(
         "dt-min", [](S & s) -> auto& { return s.shortest; }, ranges::not_negative,
         "shortest adaptive step; of hermite, 0: 2^-40 of the usual first step")
        .also({"shortest", "dt_min"})
        .in(dimensions::time)
        .only(needs_varying);
    t.number(
         "dt-max", [](S & s) -> auto& { return s.longest; }, ranges::positive,
         "longest adaptive step")
        .also({"longest", "dt_max"})
        .in(dimensions::time)
        .only(needs_varying);
    t.choice(
        "integrator", [](S & s) -> auto& { return s.kind; }, scheme_words(),
        "leapfrog: second order, one step for all or individual ones; hermite: fourth order, "
        "direct sums in double, of isolated stars that meet closely");
    t.flag(
         "resident", [](S & s) -> auto& { return s.resident; },
         "of the leapfrog: particles must live on the GPU. Where they fit they do so unless given, "
         "but for {accuracy}, {host-below}, {long-range} modes and {on-device-error} cpu")
        .only(needs_leapfrog);
    t.flag(
        "block-steps", [](S & s) -> auto& { return s.individual; },
        "individual steps in powers of two, instead of {adaptive} or {dt}; hermite has them unless "
        "{dt} or {shared-steps} is given");
    t.choice(
         "step-criterion", [](S & s) -> auto& { return s.criterion; },
         {{"potential", StepCriterion::potential}, {"softening", StepCriterion::softening}},
         "of the leapfrog's individual or adaptive steps, eta times: potential: Gm/|phi|^1.5, Gm = "
         "phi^2/|a|, eta 0.03 unless given, of individual steps of isolated particles unless "
         "given; softening: sqrt(eps/|a|), eta 0.1; comoving files take this one, with eta 0.2, "
         "and "
         "so do softened masses in an external potential")
        .only(needs_leapfrog | needs_varying)
        .shown("potential");
    t.number(
         "rungs", [](S & s) -> auto& { return s.rungs; }, ranges::between(0, 40),
         "of the leapfrog's individual steps: most factors of two between the whole step and the "
         "shortest")
        .only(blocks);
    t.number(
         "rebuild-above", [](S & s) -> auto& { return s.rebuild; }, ranges::not_negative,
         "of the leapfrog's individual steps: within a whole step the tree is built again for at "
         "least this fraction of the particles; fewer use the present cells. Unless given, the "
         "program decides by the growth of the interaction lists")
        .only(blocks | needs_tree);
    t.number(
         "host-below", [](S & s) -> auto& { return s.host_below; }, ranges::not_negative,
         "of the leapfrog's individual steps on a GPU: fewer active particles than this are left "
         "to the processor; measured once unless given")
        .only(blocks | needs_isolation);
    t.flag(
         "shared-steps", [](S & s) -> auto& { return s.shared_steps; },
         "of hermite: the shortest step of any particle for all")
        .only(needs_hermite);
    t.number(
         "eta-start", [](S & s) -> auto& { return s.eta_start; }, ranges::positive,
         "of hermite: accuracy of the first steps")
        .only(needs_hermite | needs_varying);
    t.number(
         "iterations", [](S & s) -> auto& { return s.iterations; }, ranges::between(1, 10),
         "of hermite: n of P(EC)^n")
        .only(needs_hermite);
    t.flag(
         "final-evaluation", [](S & s) -> auto& { return s.final_evaluation; },
         "of hermite: evaluate once more after the last correction")
        .only(needs_hermite);
    t.flag(
         "count-short-steps", [](S & s) -> auto& { return s.count_short_steps; },
         "of hermite: where a step falls below {dt-min}, go on with that and count; the run ends "
         "there without")
        .only(needs_hermite | needs_varying);
    return t.take();
}

/// A given option that contradicts another.
struct Contradiction {
    bool holds;
    const char *option, *because;
};

Refusal first_of(const std::vector<Contradiction>& table, const GivenOptions& given)
{
    for (const Contradiction& row : table)
        if (row.holds && given.contains(row.option))
            return std::string("{") + row.option + "}: " + row.because;
    return {};
}

Refusal resolve_hermite(SolverOptions& options, const Scheme& scheme, const GivenOptions& given)
{
    const char* direct = "is for trees; hermite sums directly";
    if (Refusal line =
            first_of({{scheme.fixed_length.has_value(), "block-steps", "contradicts {dt}"},
                      {scheme.shared_steps, "block-steps", "contradicts {shared-steps}"}},
                     given))
        return line;
    if (Refusal line =
            refuse_idle_rows(force_options(), given, {{needs_tree | needs_lists, direct}}))
        return line;
    if (!given.contains("solver"))
        options.solver = SolverKind::direct;
    if (!given.contains("precision"))
        options.precision = Precision::double_precision;
    return {};
}

Refusal refuse_leapfrog(const SolverOptions& options, const Scheme& scheme,
                        const GivenOptions& given)
{
    const bool goal = options.accuracy.has_value();
    return first_of({{scheme.individual, "dt", "contradicts {block-steps}"},
                     {scheme.individual, "adaptive", "contradicts {block-steps}"},
                     {given.contains("adaptive"), "dt",
                      "contradicts {adaptive}; to bound adaptive steps give {dt-max}"},
                     {scheme.resident, "host-below", "contradicts {resident}"},
                     {scheme.resident, "accuracy", "contradicts {resident}"},
                     {goal, "host-below", "not with {accuracy}"}},
                    given);
}

} // namespace

const std::vector<OptionRow<S>>& scheme_options()
{
    static const std::vector<OptionRow<S>> all = rows();
    return all;
}

const PlainNames& plain_names_of_runs()
{
    static const PlainNames names = [] {
        PlainNames made = plain_names_of_forces();
        add_plain_names(made, scheme_options());
        made["potential"] = "potentials";
        return made;
    }();
    return names;
}

Refusal resolve_scheme(SolverOptions& options, Scheme& scheme, const GivenOptions& given,
                       bool in_box)
{
    const bool hermite = scheme.kind == SchemeKind::hermite;
    std::vector<Unmet> unmet = {{hermite ? needs_leapfrog : needs_hermite,
                                 hermite ? "is for the leapfrog" : "needs {integrator} hermite"}};
    if (scheme.fixed_length)
        unmet.push_back(
            {needs_varying, "is for adaptive and individual steps; {dt} gives a fixed one"});
    if (!hermite && !scheme.individual)
        unmet.push_back({needs_individual, "needs {block-steps}"});
    if (!hermite && options.solver == SolverKind::direct)
        unmet.push_back({needs_tree, "needs {solver} tree"});
    if (in_box)
        unmet.push_back({needs_isolation, "is not for periodic boxes"});
    if (const Refusal line = refuse_idle_rows(scheme_options(), given, unmet))
        return line;
    return hermite ? resolve_hermite(options, scheme, given)
                   : refuse_leapfrog(options, scheme, given);
}

bool IntegratorOptionsReader::take(const std::string& key, const std::string& value)
{
    return KeyedOptions::take(key, value) || set_row(scheme_options(), scheme, key, value);
}

void IntegratorOptionsReader::resolve()
{
    if (scheme.kind == SchemeKind::leapfrog && scheme.eta && !scheme.individual)
        take("adaptive", "true");
    const bool has_steps = scheme.kind == SchemeKind::hermite || scheme.fixed_length ||
                           scheme.adaptive || scheme.individual;
    require(resolve_method(options, given));
    require(resolve_scheme(options, scheme, given, options.is_periodic()));
    require(resolve_boundary(options, given));
    if (!has_steps)
        require("{dt}, {eta} or {block-steps}: one of them is needed");
}

std::map<std::string, std::string> IntegratorOptionsReader::texts() const
{
    std::map<std::string, std::string> all;
    for (const auto& row : force_options())
        if (given.contains(row.name))
            all[row.name] = row.text(options);
    for (const auto& row : scheme_options())
        if (given.contains(row.name))
            all[row.name] = row.text(scheme);
    return all;
}

std::vector<std::string> run_keys()
{
    std::vector<std::string> keys = force_keys();
    add_keys(keys, scheme_options());
    return keys;
}

} // namespace chamomile
