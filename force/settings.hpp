/// \file  The three values that make a solver's options: they say what is computed, how, and on
/// what machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/softening.hpp"
#include "chamomile/force/accuracy/goal.hpp"
#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

class Communicator;

/// TypeSoftenings are lengths by the type of particles, which take_softenings() gives to them.
struct TypeSoftenings {
    std::vector<double> in_order;  ///< one for each type that occurs, ascending
    std::map<int, double> of_type; ///< others have Softening::length

    bool empty() const { return in_order.empty() && of_type.empty(); }
};

/// Physics says what is computed. Two solvers of equal Physics agree within their errors; a solver
/// that cannot compute a part of it refuses. Who takes a Physics opens it by a structured binding,
/// so that a new member does not compile until each says what it does about it.
struct Physics {
    Softening softening;
    TypeSoftenings type_softenings;
    double gravitational_constant = 1;
    /// This is the side of a periodic cube [0, box)^3 with a uniform background of the opposite
    /// mass; 0: an isolated system.
    double box = 0;

    bool is_periodic() const { return box > 0; }
};

enum class SolverKind { tree, direct };

/// The smooth part of periodic gravity comes from one of these.
enum class LongRangeKind {
    mesh, ///< TreePM (Bagla 2002, Springel 2005): density and potential on a mesh
    modes ///< Ewald's sum over Fourier modes, without a mesh; r_cut is then 0.45 of the side
};

/// These options say how the short and the long range of periodic gravity are made.
struct PeriodicOptions {
    LongRangeKind long_range = LongRangeKind::mesh;
    int mesh = 0;        ///< cells along a side; 0: chosen by the number of particles
    double split = 1.25; ///< r_s in cells of the mesh
    double cut = 5;      ///< r_cut in r_s: pairs farther apart have no short range
};

/// TreeBuiltBy says who builds a tree, whoever evaluates its lists. Trees have the same bits.
enum class TreeBuiltBy {
    automatic, ///< the device that evaluates the lists
    host,      ///< A GPU that evaluates the lists gets a copy of the tree.
    gpu
};

/// ListOptions say how a tree's interaction lists are made.
struct ListOptions {
    Criterion criterion = Criterion::moments;
    /// This belongs to Criterion::relative and moments (Salmon & Warren 1994, Dehnen 2014): a cell
    /// is accepted where the first term that its multipoles leave out, such as M b^(p+1) / d^(p+3)
    /// to order p, stays below tolerance times the acceleration there, estimated.
    double tolerance = 0.001;
    /// This belongs to Criterion::geometric and minimum_distance: a cell of size l is accepted
    /// beyond l / theta.
    double theta = 0.6;
    int local_order = 6; ///< of the expansions of distant cells' field about a group; 0: none
    int order = 2;       ///< of the multipoles: 0, 2 (quadrupole), 3 (octupole) or 4 (hexadecapole)
    int group_size = 0;  ///< most particles that share one interaction list; 0: chosen by device
    int cluster_size = 0; ///< most groups whose walks begin as one, if full; 0: chosen by device
    int leaf_size = 0;    ///< most particles of a cell without daughters; 0: chosen by device
    int batch_size = 0; ///< groups whose lists go to the device together; 0: chosen. Changes no bit
    TreeBuiltBy tree_built_by = TreeBuiltBy::automatic; ///< changes no bit
};

/// Method says how the forces are computed, and within which error.
struct Method : ListOptions {
    SolverKind solver = SolverKind::tree;
    PeriodicOptions periodic; ///< of a periodic box
    /// This is the seed of a tree's root cube at a random place in each evaluation, so that the
    /// errors of successive evaluations are not those of the same cells; none: the smallest cube.
    std::optional<std::uint64_t> decorrelate;
    /// This is an error to keep: the solver chooses criterion, tolerance or theta, orders and
    /// sizes.
    std::optional<AccuracyGoal> accuracy;
};

enum class Precision {
    /// Pairs are summed in float about the group's centre, and tiles added in double. Direct sums
    /// whose terms cancel (force/repairs/cancellation.hpp) are made again in double.
    single_precision,
    double_precision
};

/// Platform says on what the forces are computed. Nothing here changes a result by more than
/// rounding.
struct Platform {
    Precision precision = Precision::single_precision;
    /// auto, cpu, gpu or gpu:n; several GPUs, gpu:n,m,... or gpu:all, have a rank each. Of ranks
    /// auto is the processor.
    std::string device = "auto";
    std::string instruction_set = "auto"; ///< of the CPU: auto, avx512, avx2 or baseline
    /// These are the ranks whose rank 0 makes the solver (force/ranks/domain_solver.hpp), while the
    /// others serve it; null: none. They outlive the solver.
    Communicator* ranks = nullptr;
    /// Without these: threads of this process are so many ranks, which the solver starts and ends;
    /// 0: one for each of several GPUs, else none.
    int own_ranks = 0;
    bool share_gpu = false;    ///< whether several ranks may have the same GPU
    double peer_timeout = 600; ///< seconds for which a rank may be silent
};

/// These options are all that decides a force; the defaults are what `chamomile --help` shows.
struct SolverOptions : Physics, Method, Platform {};

} // namespace chamomile
