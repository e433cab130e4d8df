/// \file  The parts of the module _chamomile.
#pragma once

#include <nanobind/nanobind.h>

#include "chamomile/force/solver.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::python {

namespace nb = nanobind;

void bind_field(nb::module_& module);                     ///< FieldSolver, Statistics
void bind_batch(nb::module_& module);                     ///< BatchSolver
void bind_device_array(nb::module_& module);              ///< DeviceArray
void bind_snapshot(nb::module_& module);                  ///< Snapshot, files
void bind_snapshot_state(nb::class_<Snapshot>& snapshot); ///< pickling
void bind_models(nb::module_& module);                    ///< initial models
void bind_orbits(nb::module_& module);                    ///< orbits()
void bind_simulation(nb::module_& module);                ///< Simulation
void bind_accuracy(nb::module_& module);                  ///< accuracy()
void bind_options(nb::module_& module);                   ///< option_table()
void bind_processes(nb::module_& module);                 ///< Processes
void bind_shared_particles(nb::module_& m);               ///< SharedParticles
void bind_xla(nb::module_& module);                       ///< operators for jax.ffi

} // namespace chamomile::python
