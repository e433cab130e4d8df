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
#include <cstdint>

#include "chamomile/core/periodic.hpp"
#include "chamomile/force/adjoint/dual_row.hpp"
#include "chamomile/force/law_choice.hpp"

namespace chamomile {

struct ShortRangeForm;
struct SmoothPart;

/// A cell with its coefficients, as seen by a group.
struct DualCell {
    Vec3<double> place; ///< from the group's center
    double eps2;        ///< of the pairs, or of the cell's particles with per-particle softening
    double size;        ///< unit of the row's lengths: a power of two
    const void* row;    ///< DualRow in float or double
};

/// A group's targets: arrays by component, each `padded` values long (a multiple of 16).
struct AdjointTargets {
    static constexpr int fields = 9; ///< position from the center, mass, lambda, mu, eps^2

    int padded;
    const double* values;
    double* sums; ///< dL/dx and dL/dm are added
    /// Softening::rule_weight() with per-particle softening of cells; else negative.
    double rule_weight = -1;
    const ShortRangeForm* form = nullptr; ///< of cells; null: Newton's law

    const double* field(int f) const { return values + f * padded; }
};

/// The part of the law that a kernel adds.
enum class AdjointPart {
    isolated,      ///< Newton's law, softened
    short_range,   ///< less the smooth part, within the cut
    smooth,        ///< the short range without Newton's law, for targets among themselves
    nearest_images ///< all pairs in a periodic cube, in double
};

/// Listed particles of a group, besides its targets.
struct AdjointPairs {
    struct Range {
        std::uint32_t begin, end;
    };
    const double* rows; ///< of all particles: AdjointRows
    std::size_t width;  ///< of a row
    const Range* ranges;
    std::size_t count; ///< of ranges
    Vec3<double> center;
    double inverse_length;                ///< into internal units
    double softening_length;              ///< in internal units, without per-particle softening
    double rule_weight;                   ///< Softening::rule_weight()
    Periodicity box = {};                 ///< particles act from the image nearest to the center
    const ShortRangeForm* form = nullptr; ///< for the short range and its smooth part
    const SmoothPart* smooth = nullptr;   ///< for nearest images
    const double* numbers = nullptr;      ///< for nearest images: each target's row
};

using AdjointPairKernel = void (*)(const AdjointPairs& pairs, const AdjointTargets& targets);

/// Particles of a cell and the center of its moments. A particle counts with the fraction
/// `fraction` + `slope` eps^2; without `slope`, rows need no eps^2.
struct DualParticles {
    const double* rows; ///< AdjointRows, from the first particle on
    std::size_t width, count;
    Vec3<double> center;
    double inverse_length; ///< into internal units
    double fraction = 1, slope = 0;
};

/// Degree of the local expansions. Terms are derivatives.
inline constexpr int dual_degree = 6;

/// The fields of far cells about a center.
struct DualExpansion {
    double unit = 1; ///< of length
    double masses[term_count(dual_degree)] = {}, duals[term_count(dual_degree)] = {};
};

/// By precision: float, double. `order`: degree of the dual moments, 2 to 5.
struct AdjointKernels {
    /// Adds moments as in dual_moments.hpp: of masses to degree order - 1, then the dual ones.
    void (*sum_particles)(const DualParticles& particles, int order, double* moments);
    /// Adds cells to targets as multipoles (M2P).
    void (*add_cells[2])(const DualCell* cells, std::size_t count, int order,
                         const AdjointTargets& targets);
    /// Adds the cells to an expansion about the origin of their places (M2L).
    void (*expand[2])(const DualCell* cells, std::size_t count, int order,
                      DualExpansion& expansion);
    /// Adds an expansion about the group's center (L2P).
    void (*add_expansion[2])(const DualExpansion& expansion, const AdjointTargets& targets);
    /// Returns the kernel that adds particles.
    AdjointPairKernel (*pairs)(const LawChoice& choice, AdjointPart part, bool with_mu);
};

} // namespace chamomile
