/// \file  The options of the integrators, which move a simulation's particles, and what makes one.
///
/// A new option of an integrator is a member of Scheme and a row in scheme_table.cpp. A new
/// integrator is its own two files, a SchemeKind with its word here, and in scheme.cpp what it
/// refuses and its case in make_integrator().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/force/option_table.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/pairs/jerk_solver.hpp"

namespace chamomile {

enum class SchemeKind {
    leapfrog, ///< kick-drift-kick, second order
    hermite   ///< fourth order, direct sums (Makino & Aarseth 1992)
};

/// Returns the words of `--integrator`.
inline const OptionWords<SchemeKind>& scheme_words()
{
    static const OptionWords<SchemeKind> words = {{"leapfrog", SchemeKind::leapfrog},
                                                  {"hermite", SchemeKind::hermite}};
    return words;
}

/// A Scheme is what is asked for; what is empty follows from the rest.
struct Scheme {
    SchemeKind kind = SchemeKind::leapfrog;
    std::optional<double> fixed_length;     ///< of all steps
    bool adaptive = false;                  ///< of the leapfrog: one step for all, by the criterion
    bool individual = false;                ///< steps in powers of two; of hermite unless shared
    std::optional<StepCriterion> criterion; ///< of the leapfrog
    std::optional<double> eta;
    double shortest = 0;
    std::optional<double> longest;
    int rungs = BlockSteps().rungs;
    std::optional<double> rebuild;           ///< BlockSteps::rebuild
    std::optional<std::uint64_t> host_below; ///< make_solver_with_host()
    bool resident = false;                   ///< insists that particles live on the GPU
    bool on_host = false;                    ///< insists that they do not; no option has it
    bool shared_steps = false;
    double eta_start = HermiteOptions().eta_start;
    int iterations = HermiteOptions().iterations;
    bool final_evaluation = false, count_short_steps = false;
    std::shared_ptr<const ExternalField>
        field; ///< potentials beside the particles' own; null: none
};

const std::vector<OptionRow<Scheme>>& scheme_options();

/// Returns the names of force_options() and scheme_options() in doors that are not the command
/// line.
const PlainNames& plain_names_of_runs();

/// Completes both by what goes with those that are given: hermite sums directly, in double.
/// `in_box`: gravity is periodic, even if the box is not known yet. The line refuses the first
/// option that contradicts another or that nothing would use.
Refusal resolve_scheme(SolverOptions& options, Scheme& scheme, const GivenOptions& given,
                       bool in_box);

/// Puts the scheme into an external field. Individual steps of softened masses then go by the
/// softening unless a criterion is given: the whole potential says nothing of how fast particles
/// move that bind each other.
void take_field(Scheme& scheme, std::shared_ptr<const ExternalField> field,
                const SolverOptions& options, const Particles& particles);

/// Returns the options that take_field() may have chosen, which a restart has to take over.
std::map<std::string, std::string> chosen_options(const Scheme& scheme);

/// Returns why the scheme cannot go with these forces.
Refusal refusal(const SolverOptions& options, const Scheme& scheme);

/// Returns the steps that the scheme means: eta and criterion as they follow from it.
TimeStep time_step_of(const Scheme& scheme);

/// An Integration is an integrator with what computes its forces.
struct Integration {
    std::shared_ptr<const void> ranks; ///< those of this process, which outlive the solver
    std::unique_ptr<Solver> solver;
    std::unique_ptr<JerkSolver> jerks;
    std::unique_ptr<Integrator> integrator;
    const Hermite* hermite = nullptr;   ///< the integrator, if it is that
    const Leapfrog* leapfrog = nullptr; ///< the integrator, if it is that

    /// Tells whether particles live on a GPU or on ranks, so that the caller's are those of
    /// Integrator::fetch().
    bool is_resident() const { return leapfrog && leapfrog->is_resident(); }
};

/// Makes an integrator. The clock is the leapfrog's and must outlive it. Particles live on the
/// solver's ranks, which run serve_particles(), or on its GPU where it takes arrays there and they
/// fit, unless something says otherwise. Throws
/// Error(usage) with the line of refusal(), and like make_solver(), make_jerk_solver() and the
/// integrators.
Integration make_integrator(const SolverOptions& options, const Scheme& scheme,
                            const Clock& clock = Clock::newtonian());

/// A KeyedScheme is KeyedOptions with those of a time loop.
class KeyedScheme : public KeyedOptions {
public:
    Scheme scheme;

    bool take(const std::string& key, const std::string& value);
    /// Returns the texts of the options that are given, by the names of the command line.
    std::map<std::string, std::string> texts() const;
    /// Steps by eta are adaptive ones where nothing else says what they are. Throws Error(usage).
    void resolve();
};

/// Returns the keys of a KeyedScheme.
std::vector<std::string> run_keys();

} // namespace chamomile
