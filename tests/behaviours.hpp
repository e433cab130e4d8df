/// \file  What every evaluator must do, written once: tests call these for each device.
#pragma once

#include <string>
#include <vector>

#include "chamomile/force/solver.hpp"

namespace chamomile::tests {

/// A device as SolverOptions names it.
struct Machine {
    std::string device = "cpu", instruction_set = "auto";
};

SolverOptions options_for(const Machine& machine);

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

} // namespace chamomile::tests
