// The adjoint for cells: M2P and L2P with one lane per target, M2L with one lane per cell.
// Contraction: fused.
#include "chamomile/force/simd/adjoint_kernels.hpp"

#include <cmath>

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/force/expansions/term_table.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

inline constexpr int cells_together = 32; // sums in T before they are added in double

/// Returns the term with the powers of both.
constexpr int joint(int s, int t)
{
    const Exponents a = exponents_of(s), b = exponents_of(t);
    return term_of({a.x + b.x, a.y + b.y, a.z + b.z});
}

/// The derivatives of 1/u to a degree, seen at r from a center, times u (unit u^-1)^degree.
template <class P, int degree>
struct Derivatives {
    static constexpr int size = term_count(degree);

    P inv_u;
    P of[size];

    CHAMOMILE_HD Derivatives(const Vec3<P>& r, const P& eps2, const P& unit)
        : inv_u(inverse_sqrt(norm_squared(r, eps2)))
    {
        P level1[size], power[degree + 1];
        level1[0] = P(odd_factorial(2 * degree - 1));
        const Vec3<P> direction = inv_u * r;
        taylor::step_levels<degree>(direction, level1,
                                    std::make_integer_sequence<int, degree - 1>{});
        power[0] = P(1);
        for (int k = 1; k <= degree; ++k)
            power[k] = power[k - 1] * (inv_u * unit);
        scale(direction, level1, power, std::make_integer_sequence<int, size>{});
    }

private:
    template <int... t>
    CHAMOMILE_HD void scale(const Vec3<P>& direction, const P* level1, const P* power,
                            std::integer_sequence<int, t...>)
    {
        ((of[t] = power[exponents_of(t).degree()] * taylor::derivative<0, t>(direction, level1)),
         ...);
    }
};

/// The targets of one pack, with grad F, (grad grad F) lambda, Psi and grad Psi.
template <class T>
struct PackOfTargets {
    using P = Pack<T>;

    const AdjointTargets& all;
    int first;
    Vec3<P> position = {value(0), value(1), value(2)}, lambda = {value(4), value(5), value(6)};
    P mass = value(3), mu = value(7);
    Vec3<P> force = {}, tide = {}, dual_force = {};
    P dual = {};

    CHAMOMILE_HD P value(int f) const
    {
        P values;
        for (int lane = 0; lane < P::width; ++lane)
            values.lanes[lane] = T(all.field(f)[first + lane]);
        return values;
    }

    CHAMOMILE_HD void store()
    {
        const P sums[4] = {mass * dual_force.x + tide.x - mu * force.x,
                           mass * dual_force.y + tide.y - mu * force.y,
                           mass * dual_force.z + tide.z - mu * force.z, dual};
        for (int f = 0; f < 4; ++f)
            add_lanes(sums[f], 1, all.sums + f * all.padded + first);
        force = tide = dual_force = {};
        dual = {};
    }

    /// Adds second derivatives of F, xx, xy, xz, yy, yz, zz, contracted with lambda.
    CHAMOMILE_HD void add_tide(const P* h)
    {
        tide.x += h[0] * lambda.x + h[1] * lambda.y + h[2] * lambda.z;
        tide.y += h[1] * lambda.x + h[3] * lambda.y + h[4] * lambda.z;
        tide.z += h[2] * lambda.x + h[4] * lambda.y + h[5] * lambda.z;
    }
};

/// A cell as read by the loop: lengths in moments are in `unit`, a power of two near the distance.
template <class T, int order>
struct PackedCell {
    static constexpr int masses = term_count(order - 1), duals = term_count(order);

    Vec3<T> place;
    T eps2, unit, inverse_unit;
    T mass[masses], dual[duals];

    CHAMOMILE_HD void pack(const DualCell& cell)
    {
        place = rounded<T>(cell.place);
        eps2 = T(cell.eps2);
        int exponent = 0; // of u^2
        frexp(norm_squared(cell.place, cell.eps2), &exponent);
        const double l = ldexp(1.0, exponent / 2), inverse = 1 / l;
        unit = T(l);
        inverse_unit = T(inverse);
        double scale = 1;
        for (int degree = 0, k = 0; degree <= order; ++degree, scale *= inverse)
            for (; k < term_count(degree); ++k) {
                if (k < masses)
                    mass[k] = T(scale * cell.moments[k]);
                dual[k] = T(scale * cell.moments[masses + k]);
            }
    }
};

/// Returns sum_k moments[k] D(t + k).
template <int t, class T, class D, int... k>
CHAMOMILE_HD Pack<T> contracted(const T* moments, const D& d, std::integer_sequence<int, k...>)
{
    Pack<T> sum;
    ((sum += Pack<T>(moments[k]) * d.of[joint(t, k)]), ...);
    return sum;
}

/// Like contracted(), for masses, whose moments of first degree vanish.
template <int t, class T, class D, int... k>
CHAMOMILE_HD Pack<T> of_masses(const T* moments, const D& d, std::integer_sequence<int, k...>)
{
    Pack<T> sum = Pack<T>(moments[0]) * d.of[t];
    ((sum += Pack<T>(moments[4 + k]) * d.of[joint(t, 4 + k)]), ...);
    return sum;
}

template <class T, int order>
CHAMOMILE_HD void add_cell(const PackedCell<T, order>& cell, const Pack<T>& eps2,
                           PackOfTargets<T>& i)
{
    using P = Pack<T>;
    using Packed = PackedCell<T, order>;
    const Vec3<P> r{P(cell.place.x) - i.position.x, P(cell.place.y) - i.position.y,
                    P(cell.place.z) - i.position.z};
    const Derivatives<P, order + 1> d(r, eps2, P(cell.unit));
    constexpr std::make_integer_sequence<int, Packed::duals> duals;
    constexpr std::make_integer_sequence<int, (Packed::masses > 4 ? Packed::masses - 4 : 0)> masses;
    const P first = d.inv_u * P(cell.inverse_unit), second = first * P(cell.inverse_unit);
    i.dual += d.inv_u * contracted<0>(cell.dual, d, duals);
    i.dual_force.x += first * contracted<1>(cell.dual, d, duals);
    i.dual_force.y += first * contracted<2>(cell.dual, d, duals);
    i.dual_force.z += first * contracted<3>(cell.dual, d, duals);
    i.force.x += first * of_masses<1>(cell.mass, d, masses);
    i.force.y += first * of_masses<2>(cell.mass, d, masses);
    i.force.z += first * of_masses<3>(cell.mass, d, masses);
    const P h[6] = {
        second * of_masses<4>(cell.mass, d, masses), second * of_masses<5>(cell.mass, d, masses),
        second * of_masses<6>(cell.mass, d, masses), second * of_masses<7>(cell.mass, d, masses),
        second * of_masses<8>(cell.mass, d, masses), second * of_masses<9>(cell.mass, d, masses)};
    i.add_tide(h);
}

template <class T, int order>
void add_cells_of(const DualCell* cells, std::size_t count, const AdjointTargets& targets)
{
    using P = Pack<T>;
    const bool per_particle = targets.rule_weight >= 0;
    const RuntimeRule rule{targets.rule_weight};
    PackedCell<T, order> packed[cells_together];
    for (std::size_t begin = 0; begin < count; begin += cells_together) {
        const int n = int(count - begin < cells_together ? count - begin : cells_together);
        for (int c = 0; c < n; ++c)
            packed[c].pack(cells[begin + std::size_t(c)]);
        for (int t = 0; t < targets.padded; t += P::width) {
            PackOfTargets<T> i{targets, t};
            const P own = i.value(8);
            for (int c = 0; c < n; ++c) {
                const P eps2(packed[c].eps2);
                add_cell(packed[c], per_particle ? rule(own, eps2) : eps2, i);
            }
            i.store();
        }
    }
}

template <class T>
void add_cells(const DualCell* cells, std::size_t count, int order, const AdjointTargets& targets)
{
    order == 2   ? add_cells_of<T, 2>(cells, count, targets)
    : order == 3 ? add_cells_of<T, 3>(cells, count, targets)
    : order == 4 ? add_cells_of<T, 4>(cells, count, targets)
                 : add_cells_of<T, 5>(cells, count, targets);
}

/// Cells in the lanes of a pack, with moments in units of the expansion, over u.
template <class T, int order>
struct ExpandedCells {
    using P = Pack<T>;
    static constexpr int size = term_count(order), skipped = term_count(order - 1);

    P place[3], eps2, moment[size];

    /// Lanes beyond `count` repeat the last cell without moments.
    CHAMOMILE_HD ExpandedCells(const DualCell* cells, std::size_t count, double inverse_unit)
    {
        alignas(64) T column[4 + size][P::width];
        for (std::size_t lane = 0; lane < std::size_t(P::width); ++lane) {
            const DualCell& cell = cells[lane < count ? lane : count - 1];
            column[0][lane] = T(inverse_unit * cell.place.x);
            column[1][lane] = T(inverse_unit * cell.place.y);
            column[2][lane] = T(inverse_unit * cell.place.z);
            column[3][lane] = T(inverse_unit * inverse_unit * cell.eps2);
            double scale = lane < count ? 1 : 0;
            for (int degree = 0, k = 0; degree <= order; ++degree, scale *= inverse_unit)
                for (; k < term_count(degree); ++k)
                    column[4 + k][lane] = T(scale * cell.moments[skipped + k]);
        }
        for (int axis = 0; axis < 3; ++axis)
            place[axis] = P::load(column[axis]);
        eps2 = P::load(column[3]);
        for (int k = 0; k < size; ++k)
            moment[k] = P::load(column[4 + k]);
    }

    template <int... t>
    CHAMOMILE_HD void add_to(P* sums, std::integer_sequence<int, t...>)
    {
        const Derivatives<P, dual_degree> d({place[0], place[1], place[2]}, eps2, P(T(1)));
        for (int k = 0; k < size; ++k)
            moment[k] = d.inv_u * moment[k];
        (add_term<t>(sums[t], d, std::make_integer_sequence<int, size>{}), ...);
    }

private:
    template <int t, int... k>
    CHAMOMILE_HD void add_term(P& sum, const Derivatives<P, dual_degree>& d,
                               std::integer_sequence<int, k...>) const
    {
        (add_moment<t, k>(sum, d), ...);
    }
    template <int t, int k>
    CHAMOMILE_HD void add_moment(P& sum, const Derivatives<P, dual_degree>& d) const
    {
        if constexpr (exponents_of(t).degree() + exponents_of(k).degree() <= dual_degree)
            sum += moment[k] * d.of[joint(t, k)];
    }
};

template <class T, int order>
void expand_to(const DualCell* cells, std::size_t count, double unit, double* terms)
{
    using P = Pack<T>;
    constexpr int size = term_count(dual_degree), packs_together = 16;
    for (std::size_t first = 0; first < count;) {
        P sums[size];
        for (int pack = 0; pack < packs_together && first < count; ++pack) {
            ExpandedCells<T, order>(cells + first, count - first, 1 / unit)
                .add_to(sums, std::make_integer_sequence<int, size>{});
            first += std::size_t(P::width);
        }
        for (int t = 0; t < size; ++t)
            terms[t] += sum_of_lanes(sums[t]);
    }
}

template <class T>
void expand(const DualCell* cells, std::size_t count, int order, double unit, double* terms)
{
    order == 2   ? expand_to<T, 2>(cells, count, unit, terms)
    : order == 3 ? expand_to<T, 3>(cells, count, unit, terms)
    : order == 4 ? expand_to<T, 4>(cells, count, unit, terms)
                 : expand_to<T, 5>(cells, count, unit, terms);
}

void add_expansions(const double* masses, const double* duals, const AdjointTargets& targets)
{
    using P = Pack<double>;
    P monomial[TermTable::size];
    for (int t = 0; t < targets.padded; t += P::width) {
        PackOfTargets<double> i{targets, t};
        term_table.monomials(i.position.x, i.position.y, i.position.z, dual_degree, monomial);
        // The derivative along a term of low degree: the sum over terms that have room for it.
        const auto along = [&](const double* of, int low, int low_degree) {
            P sum;
            for (int k = 0; k < term_count(dual_degree - low_degree); ++k)
                sum += P(of[term_table.joint[low][k]]) * monomial[k];
            return sum;
        };
        i.dual = along(duals, 0, 0);
        i.dual_force = {along(duals, 1, 1), along(duals, 2, 1), along(duals, 3, 1)};
        i.force = {along(masses, 1, 1), along(masses, 2, 1), along(masses, 3, 1)};
        const P h[6] = {along(masses, 4, 2), along(masses, 5, 2), along(masses, 6, 2),
                        along(masses, 7, 2), along(masses, 8, 2), along(masses, 9, 2)};
        i.add_tide(h);
        i.store();
    }
}

} // namespace

AdjointKernels adjoint_kernels()
{
    return {{add_cells<float>, add_cells<double>}, {expand<float>, expand<double>}, add_expansions};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
