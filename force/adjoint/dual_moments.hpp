/// \file  Moments of cells for the adjoint of gravity: of the masses, and of charges with dipoles.
///
/// For a loss L with lambda_i = dL/da_i and mu_i = dL/dphi_i, dL/dm at a point y is the field
///
///     Psi(y) = sum_i (lambda_i . d/dx_i - mu_i) 1/u(x_i - y)
///
/// With s = x_i - center, its moment to the powers (a, b, c) is the sum of
/// (lambda_i . d/ds - mu_i) s_x^a s_y^b s_z^c: a dipole's moments are derivatives of a charge's.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/force/simd/adjoint_kernels.hpp"
#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/moments.hpp"

namespace chamomile {

/// A sorted particle as a row of the pair law (pairs/laws/gravity_adjoint.hpp): position in the
/// caller's units, then in internal units mass, lambda, mu and, with per-particle softening, eps^2.
class AdjointRows {
public:
    /// `lambda` and `mu`: in the caller's order and units; empty: 0. `unit`: of lambda.
    void take(const Octree& octree, const InternalScale& scale, double unit,
              const ArrayView& lambda, const ArrayView& mu);
    /// Takes targets with the unit of mass that move with these velocities.
    void take_moving(const Octree& octree, const InternalScale& scale, double unit,
                     const ArrayView& velocity)
    {
        take(octree, scale, unit / scale.mass, velocity, {});
        for (std::size_t k = 0; k < octree.size; ++k)
            rows_[width_ * k + 3] = 1;
    }

    std::size_t width() const { return width_; }
    const double* row(std::size_t sorted) const { return rows_.data() + width_ * sorted; }

private:
    std::size_t width_ = 8;
    std::vector<double> rows_;
};

/// Returns the power of two above every component of n lambda, every |mu| times the unit of length,
/// and every component of velocities times the unit of mass.
double unit_of_lambda(const InternalScale& scale, const AdjointInput& loss, std::size_t n);
/// Returns the power of two above `max`, the largest of these values.
inline double unit_of_lambda(double max)
{
    return max > 0 ? InternalScale::power_of_two_above(max) : 1;
}

/// Returns the limit of extent over distance of cells for which a criterion with tolerance does not
/// hold.
inline double dual_opening(const AcceptanceCriterion& criterion)
{
    return std::min(0.6, std::pow(10 * criterion.tolerance, 1.0 / criterion.neglected()));
}

/// Moments of all cells about their centers, in internal units, times (-1)^n / (a! b! c!), n the
/// degree. With per-particle softening of cells, each particle is divided between the smallest and
/// the largest eps^2 in its cell, linearly, and each of both parts has moments.
class DualMoments {
public:
    /// Sums the dual moments to degree `order`, 2 to 5, and those of masses to one degree less.
    /// `softens`: cells have per-particle softening. `precise`: kernels read doubles.
    /// `criterion`: of the lists. It knows masses only, so cells whose masses say too little of
    /// lambda and mu, such as cells of massless particles, get a limit of extent over distance.
    void sum(const AdjointKernels& kernels, const Octree& octree, const Moments& moments,
             const AdjointRows& rows, const InternalScale& scale, int order, bool softens,
             bool precise, const AcceptanceCriterion& criterion);

    /// Prefetches what append() reads.
    void prefetch(Index cell) const
    {
        const Head& head = heads_[cell];
        __builtin_prefetch(&head);
        const char* const row = row_of(cell, 0);
        for (std::size_t byte = 0; byte < row_bytes_; byte += 64)
            __builtin_prefetch(row + byte);
    }

    /// Appends a cell as the group or cluster at `center` sees it, from the nearest image in `box`.
    /// `eps2`: of all pairs, without per-particle softening; in internal units.
    void append(Index cell, const Vec3<double>& center, const Periodicity& box, double eps2,
                std::vector<DualCell>& cells) const;

    /// Returns whether the lists' criterion holds for the cell.
    bool is_trusted(Index cell) const { return extents_.empty() || extents_[cell] < 0; }

    /// Returns whether a cell may be too close to be summed as one.
    bool may_be_opened(Index cell) const { return parts_ > 1 || !is_trusted(cell); }

    /// Returns whether a cell is too close to be summed as one, in this distance. Then the caller
    /// sums over daughters, or particles.
    bool is_to_be_opened(Index cell, double distance) const
    {
        const double d = inverse_length_ * distance;
        return (!extents_.empty() && extents_[cell] > opening_ * d) ||
               // Two values of eps^2: a second-order change by (range / u^2)^2 15 / 32 at most.
               (parts_ > 1 && spans_[cell].max - spans_[cell].min > 0.05 * d * d);
    }

    int order() const { return order_; }

private:
    struct Head {
        Vec3<double> center; ///< in the caller's units
        double size;         ///< unit of the row's lengths, in internal units
    };
    struct Span { ///< of eps^2, in internal units
        double min, max;
    };

    /// Fractions of all |lambda| and |mu|, added, with powers of the place.
    struct Weights {
        double sum = 0, second = 0; ///< second: trace
        Vec3<double> first;

        void add(double weight, const Vec3<double>& s)
        {
            sum += weight;
            first += weight * s;
            second += weight * norm_squared(s);
        }
    };

    template <int order>
    void sum_cells(const AdjointRows& rows);
    void sum_leaf(Index cell, const AdjointRows& rows);
    template <int order>
    void sum_daughters(Index cell);
    template <class T>
    void write_rows(const Moments& moments, std::vector<T>& rows);
    void find_extents(const Moments& moments, const AdjointRows& rows, Criterion kind);
    /// Returns the moments of one part of a cell.
    double* of(Index cell, int part)
    {
        const std::size_t k = std::size_t(cell) * std::size_t(parts_) + std::size_t(part);
        return moments_.data() + k * std::size_t(masses_ + size_);
    }
    const double* of(Index cell, int part) const
    {
        return const_cast<DualMoments*>(this)->of(cell, part);
    }

    const char* row_of(Index cell, int part) const
    {
        return all_rows_ +
               (std::size_t(cell) * std::size_t(parts_) + std::size_t(part)) * row_bytes_;
    }

    const AdjointKernels* kernels_ = nullptr;
    const Octree* octree_ = nullptr;
    const Multipole* multipoles_ = nullptr;
    double inverse_length_ = 1, opening_ = 1;
    int order_ = 0, parts_ = 1;
    int masses_ = 0, size_ = 0;   ///< numbers of moments
    std::vector<double> moments_; ///< per cell and part: of the masses, of the dual field
    std::vector<Head> heads_;     ///< per cell
    std::vector<float> rows_;     ///< per cell and part: DualRow; in one of two precisions
    std::vector<double> precise_rows_;
    const char* all_rows_ = nullptr; ///< of these
    std::size_t row_bytes_ = 0;
    std::vector<Weights> weights_;
    std::vector<float> extents_; ///< per cell; negative: the cell is trusted; empty: all cells are
    std::vector<Span> spans_;    ///< per cell; empty: no per-particle softening of cells
};

} // namespace chamomile
