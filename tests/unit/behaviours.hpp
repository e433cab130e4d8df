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
    {"direct sums in single precision reach 1e-6 on hard particle sets", check_direct_errors},
    {"tree errors at a given opening angle stay below fixed limits", check_tree_errors, false},
    {"tree forces converge to the direct sum as theta goes to 0", check_tree_becomes_direct},
    {"errors of a multipole expansion fall like the first neglected order", check_multipoles},
    {"a higher multipole order has a smaller error at equal opening angle", check_orders},
    {"trees and direct sums handle few particles and counts near tile sizes", check_small_numbers},
    {"solvers handle coincident particles", check_coincident_particles, false},
    {"a distant outlier does not degrade the forces on other particles", check_outlier, false},
    {"trees refuse negative masses, direct sums accept them", check_negative_masses, false},
    {"solvers evaluate active particles only", check_active_subset},
    {"forces match bitwise for any number of threads", check_independence_of_threads},
    {"scaling units by powers of two changes no bit", check_exact_scaling, false},
    {"direct sums with positive and negative masses stay accurate under cancellation",
     check_cancelling_masses},
    {"direct sums under cancellation match bitwise for any number of threads",
     check_cancelling_on_threads},
};

} // namespace chamomile::tests
