/// \file  Table 2 of the Chamomile paper, measured again: `chamomile accuracy --table chamomile`.
#pragma once

#include "app/measure/solver_sweep.hpp"
#include "app/models/particle_source.hpp"
#include "app/output_file.hpp"

namespace chamomile::app {

/// Prints, and writes as CSV if that names a file, the largest |da|/|a| over all particles of a
/// Plummer sphere: of the paper, of its two sums done here in float, and of our direct solver with
/// every setting of the sweep. Coordinates are rounded to float before anything is summed. Unless
/// given, the numbers of particles are the paper's, eps = 1/32, and ours is told in float and in
/// double. Returns 0; throws Error(usage) for a file of particles or another model.
int print_chamomile_table(const Options& options, ParticleSource source, SolverOptions solver,
                          SolverSweep sweep, const Output& csv);

} // namespace chamomile::app
