/// \file  Measurements during a fluid run: means, errors, and energy drift.
#pragma once

#include <string>
#include <vector>

#include "chamomile/integrate/fluid.hpp"

namespace chamomile::app {

/// FluidAverages measures a fluid run. Energies per atom and pressures include the contribution
/// beyond the cut-off; drifts use the conserved energy without it.
class FluidAverages {
public:
    struct Mean {
        double value = 0, error = 0; ///< standard error, from the means over ten parts of the run
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

    /// Returns the max change in energy, relative to the smaller of total and kinetic energy.
    double drift() const;
    /// Returns a line about energy conservation.
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
