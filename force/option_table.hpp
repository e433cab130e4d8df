/// \file  Force options: one row each, read by every interface, and the rules between them.
///
/// A new option is a member of SolverOptions and a row in option_table.cpp.
#pragma once

#include <type_traits>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Bits in OptionTerms::needs: what must be present for an option to have an effect.
enum ForceNeeds : unsigned {
    needs_tree = 1,       ///< a tree; direct sums do not use it
    needs_lists = 2,      ///< sums by interaction lists; not direct sums on a GPU
    needs_box = 4,        ///< a periodic box
    needs_mesh = 8,       ///< the long range on a mesh
    needs_isolation = 16, ///< open boundaries
    needs_goal = 32,      ///< an accuracy to keep
    needs_steps = 64,     ///< a time loop
    first_free_need = 128 ///< first bit free for other tables
};

const std::vector<OptionRow<SolverOptions>>& force_options();

/// Returns the names of force_options() outside the command line.
const PlainNames& plain_names_of_forces();

inline const OptionWords<Precision>& precision_words()
{
    static const OptionWords<Precision> words = {{"float", Precision::single_precision},
                                                 {"single", Precision::single_precision},
                                                 {"double", Precision::double_precision}};
    return words;
}

/// Returns rows for anything that sums over pairs: precision, device and instruction_set.
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

/// Chooses the criterion from the limit given; at most one of tolerance, theta and accuracy. theta
/// without a criterion means the geometric one; a goal keeps options given with it. Refuses
/// contradictions.
Refusal resolve_limits(SolverOptions& options, const GivenOptions& given);

/// Like resolve_limits(), but first refuses any option that has no effect with any boundary.
Refusal resolve_method(SolverOptions& options, const GivenOptions& given);

/// Refuses options without effect in this box (or without a box); sets defaults for a box.
Refusal resolve_boundary(SolverOptions& options, const GivenOptions& given);

/// Refuses a softening rule unless softening is per particle.
Refusal refuse_idle_rule(const SolverOptions& options, const GivenOptions& given);

/// Returns whether forces with these options depend on the row, or are described by it.
bool is_used(const OptionTerms& row, const SolverOptions& options);

/// Collects options by key, from C, Fortran, Python or AMUSE, in any order.
class KeyedOptions {
public:
    SolverOptions options;
    GivenOptions given;

    /// Reads the value. Returns false if no force option has this key. Throws Error(usage).
    bool take(const std::string& key, const std::string& value);
    /// Resolves the options for one evaluation. Throws Error(usage) for contradictions.
    void resolve();
    /// Sets whether softening is per particle. Throws Error(usage) if a softening rule was given
    /// and it is not.
    void set_softenings(bool are_there);

protected:
    template <class Settings>
    bool set_row(const std::vector<OptionRow<Settings>>& rows, Settings& settings,
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

/// Returns the keys that KeyedOptions accepts.
std::vector<std::string> force_keys();

} // namespace chamomile
