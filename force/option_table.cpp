#include "chamomile/force/option_table.hpp"

#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/core/softening_words.hpp"

namespace chamomile {
namespace {

using O = SolverOptions;

/// Reads lengths such as 1=0.4,disk=1.
std::map<int, double> parse_type_lengths(const std::string& option, const std::string& text)
{
    std::map<int, double> lengths;
    for (const std::string& part : parts_of(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == part.npos)
            throw Error(Fault::usage, option + ": " + (part.empty() ? "(empty)" : part.c_str()) +
                                          ": must be TYPE=LENGTH, as in 1=0.4,disk=1");
        const int type = parse_particle_type(option, part.substr(0, equals));
        if (!lengths
                 .emplace(type, parse_number<double>(option, part.substr(equals + 1),
                                                     ranges::not_negative))
                 .second)
            throw Error(Fault::usage,
                        option + ": " + text + ": gives type " + std::to_string(type) + " twice");
    }
    return lengths;
}

/// Returns the goal. If it is absent, adds a default one; resolve_method() then refuses the option.
AccuracyGoal& goal_of(O& options)
{
    return options.accuracy ? *options.accuracy : options.accuracy.emplace();
}

/// Adds a row for the goal; without a goal, its default is shown.
template <class Member>
void add_goal(OptionRows<O>& t, const char* name, Member AccuracyGoal::*member, Range range,
              const char* help, unsigned needs)
{
    auto& row = t.number(
        name, [member](O & o) -> auto& { return goal_of(o).*member; }, range, help);
    row.only(needs);
    row.setting = std::string("accuracy.") + (name + sizeof("accuracy-") - 1);
    row.text = [member, text = row.text](const O& o) {
        O shown = o;
        return text(shown);
    };
}

/// Adds the rows for softening lengths, one or several.
void add_lengths(OptionRows<O>& t)
{
    auto& eps = t.number(
        "eps", [](O & o) -> auto& { return o.softening.length; }, ranges::not_negative,
        "softening length (Plummer equivalent); in run and force also one length per particle type "
        "of the file, as in 0.4,1. Default: length in the file; without one, run requires {eps} "
        "and other commands use the value in brackets");
    eps.values = "X,...";
    eps.put = [one = eps.put](O& o, const std::string& option, const std::string& text) {
        o.type_softenings.in_order.clear();
        if (text.find(',') == text.npos)
            return one(o, option, text);
        o.type_softenings.in_order = parse_numbers<double>(option, text, ranges::not_negative);
    };
    eps.text = [one = eps.text](const O& o) {
        const auto& lengths = o.type_softenings.in_order;
        return lengths.empty() ? one(o) : value_text(lengths);
    };
    eps.also({"softening", "eps"}).in(dimensions::length);
    t.special(
         "eps-type", "TYPE=X,...",
         [](O& o, const std::string& option, const std::string& text) {
             o.type_softenings.of_type = parse_type_lengths(option, text);
         },
         [](const O& o) {
             std::vector<std::string> all;
             for (const auto& [type, length] : o.type_softenings.of_type)
                 all.push_back(std::to_string(type) + "=" + number_text(length));
             return joined(all);
         },
         "softening lengths by type (number or name), as in 1=0.4,disk=50pc; other types use {eps}")
        .also({"softening_by_type", "eps_type"})
        .in(dimensions::length);
    t.choice(
         "eps-rule", [](O & o) -> auto& { return o.softening.rule; },
         {{"larger", SofteningRule::larger}, {"root-of-squares", SofteningRule::root_of_squares}},
         "softening length of a pair with per-particle softening: the larger length (as in GADGET) "
         "or the root of the sum of squares")
        .also({"softening_rule", "eps_rule"});
}

std::vector<OptionRow<O>> rows()
{
    constexpr Range sizes = ranges::between(0, 1 << 20);
    constexpr unsigned long_range = needs_box | needs_tree;
    OptionRows<O> t;
    t.group("Forces");
    t.choice("solver", &O::solver, {{"tree", SolverKind::tree}, {"direct", SolverKind::direct}},
             "method of force summation: tree (Barnes & Hut 1986, walked once per group of "
             "particles) or direct sum over all pairs");
    add_lengths(t);
    t.choice(
         "softening", [](O & o) -> auto& { return o.softening.kind; }, softening_words(),
         "law of the softening; default: law in the file; " + reaches_text())
        .also({"kernel", "softening_kind"});
    t.number("G", &O::gravitational_constant, ranges::positive,
             "gravitational constant; default: value in the file")
        .in(dimensions::gravity);
    t.number("decorrelate", &O::decorrelate, ranges::not_negative,
             "seed of a random position of the root cube in each step, so that errors average out "
             "over steps")
        .as_setting("tree.decorrelate")
        .only(needs_tree);
    t.number("batch-size", &O::batch_size, sizes,
             "number of groups per batch of lists sent to the GPU; 0: automatic; does not change "
             "results")
        .as_setting("tree.batch-size")
        .only(needs_tree);
    t.choice(
         "criterion", &O::criterion,
         {{"moments", Criterion::moments},
          {"relative", Criterion::relative},
          {"geometric", Criterion::geometric},
          {"minimum-distance", Criterion::minimum_distance}},
         "acceptance criterion of cells: moments (error from second moments) and relative (from "
         "mass and size) use {tolerance}; geometric (opening angle) and minimum-distance (from the "
         "nearest point of the cell) use {theta}; geometric if only {theta} is given")
        .only(needs_tree);
    t.number("tolerance", &O::tolerance, ranges::above(0, 1),
             "accept a cell if the estimated multipole error is below this fraction of the "
             "acceleration")
        .only(needs_tree);
    t.number("theta", &O::theta, ranges::above(0, 1.5),
             "opening angle: a cell of size l is accepted beyond l/theta")
        .only(needs_tree);
    t.choice("order", &O::order, {{"0", 0}, {"2", 2}, {"3", 3}, {"4", 4}},
             "order of multipoles: 0 monopole, 2 quadrupole, 3 octupole, 4 hexadecapole")
        .only(needs_tree);
    t.choice("local-order", &O::local_order, {{"0", 0}, {"3", 3}, {"4", 4}, {"5", 5}, {"6", 6}},
             "order of local expansions of distant cells about a group, 3 to 6; 0: none")
        .only(needs_tree);
    t.number("group-size", &O::group_size, sizes,
             "max particles per interaction list; 0: chosen by device")
        .as_setting("tree.group-size")
        .only(needs_lists);
    t.number("cluster-size", &O::cluster_size, sizes,
             "max groups that share the start of a tree walk; 0: chosen by device")
        .as_setting("tree.cluster-size")
        .only(needs_tree);
    t.number("leaf-size", &O::leaf_size, sizes, "max particles in a leaf cell; 0: chosen by device")
        .as_setting("tree.leaf-size")
        .only(needs_tree);
    t.choice(
         "tree", &O::tree_built_by,
         {{"auto", TreeBuiltBy::automatic}, {"host", TreeBuiltBy::host}, {"gpu", TreeBuiltBy::gpu}},
         "device that builds the tree; auto: the device that evaluates pairs; host: the processor, "
         "which copies the tree to the GPU; does not change results")
        .only(needs_tree);
    t.append(machine_options<O>());
    t.number(
         "accuracy", [](O & o) -> auto& { return goal_of(o).error; }, ranges::between(1e-12, 0.5),
         "max error |da|/|a| for 99 % of particles ({accuracy-percentile}): chooses criterion, "
         "tolerance, orders, sizes and, in a box, mesh, split and cut unless given")
        .only(needs_tree)
        .text = [](const O& o) { return o.accuracy ? number_text(o.accuracy->error) : ""; };
    constexpr unsigned goal = needs_tree | needs_goal;
    add_goal(t, "accuracy-percentile", &AccuracyGoal::percentile, ranges::above(0, 99.9),
             "percentage of particles within the error {accuracy}", goal);
    add_goal(t, "accuracy-every", &AccuracyGoal::check_every, ranges::not_negative,
             "steps between checks of the error against {accuracy}; 0: only the first check",
             goal | needs_steps);
    t.group("Periodic boxes");
    t.number("box", &O::box, ranges::side_or_none,
             "side of a periodic cube [0, SIDE)^3; 0: isolated; default: box in the file")
        .in(dimensions::length);
    t.choice(
         "long-range", [](O & o) -> auto& { return o.periodic.long_range; },
         {{"mesh", LongRangeKind::mesh}, {"modes", LongRangeKind::modes}},
         "long-range force: on a mesh (TreePM) or by Fourier modes (Ewald; default {cut}=7 and "
         "{tolerance} 1e-4)")
        .as_setting("periodic.long-range")
        .only(long_range);
    t.number(
         "mesh", [](O & o) -> auto& { return o.periodic.mesh; }, ranges::between_or_zero(16, 32768),
         "mesh cells along a side; 0: chosen by the number of particles")
        .as_setting("periodic.mesh")
        .only(long_range | needs_mesh);
    t.number(
         "split", [](O & o) -> auto& { return o.periodic.split; }, ranges::between(0.5, 10),
         "split radius r_s between tree and mesh force, in mesh cells")
        .as_setting("periodic.split")
        .only(long_range | needs_mesh);
    t.number(
         "cut", [](O & o) -> auto& { return o.periodic.cut; }, ranges::between(3, 7),
         "cut-off radius of the tree force, in r_s")
        .as_setting("periodic.cut")
        .only(long_range);
    return t.take();
}

} // namespace

const std::vector<OptionRow<O>>& rank_options()
{
    static const std::vector<OptionRow<O>> all = [] {
        OptionRows<O> t;
        t.group("Forces");
        t.number(
             "ranks", &O::own_ranks, ranges::between(1, max_thread_ranks),
             "divide the particles among N ranks of this process with equal numbers of threads, "
             "and with {device} gpu a GPU each. Processes started by mpirun are ranks without it")
            .text = [](const O& o) { return o.own_ranks > 0 ? value_text(o.own_ranks) : ""; };
        t.flag("share-gpu", &O::share_gpu, "let several ranks use one GPU")
            .as_setting("ranks.share-gpu");
        t.number("peer-timeout", &O::peer_timeout, ranges::positive,
                 "seconds for which a rank may be silent before all ends")
            .in_seconds()
            .as_setting("ranks.peer-timeout");
        return t.take();
    }();
    return all;
}

const std::vector<OptionRow<O>>& force_options()
{
    static const std::vector<OptionRow<O>> all = rows();
    return all;
}

const PlainNames& plain_names_of_forces()
{
    static const PlainNames names = [] {
        PlainNames made;
        add_plain_names(made, force_options());
        return made;
    }();
    return names;
}

} // namespace chamomile
