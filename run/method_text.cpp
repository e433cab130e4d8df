#include "chamomile/run/method_text.hpp"

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/list_solver.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

namespace chamomile {

const Words<SolverKind> solver_words = {{"tree", SolverKind::tree}, {"direct", SolverKind::direct}};
const Words<Criterion> criterion_words = {{"moments", Criterion::moments},
                                          {"relative", Criterion::relative},
                                          {"geometric", Criterion::geometric},
                                          {"minimum-distance", Criterion::minimum_distance}};
const Words<SofteningKind> softening_words = {{"plummer", SofteningKind::plummer},
                                              {"spline", SofteningKind::spline}};
const Words<Precision> precision_words = {{"float", Precision::single_precision},
                                          {"double", Precision::double_precision}};

std::string criterion_text(const SolverOptions& solver)
{
    const bool tolerance = compares_accelerations(solver.criterion);
    const bool named = solver.criterion != SolverOptions().criterion;
    return (named ? word_of(solver.criterion, criterion_words) + ", " : "") +
           (tolerance ? "tolerance " : "theta ") +
           number_text(tolerance ? solver.tolerance : solver.theta);
}

std::string length_text(double length, const Units& units)
{
    std::string text = formatted("%.6g", length);
    if (units.physical) {
        const std::string all = units.description();
        text.append(" ").append(all, 0, all.find(','));
    }
    return text;
}

std::string periodic_text(const PeriodicOptions& periodic)
{
    std::string text = "modes";
    if (periodic.long_range == LongRangeKind::mesh) {
        text = periodic.mesh > 0 ? "mesh of " + std::to_string(periodic.mesh) + "^3" : "mesh";
        text += ", r_s of " + number_text(periodic.split) + " cells";
    }
    return text + ", cut at " + number_text(periodic.cut) + " r_s";
}

std::string long_range_text(const SolverOptions& settled, const Units& units)
{
    const PeriodicOptions& periodic = settled.periodic;
    if (!periodic || settled.solver == SolverKind::direct)
        return "";
    const double split = split_radius(periodic);
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    return (mesh ? formatted("mesh of %d^3, ", periodic.mesh) : std::string("modes, ")) + "r_s " +
           length_text(split, units) + ", cut at " + length_text(periodic.cut * split, units);
}

std::string method_text(const SolverOptions& solver)
{
    if (solver.solver == SolverKind::direct)
        return solver.periodic ? "direct sum, Ewald's" : "direct sum";
    std::string text = "tree, " + criterion_text(solver);
    static constexpr const char* names[] = {"monopoles", "", "quadrupoles", "octupoles",
                                            "hexadecapoles"};
    text += std::string(", ") + names[solver.order];
    if (solver.periodic)
        text += ", " + periodic_text(solver.periodic);
    else
        text += solver.local_order == 0 ? ", no local expansions"
                                        : ", local order " + std::to_string(solver.local_order);
    if (solver.decorrelate)
        text += ", root cubes by seed " + std::to_string(*solver.decorrelate);
    return text;
}

std::string describe(const Softening& softening)
{
    if (softening.length == 0)
        return "none";
    return (softening.kind == SofteningKind::plummer ? "Plummer, eps = " : "spline, eps = ") +
           number_text(softening.length);
}

namespace {

/// The options of a periodic box in words; none of an isolated system or a direct sum.
std::map<std::string, std::string> describe_periodic(const SolverOptions& solver)
{
    const PeriodicOptions& periodic = solver.periodic;
    if (!periodic || solver.solver == SolverKind::direct)
        return {};
    const bool mesh = periodic.long_range == LongRangeKind::mesh;
    std::map<std::string, std::string> words{{"long_range", mesh ? "mesh" : "modes"},
                                             {"cut", number_text(periodic.cut)}};
    if (mesh) {
        words["mesh"] = std::to_string(periodic.mesh);
        words["split"] = number_text(periodic.split);
    }
    if (!mesh || periodic.mesh > 0) { // else not chosen yet
        words["split_radius"] = number_text(split_radius(periodic));
        words["cut_radius"] = number_text(periodic.cut * split_radius(periodic));
    }
    return words;
}

} // namespace

std::map<std::string, std::string> describe(const SolverOptions& solver)
{
    std::map<std::string, std::string> words{
        {"solver", word_of(solver.solver, solver_words)},
        {"eps", number_text(solver.softening.length)},
        {"softening", word_of(solver.softening.kind, softening_words)},
        {"precision", word_of(solver.precision, precision_words)},
        {"group_size", std::to_string(solver.group_size)},
        {"leaf_size", std::to_string(solver.leaf_size)},
        {"device", solver.device}};
    if (solver.solver == SolverKind::tree) {
        words["criterion"] = word_of(solver.criterion, criterion_words);
        if (compares_accelerations(solver.criterion))
            words["tolerance"] = number_text(solver.tolerance);
        else
            words["theta"] = number_text(solver.theta);
        words["local_order"] = std::to_string(solver.local_order);
        words["order"] = std::to_string(solver.order);
        if (solver.decorrelate)
            words["decorrelate"] = std::to_string(*solver.decorrelate);
    }
    words.merge(describe_periodic(solver));
    if (solver.accuracy) {
        words["accuracy"] = number_text(solver.accuracy->error);
        words["accuracy_percentile"] = number_text(solver.accuracy->percentile);
    }
    if (solver.device == "cpu")
        words["instruction_set"] = solver.instruction_set;
    return words;
}

SolverOptions known_forces(SolverOptions used, const Snapshot& snapshot)
{
    used.periodic = with_mesh(used.periodic, snapshot.particles.size());
    return used;
}

void state_forces(const SolverOptions& used, const std::string& device, Snapshot& snapshot)
{
    std::map<std::string, std::string> earlier;
    earlier.swap(snapshot.provenance);
    snapshot.provenance = describe(known_forces(used, snapshot));
    for (const char* key : {provenance_transfer, provenance_sigma8, provenance_spectral_index,
                            provenance_omega_baryon})
        if (const auto value = earlier.find(key); value != earlier.end())
            snapshot.provenance.insert(*value);
    snapshot.provenance["device"] = device;
    snapshot.softening = used.softening;
    if (used.gravitational_constant != snapshot.G())
        snapshot.gravitational_constant = used.gravitational_constant;
    snapshot.box_size = used.periodic.box;
}

} // namespace chamomile
