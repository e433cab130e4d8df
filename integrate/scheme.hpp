/// \file  The options of integrators, and their construction.
///
/// To add an option of an integrator: a member of Scheme and a row in scheme_table.cpp. To add an
/// integrator: two files, a SchemeKind with its word here, and in scheme.cpp its refusals and its
/// case in make_integrator().
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/force/option_table.hpp"
#include "chamomile/force/pairs/jerk_solver.hpp"
#include "chamomile/integrate/hermite.hpp"
#include "chamomile/integrate/integrator.hpp"
#include "chamomile/integrate/leapfrog.hpp"

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

/// The requested options; empty options follow from the rest. A member for each option.
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
    BlockScheme block_scheme = BlockSteps().scheme;
    std::optional<double> rebuild;           ///< BlockSteps::rebuild
    std::optional<std::uint64_t> host_below; ///< make_solver_with_host()
    bool resident = false;                   ///< requires particles on the GPU
    bool on_host = false;                    ///< requires particles on the host; not an option for
                                             ///< users
    bool shared_steps = false;
    double eta_start = HermiteOptions().eta_start;
    int iterations = HermiteOptions().iterations;
    bool final_evaluation = false, count_short_steps = false;
    std::shared_ptr<const ExternalField> field; ///< external potentials; null: none
};

const std::vector<OptionRow<Scheme>>& scheme_options();

/// Returns the names of force_options() and scheme_options() outside the command line.
const PlainNames& plain_names_of_runs();

/// Completes missing options: hermite sums directly, in double. `in_box`: gravity is periodic, even
/// if the box is not known yet. Returns a refusal of the first option that contradicts another or
/// has no use.
Refusal resolve_scheme(SolverOptions& options, Scheme& scheme, const GivenOptions& given,
                       bool in_box);

/// Returns the reason why the scheme cannot use these forces.
Refusal refusal(const SolverOptions& options, const Scheme& scheme);

/// Returns the scheme's steps, with defaults for eta and criterion.
TimeStep time_step_of(const Scheme& scheme);

/// An IntegratorWithSolver is an integrator with its solver.
struct IntegratorWithSolver {
    std::shared_ptr<const void> ranks; ///< local ranks; must outlive the solver
    std::unique_ptr<Solver> solver;
    std::unique_ptr<JerkSolver> jerks;
    std::unique_ptr<Integrator> integrator;
    const Hermite* hermite = nullptr;   ///< the integrator, or null
    const Leapfrog* leapfrog = nullptr; ///< the integrator, or null

    /// True if particles are stored on a GPU or on ranks: the caller's copy dates from the last
    /// Integrator::fetch().
    bool is_resident() const { return leapfrog && leapfrog->is_resident(); }
};

/// Makes an integrator. The clock is the leapfrog's and must outlive it. Unless options require the
/// host, particles are stored on the solver's ranks, which run serve_particles(), or on its GPU if
/// it takes device arrays and they fit. Throws Error(usage) with the line of refusal(), and like
/// make_solver(), make_jerk_solver() and the integrators.
IntegratorWithSolver make_integrator(const SolverOptions& options, const Scheme& scheme,
                                     const Clock& clock = Clock::newtonian());

/// An IntegratorOptionsReader extends KeyedOptions by the options of a time loop.
class IntegratorOptionsReader : public KeyedOptions {
public:
    Scheme scheme;

    bool take(const std::string& key, const std::string& value);
    /// Returns the texts of the given options, by command-line name.
    std::map<std::string, std::string> texts() const;
    /// Completes and checks the options. eta without other step options selects adaptive steps.
    /// Throws Error(usage).
    void resolve();
};

std::vector<std::string> run_keys();

} // namespace chamomile
