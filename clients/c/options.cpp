#include "chamomile/clients/c/options.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile::c {
namespace {

/// Returns the options of a context in addition to the force options.
const ContextRows& context_options()
{
    static const ContextRows rows = [] {
        OptionRows<FieldOptions> t;
        t.number(
            "threads", [](FieldOptions & o) -> auto& { return o.threads; },
            ranges::between_or_zero(1, max_threads),
            "of the host; 0: OpenMP's choice. Changes no bit");
        t.choice(
            "first-number", [](FieldOptions & o) -> auto& { return o.first_number; },
            {{"0", 0}, {"1", 1}}, "of particles and targets in lines of errors");
        t.choice(
            "deterministic", [](FieldOptions&) -> auto& {
                static bool always = true;
                return always;
            },
            {{"1", true},
             {"true", true},
             {"yes", true},
             {"on", true},
             {"0", true},
             {"false", true},
             {"no", true},
             {"off", true}},
            "is accepted; sums are so in any case");
        return t.take();
    }();
    return rows;
}

/// Prepares for a new accuracy limit. A context receives options one by one: a later tolerance,
/// theta or accuracy replaces an earlier one, and accuracy 0 removes it.
void make_room(KeyedOptions& forces)
{
    for (const char* limit : {"tolerance", "theta", "accuracy"})
        forces.given.erase(limit);
    forces.options.accuracy.reset();
}

void take(FieldOptions& options, const std::string& key, const std::string& value,
          const ContextRows& more)
{
    if (key == "tolerance" || key == "theta" || key == "accuracy")
        make_room(options.forces);
    if (key == "accuracy" && parsed_number<double>(value) == 0.0)
        return;
    if (options.forces.take(key, value)) {
        if (key == "device")
            choose_gpus(value);
        if (is_same_name(key, "instruction_set"))
            find_instruction_set(value);
        return;
    }
    std::vector<std::string> keys = force_keys();
    for (const ContextRows* rows : {&context_options(), &more}) {
        if (const auto* row = find_row(*rows, key))
            return row->put(options, key, value);
        add_keys(keys, *rows);
    }
    std::string list;
    for (const std::string& name : keys)
        list += (list.empty() ? "" : ", ") + name;
    throw Error(Fault::usage, "option: " + key + ": unknown" + suggestion(key, keys) + ": " + list);
}

template <class Settings>
void append_rows(std::string& text, const std::vector<OptionRow<Settings>>& rows)
{
    for (const auto& row : rows) {
        std::vector<std::string> keys;
        add_keys(keys, std::vector{row});
        for (const std::string& key : keys)
            text += (&key == keys.data() ? "" : ", ") + key;
        const std::string usual = row.text(Settings());
        text += " (" + row.values + (usual.empty() ? "" : ", default " + usual) +
                "): " + spelled(row.help, spelling_from(0)) + "\n";
    }
}

} // namespace

const std::string& options_text()
{
    static const std::string all = [] {
        std::string text;
        append_rows(text, force_options());
        append_rows(text, context_options());
        return text;
    }();
    return all;
}

SolverOptions solver_options(const FieldOptions& options, bool has_own_softenings)
{
    KeyedOptions forces = options.forces;
    forces.resolve();
    forces.set_softenings(has_own_softenings);
    return forces.options;
}

Spelling spelling_from(int first)
{
    return {.names = &plain_names_of_forces(), .first_number = std::size_t(first)};
}

void set_option(FieldOptions& options, const std::string& key, const std::string& value,
                const ContextRows& more)
{
    FieldOptions changed = options;
    take(changed, key, value, more);
    KeyedOptions forces = changed.forces;
    require(resolve_limits(forces.options, forces.given));
    options = changed;
}

} // namespace chamomile::c
