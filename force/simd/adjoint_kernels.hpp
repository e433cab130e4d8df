/// \file  The adjoint of gravity for cells and far cells, as the rest of the library calls it.
///
/// A cell has two fields of sources: its masses, and charges -mu with dipoles lambda
/// (force/adjoint/dual_moments.hpp). With F = sum m / u and Psi the dual field, a target with mass
/// m, lambda and mu gets
///
///     dL/dx = m grad Psi + (grad grad F) lambda - mu grad F     dL/dm = Psi
///
/// All values are in internal units.
#pragma once

#include <cstddef>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A cell with its moments, as seen by a group.
struct DualCell {
    Vec3<double> place;    ///< from the group's center
    double eps2;           ///< of the pairs, or of the cell's particles with per-particle softening
    const double* moments; ///< of the masses to degree order - 1, then of the dual field to `order`
};

/// A group's targets: arrays by component, each `padded` values long (a multiple of 16).
struct AdjointTargets {
    static constexpr int fields = 9; ///< position from the center, mass, lambda, mu, eps^2

    int padded;
    const double* values;
    double* sums; ///< dL/dx and dL/dm are added
    /// Softening::rule_weight() with per-particle softening of cells; else negative.
    double rule_weight = -1;

    const double* field(int f) const { return values + f * padded; }
};

/// The degree of expansions, whose terms are derivatives.
inline constexpr int dual_degree = 6;

/// By precision: float, double. `order`: degree of the dual moments, 2 to 5.
struct AdjointKernels {
    /// Adds cells to targets as multipoles (M2P).
    void (*add_cells[2])(const DualCell* cells, std::size_t count, int order,
                         const AdjointTargets& targets);
    /// Adds the cells' dual field to the terms about the origin of their places (M2L). `unit`: of
    /// length in the terms.
    void (*expand[2])(const DualCell* cells, std::size_t count, int order, double unit,
                      double* terms);
    /// Adds expansions of the masses' and of the dual field about the group's center (L2P).
    void (*add_expansions)(const double* masses, const double* duals,
                           const AdjointTargets& targets);
};

} // namespace chamomile
