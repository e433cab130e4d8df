/// \file  Solver options in three parts: what to compute, how, and on which machine.
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

/// Softening lengths by particle type; set_softenings() assigns them to particles.
struct TypeSoftenings {
    std::vector<double> in_order;  ///< one per type that occurs, ascending by type
    std::map<int, double> of_type; ///< for other types: Softening::length

    bool empty() const { return in_order.empty() && of_type.empty(); }
};

/// Physics says what to compute. Two solvers with equal Physics agree within their errors; a solver
/// refuses what it cannot compute. Functions that read a Physics open it by a structured binding,
/// so that a new member breaks compilation until each function handles it.
struct Physics {
    Softening softening;
    TypeSoftenings type_softenings;
    double gravitational_constant = 1;
    /// Side of a periodic cube [0, box)^3 with a uniform background of opposite mass; 0: isolated.
    double box = 0;

    bool is_periodic() const { return box > 0; }
};

enum class SolverKind { tree, direct };

/// How to compute the smooth part of periodic gravity.
enum class LongRangeKind {
    mesh, ///< TreePM (Bagla 2002, Springel 2005): density and potential on a mesh
    modes ///< Ewald's sum over Fourier modes, without a mesh; r_cut is then 0.45 of the side
};

/// Options for the short and the long range of periodic gravity.
struct PeriodicOptions {
    LongRangeKind long_range = LongRangeKind::mesh;
    int mesh = 0;        ///< cells along a side; 0: chosen by the number of particles
    double split = 1.25; ///< r_s in cells of the mesh
    double cut = 5.75;   ///< r_cut in r_s: pairs farther apart have no short range

    bool operator==(const PeriodicOptions&) const = default;
};

/// Where to build a tree, wherever its lists are evaluated. Changes no bit.
enum class TreeBuiltBy {
    automatic, ///< the device that evaluates the lists
    host,      ///< a GPU that evaluates the lists gets a copy of the tree
    gpu
};

/// ListOptions say how to make a tree's interaction lists.
struct ListOptions {
    Criterion criterion = Criterion::moments;
    /// For Criterion::relative and moments (Salmon & Warren 1994, Dehnen 2014): a cell is accepted
    /// if the first neglected multipole term, such as M b^(p+1) / d^(p+3) at order p, is below
    /// tolerance times the estimated acceleration.
    double tolerance = 0.001;
    /// For Criterion::geometric and minimum_distance: accepts a cell of size l beyond l / theta.
    double theta = 0.6;
    int local_order = 6; ///< of local expansions (distant cells about a group); 0: none
    int order = 2;       ///< of the multipoles: 0, 2 (quadrupole), 3 (octupole) or 4 (hexadecapole)
    int group_size = 0;  ///< max particles that share an interaction list; 0: chosen by device
    int cluster_size = 0; ///< max groups whose walks begin as one, if full; 0: chosen by device
    int leaf_size = 0;    ///< max particles in a cell without daughters; 0: chosen by device
    int batch_size = 0;   ///< groups per batch sent to the device; 0: chosen. Changes no bit
    TreeBuiltBy tree_built_by = TreeBuiltBy::automatic; ///< changes no bit
};

/// Method says how to compute forces, and within which error.
struct Method : ListOptions {
    SolverKind solver = SolverKind::tree;
    PeriodicOptions periodic; ///< for a periodic box
    /// Seed for a random root cube in each evaluation, so that successive errors come from
    /// different cells; none: the smallest cube.
    std::optional<std::uint64_t> decorrelate;
    /// Error to keep: the solver chooses criterion, tolerance or theta, orders and sizes.
    std::optional<AccuracyGoal> accuracy;
};

enum class Precision {
    /// Pairs are summed in float about the group's center, tiles in double. Direct sums whose terms
    /// cancel (force/repairs/cancellation.hpp) are repeated in double.
    single_precision,
    double_precision
};

/// Platform says where to compute forces. Results change by rounding only.
struct Platform {
    Precision precision = Precision::single_precision;
    /// auto, cpu, gpu or gpu:n; several GPUs (gpu:n,m,... or gpu:all) get one rank each. With
    /// ranks, auto is the CPU.
    std::string device = "auto";
    std::string instruction_set = "auto"; ///< of the CPU: auto, avx512, avx2 or baseline
    /// Ranks whose rank 0 makes the solver (force/ranks/domain_solver.hpp) while the others run
    /// serve_solver(); null: none. They must outlive the solver.
    Communicator* ranks = nullptr;
    /// Without `ranks`: how many threads the solver starts as ranks; 0: one per GPU if the device
    /// names several, else none.
    int own_ranks = 0;
    bool share_gpu = false;    ///< whether several ranks may use one GPU
    double peer_timeout = 600; ///< seconds after which a silent rank counts as failed
};

/// All options that affect a force; the defaults are those in `chamomile --help`.
struct SolverOptions : Physics, Method, Platform {};

} // namespace chamomile
