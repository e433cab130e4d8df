// The adjoint for cells: M2P and L2P with one lane per target, M2L with one lane per cell, in
// double. Contraction: fused.
#include "chamomile/force/simd/adjoint_kernels.hpp"

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/force/expansions/term_table.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

using P = Pack<double>;

/// The derivatives of 1/u to a degree, seen at r from a center.
template <int degree>
struct Derivatives {
    static constexpr int size = term_count(degree);

    P of[size];

    CHAMOMILE_HD Derivatives(const Vec3<P>& r, const P& eps2)
    {
        const P inv_u = inverse_sqrt(norm_squared(r, eps2));
        P level1[size], power[degree + 1];
        level1[0] = P(odd_factorial(2 * degree - 1));
        const Vec3<P> unit = inv_u * r;
        taylor::step_levels<degree>(unit, level1, std::make_integer_sequence<int, degree - 1>{});
        power[0] = inv_u;
        for (int k = 1; k <= degree; ++k)
            power[k] = power[k - 1] * inv_u;
        scale(unit, level1, power, std::make_integer_sequence<int, size>{});
    }

private:
    template <int... t>
    CHAMOMILE_HD void scale(const Vec3<P>& unit, const P* level1, const P* power,
                            std::integer_sequence<int, t...>)
    {
        ((of[t] = power[exponents_of(t).degree()] * taylor::derivative<0, t>(unit, level1)), ...);
    }
};

/// The targets of one pack.
struct PackOfTargets {
    const AdjointTargets& all;
    int first;
    Vec3<P> position = {value(0), value(1), value(2)}, lambda = {value(4), value(5), value(6)};
    P mass = value(3), mu = value(7);
    Vec3<P> force = {}, tide = {}, dual_force = {}; ///< grad F, (grad grad F) lambda, grad Psi
    P dual = {};

    CHAMOMILE_HD P value(int f) const { return P::load(all.field(f) + first); }

    CHAMOMILE_HD void store() const
    {
        const P sums[4] = {mass * dual_force.x + tide.x - mu * force.x,
                           mass * dual_force.y + tide.y - mu * force.y,
                           mass * dual_force.z + tide.z - mu * force.z, dual};
        for (int f = 0; f < 4; ++f) {
            double* const to = all.sums + f * all.padded + first;
            (P::load(to) + sums[f]).store(to);
        }
    }

    /// Adds the derivatives of F to degree 2, xx, xy, xz, yy, yz, zz, contracted with lambda.
    CHAMOMILE_HD void add_tide(const P* h)
    {
        tide.x += h[0] * lambda.x + h[1] * lambda.y + h[2] * lambda.z;
        tide.y += h[1] * lambda.x + h[3] * lambda.y + h[4] * lambda.z;
        tide.z += h[2] * lambda.x + h[4] * lambda.y + h[5] * lambda.z;
    }
};

/// Returns sum_k moments[k] D(t + k).
template <int t, int degree, int... k>
CHAMOMILE_HD P contracted(const double* moments, const Derivatives<degree>& d,
                          std::integer_sequence<int, k...>)
{
    constexpr auto joint = [](int s) {
        const Exponents a = exponents_of(t), b = exponents_of(s);
        return term_of({a.x + b.x, a.y + b.y, a.z + b.z});
    };
    P sum;
    ((sum += P(moments[k]) * d.of[joint(k)]), ...);
    return sum;
}

template <int order>
CHAMOMILE_HD void add_cell(const DualCell& cell, const Derivatives<order + 2>& d, PackOfTargets& i)
{
    constexpr int size = term_count(order);
    constexpr std::make_integer_sequence<int, size> all;
    const double *masses = cell.moments, *duals = cell.moments + size;
    i.dual += contracted<0>(duals, d, all);
    i.dual_force.x += contracted<1>(duals, d, all);
    i.dual_force.y += contracted<2>(duals, d, all);
    i.dual_force.z += contracted<3>(duals, d, all);
    i.force.x += contracted<1>(masses, d, all);
    i.force.y += contracted<2>(masses, d, all);
    i.force.z += contracted<3>(masses, d, all);
    const P h[6] = {contracted<4>(masses, d, all), contracted<5>(masses, d, all),
                    contracted<6>(masses, d, all), contracted<7>(masses, d, all),
                    contracted<8>(masses, d, all), contracted<9>(masses, d, all)};
    i.add_tide(h);
}

template <int order>
void add_cells_of(const DualCell* cells, std::size_t count, const AdjointTargets& targets)
{
    const bool per_particle = targets.rule_weight >= 0;
    const RuntimeRule rule{targets.rule_weight};
    for (int t = 0; t < targets.padded; t += P::width) {
        PackOfTargets i{targets, t};
        const P own = i.value(8);
        for (std::size_t c = 0; c < count; ++c) {
            const DualCell& cell = cells[c];
            const Vec3<P> r{P(cell.place.x) - i.position.x, P(cell.place.y) - i.position.y,
                            P(cell.place.z) - i.position.z};
            const P eps2(cell.eps2);
            add_cell<order>(cell, Derivatives<order + 2>(r, per_particle ? rule(own, eps2) : eps2),
                            i);
        }
        i.store();
    }
}

/// Adds packs of cells to sums of both fields' terms, then the sums' lanes to `terms`.
template <int degree>
void expand_to(const DualCell* cells, std::size_t count, int order, double* terms)
{
    constexpr int size = term_count(degree), width = P::width, max_terms = term_count(5);
    const int moments = term_count(order);
    P sums[2][size];
    for (std::size_t first = 0; first < count; first += std::size_t(width)) {
        alignas(64) double place[4][width];
        alignas(64) double moment[2 * max_terms][width];
        for (int lane = 0; lane < width; ++lane) {
            const std::size_t at = first + std::size_t(lane);
            const DualCell& cell = cells[at < count ? at : count - 1];
            place[0][lane] = cell.place.x, place[1][lane] = cell.place.y;
            place[2][lane] = cell.place.z, place[3][lane] = cell.eps2;
            for (int k = 0; k < 2 * moments; ++k)
                moment[k][lane] = at < count ? cell.moments[k] : 0;
        }
        const Derivatives<degree> d({P::load(place[0]), P::load(place[1]), P::load(place[2])},
                                    P::load(place[3]));
        for (int t = 0, of_degree = 0; t < size; ++t) {
            of_degree += t == term_count(of_degree);
            const int left = degree - of_degree,
                      n = left < order ? term_count(left) : moments; // moments that count
            P of_masses, of_duals;
            for (int k = 0; k < n; ++k) {
                const P& derivative = d.of[term_table.joint[t][k]];
                of_masses += P::load(moment[k]) * derivative;
                of_duals += P::load(moment[moments + k]) * derivative;
            }
            sums[0][t] += of_masses;
            sums[1][t] += of_duals;
        }
    }
    for (int f = 0; f < 2; ++f)
        for (int t = 0; t < size; ++t)
            terms[f * size + t] += sum_of_lanes(sums[f][t]);
}

void add_cells(const DualCell* cells, std::size_t count, int order, const AdjointTargets& targets)
{
    order == 2   ? add_cells_of<2>(cells, count, targets)
    : order == 3 ? add_cells_of<3>(cells, count, targets)
    : order == 4 ? add_cells_of<4>(cells, count, targets)
                 : add_cells_of<5>(cells, count, targets);
}

void expand(const DualCell* cells, std::size_t count, int order, int degree, double* terms)
{
    degree == 4   ? expand_to<4>(cells, count, order, terms)
    : degree == 5 ? expand_to<5>(cells, count, order, terms)
    : degree == 6 ? expand_to<6>(cells, count, order, terms)
                  : expand_to<7>(cells, count, order, terms);
}

void add_expansions(const double* terms, int degree, const AdjointTargets& targets)
{
    const double *masses = terms, *duals = terms + term_count(degree);
    P monomial[TermTable::size];
    for (int t = 0; t < targets.padded; t += P::width) {
        PackOfTargets i{targets, t};
        term_table.monomials(i.position.x, i.position.y, i.position.z, degree, monomial);
        // The derivative along a term of low degree: the sum over terms that have room for it.
        const auto along = [&](const double* of, int low, int low_degree) {
            P sum;
            for (int k = 0; k < term_count(degree - low_degree); ++k)
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
    return {add_cells, expand, add_expansions};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
