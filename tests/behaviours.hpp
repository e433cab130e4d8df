/// \file  Behaviours common to all evaluators; test suites call them per device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

/// A Machine is a device, named as in SolverOptions.
struct Machine {
    std::string device = "cpu", instruction_set = "auto";
};

SolverOptions options_for(const Machine& machine);

/// Returns the processor with each supported instruction set.
std::vector<Machine> every_set();

/// A Behaviour is a check for a machine.
struct Behaviour {
    const char* name;
    void (*check)(const Machine&);
    bool of_every_set = true; ///< with every instruction set; false: automatic only
};

/// Checks each behaviour on each machine it applies to, as a subcase of the calling test case.
void check_behaviours(std::span<const Behaviour> behaviours, const std::vector<Machine>& machines);

void check_direct_errors(const Machine& machine);
void check_tree_errors(const Machine& machine);
void check_tree_becomes_direct(const Machine& machine);
void check_multipoles(const Machine& machine);
void check_orders(const Machine& machine);
void check_small_numbers(const Machine& machine);
void check_coincident_particles(const Machine& machine);
void check_outlier(const Machine& machine);
void check_negative_masses(const Machine& machine);
void check_active_subset(const Machine& machine);
void check_independence_of_threads(const Machine& machine);
void check_potential_changes_nothing(const Machine& machine);
void check_exact_scaling(const Machine& machine);
void check_cancelling_forces(const std::vector<Machine>& machines);
void check_cancelling_masses(const Machine& machine);
void check_cancelling_on_threads(const Machine& machine);

inline constexpr Behaviour force_behaviours[] = {
    {"direct sums in single precision hold on hard clouds", check_direct_errors},
    {"tree errors stay within their promise", check_tree_errors, false},
    {"the tree becomes the direct sum as theta goes to 0", check_tree_becomes_direct},
    {"multipoles leave out no more than the order after theirs", check_multipoles},
    {"each order leaves less error at the same opening angle", check_orders},
    {"few particles, and numbers around the tile sizes", check_small_numbers},
    {"coincident particles", check_coincident_particles, false},
    {"one particle far outside costs the others nothing", check_outlier, false},
    {"negative masses are refused by the tree and summed directly", check_negative_masses, false},
    {"only active particles are evaluated", check_active_subset},
    {"results do not depend on the number of threads", check_independence_of_threads},
    {"powers of two in units change no bit", check_exact_scaling, false},
    {"direct sums of masses of both signs are right where they cancel", check_cancelling_masses},
    {"sums of cancelling forces do not depend on the number of threads",
     check_cancelling_on_threads},
};

} // namespace chamomile::tests
