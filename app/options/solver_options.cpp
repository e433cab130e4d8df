#include "app/options/solver_options.hpp"

#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/run/particle_notes.hpp"

namespace chamomile::app {
namespace {

const std::vector<std::pair<std::string, int>> order_words = {
    {"0", 0}, {"2", 2}, {"3", 3}, {"4", 4}};
const std::vector<std::pair<std::string, int>> local_order_words = {
    {"0", 0}, {"3", 3}, {"4", 4}, {"5", 5}, {"6", 6}};

template <class T>
std::vector<std::string> names_of(const std::vector<std::pair<std::string, T>>& words)
{
    std::vector<std::string> names;
    for (const auto& word : words)
        names.push_back(word.first);
    return names;
}

template <class T>
T named(const std::string& option, const std::string& name,
        const std::vector<std::pair<std::string, T>>& words)
{
    for (const auto& word : words)
        if (word.first == name)
            return word.second;
    throw Error(Fault::usage, option + ": " + name + ": unknown");
}

} // namespace

const char* const solver_help = "how forces are summed";
const char* const softening_length_help =
    "softening length (Plummer equivalent); that of the file unless given; run needs one of the "
    "two";
const char* const precision_help = "of the pair sums";
const char* const criterion_help =
    "by which a cell is accepted: moments (error by second moments) and relative (by mass and "
    "size) take --tolerance, geometric (angle of the cell) and minimum-distance (from its nearest "
    "point) "
    "--theta; geometric if only --theta is given";
const char* const tolerance_help =
    "a cell is accepted where the error of its multipoles, estimated, stays below this part of "
    "the acceleration";
const char* const theta_help = "opening angle: a cell of size l is accepted beyond l/theta";
const char* const order_help =
    "of the multipoles: 0 monopole, 2 quadrupole, 3 octupole, 4 hexadecapole";
const char* const local_order_help =
    "of the expansions of distant cells about a group, 3 to 6; 0: none";
const char* const group_size_help =
    "most particles that share an interaction list; 0: chosen by device";
const char* const leaf_size_help =
    "most particles of a cell that is not divided; 0: chosen by device";
const char* const batch_size_help =
    "groups whose lists go to the GPU together; 0: chosen; changes no result";
const char* const device_help = "what evaluates the pairs";
const char* const instruction_set_help = "of the CPU, when that evaluates the pairs";
const std::vector<std::string> instruction_set_words = {"auto", "avx512", "avx2", "baseline"};

void add_law_options(Options& options, SolverOptions& solver)
{
    options.group("Forces");
    options.choice("solver", solver.solver, solver_words, solver_help);
    options.number("eps", solver.softening.length, not_negative, softening_length_help);
    options.choice("softening", solver.softening.kind, softening_words,
                   "law of the softening; that of the file unless given");
    options.number("G", solver.gravitational_constant, positive,
                   "gravitational constant; that of the file unless given");
    options.choice("precision", solver.precision, precision_words, precision_help);
    options.number("decorrelate", solver.decorrelate, not_negative,
                   "seed of root cubes at random places, another in each step, so that the errors "
                   "of steps average out");
    options.number("batch-size", solver.batch_size, size_range, batch_size_help);
}

void add_solver_options(Options& options, SolverOptions& solver)
{
    add_law_options(options, solver);
    options.choice("criterion", solver.criterion, criterion_words, criterion_help);
    options.number("tolerance", solver.tolerance, tolerance_range, tolerance_help);
    options.number("theta", solver.theta, theta_range, theta_help);
    options.choice("order", solver.order, order_words, order_help);
    options.choice("local-order", solver.local_order, local_order_words, local_order_help);
    options.number("group-size", solver.group_size, size_range, group_size_help);
    options.number("leaf-size", solver.leaf_size, size_range, leaf_size_help);
    options.text("device", "auto|cpu|gpu[:n]", solver.device, device_help);
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& word : instruction_set_words)
        words.emplace_back(word, word);
    options.choice("instruction-set", solver.instruction_set, words, instruction_set_help);
    add_periodic_options(options, solver.periodic);
}

void add_pair_machine(Options& options, PairOptions& pairs)
{
    options.choice("precision", pairs.precision, precision_words, precision_help);
    options.text("device", "auto|cpu|gpu[:n]", pairs.device, device_help);
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& word : instruction_set_words)
        words.emplace_back(word, word);
    options.choice("instruction-set", pairs.instruction_set, words, instruction_set_help);
}

void settle_criterion(const Options& options, SolverOptions& solver)
{
    if (options.given("tolerance") && options.given("theta"))
        throw Error(Fault::usage,
                    options.command() + ": --tolerance and --theta: give one of the two");
    if (!options.given("criterion") && options.given("theta"))
        solver.criterion = Criterion::geometric;
    const bool tolerance = compares_accelerations(solver.criterion);
    if (options.given(tolerance ? "theta" : "tolerance"))
        throw Error(Fault::usage, options.command() + ": --criterion " +
                                      word_of(solver.criterion, criterion_words) + ": takes " +
                                      (tolerance ? "--tolerance" : "--theta"));
    if (solver.solver == SolverKind::direct)
        refuse_tree_options(options, "needs --solver tree");
}

void refuse_tree_options(const Options& options, const std::string& because)
{
    refuse_idle(options,
                {{true,
                  "criterion tolerance theta order local-order leaf-size decorrelate batch-size "
                  "accuracy accuracy-percentile accuracy-every tune",
                  because}});
}

std::vector<std::string> criterion_names()
{
    return names_of(criterion_words);
}

Criterion criterion_named(const std::string& name)
{
    return named("criterion", name, criterion_words);
}

std::vector<std::string> solver_names()
{
    return names_of(solver_words);
}

SolverKind solver_named(const std::string& name)
{
    return named("solver", name, solver_words);
}

std::vector<std::string> precision_names()
{
    return names_of(precision_words);
}

Precision precision_named(const std::string& name)
{
    return named("precision", name, precision_words);
}

bool take_from_file(SolverOptions& solver, Snapshot& snapshot, const Options& options)
{
    settle_box(options, snapshot, solver.periodic);
    if (!options.given("G"))
        solver.gravitational_constant = snapshot.G();
    if (snapshot.softening && !options.given("eps"))
        solver.softening.length = snapshot.softening->length;
    if (snapshot.softening && !options.given("softening"))
        solver.softening.kind = snapshot.softening->kind;
    settle_periodic(options, solver);
    return snapshot.softening || options.given("eps");
}

void note_idle_on_device(const Options& options, const SolverOptions& solver, Snapshot& snapshot)
{
    const bool gpu = settled(solver).device != "cpu";
    const bool direct = solver.solver == SolverKind::direct;
    const auto note = [&](const char* names, const char* because) {
        for (const std::string& name : asked_of(options, names))
            add_note(snapshot, name + ": nothing uses it: " + because);
    };
    if (!gpu)
        note("host-below on-device-error", "the processor evaluates all pairs");
    if (gpu && !options.given("host-below"))
        note("instruction-set", "a GPU evaluates the pairs");
    if (gpu && direct)
        note("group-size", "the GPU's direct sums have one of their own");
}

} // namespace chamomile::app
