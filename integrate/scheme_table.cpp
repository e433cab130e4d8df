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
    t.number("dt", &S::fixed_length, ranges::positive, "length of a fixed step")
        .also({"step", "dt"})
        .in(dimensions::time);
    t.flag("adaptive", &S::adaptive,
           "shared adaptive steps instead of {dt}: the smallest eta sqrt(eps/|a|) of all "
           "particles, or by {step-criterion}")
        .only(needs_leapfrog);
    t.number("eta", &S::eta, ranges::positive,
             "accuracy of adaptive and individual steps; default: 0.1; comoving files 0.2; "
             "{step-criterion} potential 0.03; hermite 0.01")
        .only(needs_varying)
        .shown(number_text(TimeStep().eta));
    t.number("dt-min", &S::shortest, ranges::not_negative,
             "shortest adaptive step; 0 for hermite: 2^-40 of the usual first step")
        .also({"shortest", "dt_min"})
        .in(dimensions::time)
        .only(needs_varying);
    t.number("dt-max", &S::longest, ranges::positive, "longest adaptive step")
        .also({"longest", "dt_max"})
        .in(dimensions::time)
        .only(needs_varying);
    t.choice("integrator", &S::kind, scheme_words(),
             "leapfrog: second order, shared or individual steps; hermite: fourth order, direct "
             "sums in double, for isolated stars with close encounters");
    t.flag(
         "resident", &S::resident,
         "leapfrog: require particles on the GPU. Without the option particles stay there if they "
         "fit, except with {accuracy}, {host-below}, {long-range}=modes or {on-device-error} cpu")
        .only(needs_leapfrog);
    t.flag("block-steps", &S::individual,
           "individual steps in powers of two, instead of {adaptive} or {dt}; default for hermite "
           "without {dt} and {shared-steps}");
    t.choice(
         "step-criterion", &S::criterion,
         {{"potential", StepCriterion::potential}, {"softening", StepCriterion::softening}},
         "leapfrog: individual or adaptive steps are eta times: potential: Gm/|phi|^1.5, Gm = "
         "phi^2/|a|, default eta 0.03; softening: sqrt(eps/|a|), default eta 0.1 (comoving files "
         "0.2). Default: potential for individual steps of isolated particles, except softened "
         "masses in an external potential; softening otherwise")
        .only(needs_leapfrog | needs_varying)
        .shown("potential");
    t.choice("block-scheme", &S::block_scheme,
             {{"all", BlockScheme::all}, {"hierarchical", BlockScheme::hierarchical}},
             "leapfrog, individual steps: the particles that attract a due one: all, or "
             "hierarchical: those of its own and of shorter steps only, and each slower one at its "
             "own step; keeps the total momentum")
        .only(blocks);
    t.number(
         "rungs", &S::rungs, ranges::between(0, 40),
         "leapfrog, individual steps: max number of factors of two between the whole step and the "
         "shortest")
        .as_setting("blocks.rungs")
        .only(blocks);
    t.number("rebuild-above", &S::rebuild, ranges::not_negative,
             "leapfrog, individual steps: rebuild the tree within a whole step for at least this "
             "fraction of active particles; fewer use the existing cells. Default: by the growth "
             "of the interaction lists")
        .as_setting("blocks.rebuild-above")
        .only(blocks | needs_tree);
    t.number("host-below", &S::host_below, ranges::not_negative,
             "leapfrog, individual steps on a GPU: the processor evaluates fewer active particles "
             "than this; default: measured once")
        .as_setting("blocks.host-below")
        .only(blocks | needs_isolation);
    t.flag("shared-steps", &S::shared_steps,
           "hermite: the shortest step of any particle for all particles")
        .as_setting("hermite.shared-steps")
        .only(needs_hermite);
    t.number("eta-start", &S::eta_start, ranges::positive, "hermite: accuracy of the first steps")
        .as_setting("hermite.eta-start")
        .only(needs_hermite | needs_varying);
    t.number("iterations", &S::iterations, ranges::between(1, 10), "hermite: n in P(EC)^n")
        .as_setting("hermite.iterations")
        .only(needs_hermite);
    t.flag("final-evaluation", &S::final_evaluation,
           "hermite: evaluate again after the last correction")
        .as_setting("hermite.final-evaluation")
        .only(needs_hermite);
    t.flag("count-short-steps", &S::count_short_steps,
           "hermite: continue with {dt-min} for shorter steps and count them, instead of ending "
           "the run")
        .as_setting("hermite.count-short-steps")
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
    const char* direct = "needs the tree solver; hermite uses direct sums";
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
    const bool goal = options.accuracy.has_value(),
               hierarchical = scheme.block_scheme == BlockScheme::hierarchical;
    return first_of({{scheme.individual, "dt", "contradicts {block-steps}"},
                     {scheme.individual, "adaptive", "contradicts {block-steps}"},
                     {given.contains("adaptive"), "dt",
                      "contradicts {adaptive}; to bound adaptive steps give {dt-max}"},
                     {hierarchical, "rebuild-above", "contradicts {block-scheme} hierarchical"},
                     {scheme.resident, "host-below", "contradicts {resident}"},
                     {scheme.resident, "accuracy", "contradicts {resident}"},
                     {goal, "host-below", "contradicts {accuracy}"}},
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
                                 hermite ? "needs the leapfrog" : "needs {integrator} hermite"}};
    if (scheme.fixed_length)
        unmet.push_back(
            {needs_varying, "needs adaptive or individual steps; {dt} sets a fixed step"});
    if (!hermite && !scheme.individual)
        unmet.push_back({needs_individual, "needs {block-steps}"});
    if (!hermite && options.solver == SolverKind::direct)
        unmet.push_back({needs_tree, "needs {solver} tree"});
    if (in_box)
        unmet.push_back({needs_isolation, "needs isolated particles"});
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
        require("{dt}, {eta} or {block-steps}: missing: give one");
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
