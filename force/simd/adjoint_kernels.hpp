/// \file  The adjoint of gravity for cells and far cells, as the rest of the library calls it.
///
/// A cell has two fields of sources: its masses, and charges -mu with dipoles lambda
/// (force/adjoint/dual_moments.hpp). With F = sum m / u and Psi the dual field, a target with mass
/// m, lambda and mu gets
///
///     dL/dx = m grad Psi + (grad grad F) lambda - mu grad F     dL/dm = Psi
///
/// All values are doubles in internal units.
#pragma once

#include <cstddef>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A cell with its moments, as seen by a group.
struct DualCell {
    Vec3<double> place;    ///< from the group's center
    double eps2;           ///< of the pairs, or of the cell's particles with per-particle softening
    const double* moments; ///< of the masses, then of the dual field; DualMoments
};

/// A group's targets: arrays by component, each `padded` values long (a multiple of 8).
struct AdjointTargets {
    static constexpr int fields = 9; ///< position from the center, mass, lambda, mu, eps^2

    int padded;
    const double* values;
    double* sums; ///< dL/dx and dL/dm are added
    /// Softening::rule_weight() with per-particle softening of cells; else negative.
    double rule_weight = -1;

    const double* field(int f) const { return values + f * padded; }
};

/// `order`: degree of the moments, 2 to 5. `degree`: of the expansions, 4 to 7; their terms are
/// derivatives, of the masses' field and then of the dual field.
struct AdjointKernels {
    /// Adds cells to targets as multipoles (M2P).
    void (*add_cells)(const DualCell* cells, std::size_t count, int order,
                      const AdjointTargets& targets);
    /// Adds cells to the expansions about the origin of their places (M2L).
    void (*expand)(const DualCell* cells, std::size_t count, int order, int degree, double* terms);
    /// Adds the expansions about the group's center to targets (L2P).
    void (*add_expansions)(const double* terms, int degree, const AdjointTargets& targets);
};

} // namespace chamomile
