/// \file  The options of a force: one row each, which every door reads, and what goes together.
///
/// A new option is a member of SolverOptions and a row in option_table.cpp.
#pragma once

#include <type_traits>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// These are the bits of OptionTerms::needs, which say what has to be there for anything to use an
/// option.
enum ForceNeeds : unsigned {
    needs_tree = 1,       ///< a tree: direct sums have no use for it
    needs_lists = 2,      ///< sums by interaction lists, which the GPU's own direct sums are not
    needs_box = 4,        ///< a periodic box
    needs_mesh = 8,       ///< the long range on a mesh
    needs_isolation = 16, ///< open boundaries
    needs_goal = 32,      ///< an accuracy to keep
    needs_steps = 64,     ///< a time loop
    first_free_need = 128 ///< of tables beside this one
};

const std::vector<OptionRow<SolverOptions>>& force_options();

/// Returns the names of force_options() in doors that are not the command line.
const PlainNames& plain_names_of_forces();

inline const OptionWords<Precision>& precision_words()
{
    static const OptionWords<Precision> words = {{"float", Precision::single_precision},
                                                 {"single", Precision::single_precision},
                                                 {"double", Precision::double_precision}};
    return words;
}

/// Returns the rows that anything which sums over pairs has: precision, device and instruction_set.
template <class Settings>
std::vector<OptionRow<Settings>> machine_options()
{
    OptionRows<Settings> t;
    t.group("Forces");
    t.choice(
        "precision", [](Settings & o) -> auto& { return o.precision; }, precision_words(),
        "of the pair sums: float, with tiles added in double, or double");
    t.text(
        "device", [](Settings & o) -> auto& { return o.device; }, "auto|cpu|gpu[:n]",
        std::is_base_of_v<SolverOptions, Settings>
            ? "what evaluates the pairs; of several GPUs, gpu:0,2 or gpu:all, each is a rank"
            : "what evaluates the pairs");
    OptionWords<std::string> sets;
    for (const char* set : {"auto", "avx512", "avx2", "baseline"})
        sets.emplace_back(set, set);
    t.choice(
        "instruction-set", [](Settings & o) -> auto& { return o.instruction_set; }, sets,
        "of the CPU, when that evaluates the pairs");
    return t.take();
}

/// Chooses the criterion by tolerance, theta or accuracy, of which one may be given: theta alone
/// means the geometric one, and a goal keeps what is given beside it. The line refuses what
/// contradicts another option.
Refusal resolve_limits(SolverOptions& options, const GivenOptions& given);

/// Does the same, and the line refuses the first option that nothing would use whatever the
/// boundary.
Refusal resolve_method(SolverOptions& options, const GivenOptions& given);

/// Does the same where it is known whether there is a periodic box.
Refusal resolve_boundary(SolverOptions& options, const GivenOptions& given);

/// Refuses a rule of softening lengths where particles have none of their own.
Refusal refuse_idle_rule(const SolverOptions& options, const GivenOptions& given);

/// Tells whether forces with these options depend on the row, or are told by it.
bool is_used(const OptionTerms& row, const SolverOptions& options);

/// This class takes options by keys of C, Fortran, Python or AMUSE, in any order.
class KeyedOptions {
public:
    SolverOptions options;
    GivenOptions given;

    /// Reads the value. Returns false if no force has an option that is called so. Throws
    /// Error(usage).
    bool take(const std::string& key, const std::string& value);
    /// Refuses what does not go together in one evaluation. Throws Error(usage).
    void resolve();
    /// Takes whether particles have softening lengths of their own. Throws Error(usage) for a rule
    /// of them that is given where they have none.
    void take_softenings(bool are_there);

protected:
    template <class Settings>
    bool take_row(const std::vector<OptionRow<Settings>>& rows, Settings& settings,
                  const std::string& key, const std::string& value)
    {
        const OptionRow<Settings>* row = find_row(rows, key);
        if (!row)
            return false;
        row->put(settings, key, value);
        if (row->kind != OptionKind::flag || value != "false")
            given.insert(row->name);
        return true;
    }
};

/// Returns the keys that KeyedOptions takes.
std::vector<std::string> force_keys();

} // namespace chamomile
