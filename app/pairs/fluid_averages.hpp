/// \file  Measurements in the course of a run of a fluid: means, their errors, and the drift of the
/// energy.
#pragma once

#include <string>
#include <vector>

#include "chamomile/integrate/fluid.hpp"

namespace chamomile::app {

/// FluidAverages measures a run of a fluid. Energies per atom and pressures include the
/// contribution beyond the cut-off; drifts are those of the energy without it, which is conserved.
class FluidAverages {
public:
    struct Mean {
        double value = 0, error = 0; ///< standard error, from the means of ten parts of the run
    };

    /// Measures from the present state on.
    explicit FluidAverages(const Fluid& fluid);

    void add(std::uint64_t step, const FluidState& state);

    /// Keeps or restores the measurements.
    void exchange(Archive& archive);

    Mean temperature() const { return mean_of(&Row::temperature); }
    Mean potential() const { return mean_of(&Row::potential); }
    Mean total() const { return mean_of(&Row::total); }
    Mean pressure() const { return mean_of(&Row::pressure); }

    /// Returns the largest change of the energy, relative to the energy or to the kinetic energy,
    /// whichever is less.
    double drift() const;
    /// Returns a line on how well energy is conserved.
    std::string drift_text() const;
    std::string csv() const;

private:
    struct Row {
        double step; // a whole number
        double potential, kinetic, total, temperature, pressure;
    };

    Mean mean_of(double Row::*field) const;

    double atoms_, step_, energy_beyond_, pressure_beyond_;
    FluidState first_;
    double largest_ = 0, last_ = 0; ///< |E - E_0|
    std::vector<Row> rows_;
};

} // namespace chamomile::app
