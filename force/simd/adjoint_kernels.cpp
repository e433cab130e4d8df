// The adjoint for cells: M2P and L2P with one lane per target. Contraction: fused.
#include "chamomile/force/simd/adjoint_kernels.hpp"

#include <utility>

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/expansions/taylor_polynomial.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

inline constexpr int cells_together = 64; // sums in T before they are added in double

/// Returns the term with the powers of both.
constexpr int joint(int s, int t)
{
    const Exponents a = exponents_of(s), b = exponents_of(t);
    return term_of({a.x + b.x, a.y + b.y, a.z + b.z});
}

/// A pack of targets.
template <class T>
struct PackedTargets {
    using P = Pack<T>;

    Vec3<P> position, lambda;
    P mass, mu;
    Vec3<P> sum = {}; // of dL/dx, but for:
    P along = {};     // times -lambda
    P dual = {};      // dL/dm

    CHAMOMILE_HD PackedTargets(const AdjointTargets& all, int first)
        : position{value(all, 0, first), value(all, 1, first), value(all, 2, first)},
          lambda{value(all, 4, first), value(all, 5, first), value(all, 6, first)},
          mass(value(all, 3, first)), mu(value(all, 7, first))
    {}

    static CHAMOMILE_HD P value(const AdjointTargets& all, int f, int first)
    {
        alignas(64) T values[P::width];
        for (int lane = 0; lane < P::width; ++lane)
            values[lane] = T(all.field(f)[first + lane]);
        return P::load(values);
    }

    CHAMOMILE_HD void store(const AdjointTargets& all, int first)
    {
        sum -= along * lambda;
        const P sums[4] = {sum.x, sum.y, sum.z, dual};
        for (int f = 0; f < 4; ++f)
            add_lanes(sums[f], 1, all.sums + f * all.padded + first);
        sum = {};
        along = dual = {};
    }
};

/// A cell as read by the loop over cells.
template <class T>
struct PackedCell {
    Vec3<T> place;
    T eps2, size, inverse_size2;
    const T* row;

    CHAMOMILE_HD void pack(const DualCell& cell)
    {
        place = rounded<T>(cell.place);
        eps2 = T(cell.eps2);
        size = T(cell.size);
        inverse_size2 = T(1 / (cell.size * cell.size));
        row = static_cast<const T*>(cell.row);
    }
};

/// Returns sum_b row[b + t] e^b / b! over the terms b of degree k.
template <int t, int k, class P, class T, int... b>
CHAMOMILE_HD P contracted(const T* row, const P* monomials, std::integer_sequence<int, b...>)
{
    constexpr int from = term_count(k - 1), first = term_count(exponents_of(t).degree() + k - 1);
    P sum[2]; // two chains, because a pack of targets has few independent operations
    ((sum[b % 2] += P(row[joint(t, from + b) - first]) * monomials[from + b]), ...);
    return sum[0] + sum[1];
}

/// Like above; degree 0 has no product.
template <int t, int k, class P, class T>
CHAMOMILE_HD P contracted(const T* row, const P* monomials)
{
    if constexpr (k == 0)
        return P(row[t - term_count(exponents_of(t).degree() - 1)]);
    else
        return contracted<t, k>(row, monomials,
                                std::make_integer_sequence<int, (k + 1) * (k + 2) / 2>{});
}

/// Calls use.operator()<k, j>() for all k + 2 j <= degree.
template <int degree, class Use, int... n>
CHAMOMILE_HD void for_each_part(const Use& use, std::integer_sequence<int, n...>)
{
    constexpr int row = degree + 1;
    const auto call = [&]<int k, int j>() __attribute__((always_inline))
    {
        if constexpr (k + 2 * j <= degree)
            use.template operator()<k, j>();
    };
    (call.template operator()<n % row, n / row>(), ...);
}

template <int degree, class Use>
CHAMOMILE_HD void for_each_part(const Use& use)
{
    for_each_part<degree>(use, std::make_integer_sequence<int, (degree + 1) * (degree / 2 + 1)>{});
}

/// Adds a cell to a pack of targets (M2P).
///
/// With e, z and the coefficients of DualRow, a field is P(e, z) / u. It has the parts p of degree
/// k in e and j in z, with w = 1 + 2 (k + j), v = dp/de = H e / (k - 1) and H the second
/// derivatives. In units of the size s, along the separation,
///
///     grad = 1/u [z sum v - e sum w p]
///     (lambda . grad) grad = 1/u [z (z H lambda - (e.lambda) sum w v) - z lambda sum w p
///                                 + e ((e.lambda) sum (3 + 2 (k + j)) w p - z lambda . sum w v)]
template <class T, int order>
CHAMOMILE_HD void add_cell(const PackedCell<T>& cell, const Pack<T>& eps2, PackedTargets<T>& i)
{
    using P = Pack<T>;
    constexpr DualRow layout{order};
    const Vec3<P> r{P(cell.place.x) - i.position.x, P(cell.place.y) - i.position.y,
                    P(cell.place.z) - i.position.z};
    const P inv_u = inverse_sqrt(norm_squared(r, eps2)), s = P(cell.size) * inv_u, z = s * s;
    const Vec3<P> e = (s * inv_u) * r;
    P power[3]{P(T(1)), z, z * z}, e_to[term_count(order - 1)];
    taylor::find_monomials(e, e_to, std::make_integer_sequence<int, term_count(order - 1)>{});

    P psi{}, weighted{};
    Vec3<P> slope{};
    for_each_part<order>([&]<int k, int j>() __attribute__((always_inline)) {
        constexpr int w = 1 + 2 * (k + j);
        const T* const row = cell.row + layout.dual(k, j);
        if constexpr (k == 0) {
            const P p = j == 0 ? P(row[0]) : power[j] * P(row[0]);
            psi += p;
            weighted += P(T(w)) * p;
        } else {
            Vec3<P> v{contracted<1, k - 1>(row, e_to), contracted<2, k - 1>(row, e_to),
                      contracted<3, k - 1>(row, e_to)};
            if constexpr (j > 0)
                v = power[j] * v;
            slope += v;
            const P kp = dot(e, v);
            psi += P(T(1.0 / k)) * kp;
            weighted += P(T(double(w) / k)) * kp;
        }
    });
    i.dual += inv_u * psi;

    const P along = dot(i.lambda, e), mass = i.mass * P(cell.size), mu = i.mu * P(cell.size);
    Vec3<P> vector = -mass * slope;
    P p_w{}, p_ww{}, lambda_v{}; // sums of w p, of (k + j) w p, of w lambda . v
    P second[6]{};
    for_each_part<order - 1>([&]<int k, int j>() __attribute__((always_inline)) {
        constexpr int w = 1 + 2 * (k + j);
        const T* const row = cell.row + layout.mass(k, j);
        if constexpr (k == 0) {
            const P p = j == 0 ? P(row[0]) : power[j] * P(row[0]);
            p_w += P(T(w)) * p;
            if constexpr (j > 0)
                p_ww += P(T(j * w)) * p;
        } else if constexpr (k > 1 || j > 0) {
            Vec3<P> v; // times k - 1
            if constexpr (k == 1) {
                v = {P(row[0]), P(row[1]), P(row[2])};
            } else {
                const P h[6]{contracted<4, k - 2>(row, e_to), contracted<5, k - 2>(row, e_to),
                             contracted<6, k - 2>(row, e_to), contracted<7, k - 2>(row, e_to),
                             contracted<8, k - 2>(row, e_to), contracted<9, k - 2>(row, e_to)};
                v = {h[0] * e.x + h[1] * e.y + h[2] * e.z, h[1] * e.x + h[3] * e.y + h[4] * e.z,
                     h[2] * e.x + h[4] * e.y + h[5] * e.z};
                for (int c = 0; c < 6; ++c)
                    second[c] = j == 0 ? second[c] + h[c] : second[c] + power[j] * h[c];
            }
            constexpr T of_v = T(1.0 / (k > 1 ? k - 1 : 1));
            P p = P(of_v / T(k)) * dot(e, v), l = P(T(w) * of_v) * dot(i.lambda, v),
              factor = P(T(w) * of_v) * along - P(of_v) * mu;
            if constexpr (j > 0) {
                p = power[j] * p;
                l = power[j] * l;
                factor = power[j] * factor;
            }
            p_w += P(T(w)) * p;
            p_ww += P(T((k + j) * w)) * p;
            lambda_v += l;
            vector -= factor * v;
        }
    });
    if constexpr (order > 2) {
        const Vec3<P> l = z * i.lambda;
        vector += Vec3<P>{second[0] * l.x + second[1] * l.y + second[2] * l.z,
                          second[1] * l.x + second[3] * l.y + second[4] * l.z,
                          second[2] * l.x + second[4] * l.y + second[5] * l.z};
    }
    const P unit = inv_u * P(cell.inverse_size2), unit_z = unit * z;
    const P of_e =
        mass * weighted + (P(T(3)) * along - mu) * p_w + P(T(2)) * along * p_ww - z * lambda_v;
    i.sum += unit_z * vector;
    i.sum += (unit * of_e) * e;
    i.along += unit_z * p_w;
}

template <class T, int order>
void add_cells_of(const DualCell* cells, std::size_t count, const AdjointTargets& targets)
{
    using P = Pack<T>;
    const bool per_particle = targets.rule_weight >= 0;
    const RuntimeRule rule{targets.rule_weight};
    PackedCell<T> packed[cells_together];
    for (std::size_t begin = 0; begin < count; begin += cells_together) {
        const int n = int(count - begin < cells_together ? count - begin : cells_together);
        for (int c = 0; c < n; ++c)
            packed[c].pack(cells[begin + std::size_t(c)]);
        for (int t = 0; t < targets.padded; t += P::width) {
            PackedTargets<T> i(targets, t);
            const P own = PackedTargets<T>::value(targets, 8, t);
            for (int c = 0; c < n; ++c) {
                const P eps2(packed[c].eps2);
                add_cell<T, order>(packed[c], per_particle ? rule(own, eps2) : eps2, i);
            }
            i.store(targets, t);
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

/// The terms of an expansion's derivative along term `low`.
template <class T, int low>
struct Along {
    const T* terms;

    template <int t>
    CHAMOMILE_HD Pack<T> at() const
    {
        return Pack<T>(terms[joint(low, t)]);
    }
};

template <class T>
void add_expansion(const DualExpansion& expansion, const AdjointTargets& targets)
{
    using P = Pack<T>;
    constexpr int size = term_count(dual_degree), degree = dual_degree - 1;
    T masses[size], duals[size];
    for (int t = 0; t < size; ++t) {
        masses[t] = T(expansion.masses[t]);
        duals[t] = T(expansion.duals[t]);
    }
    const P inverse(T(1 / expansion.unit)), second = inverse * inverse, third = second * inverse;
    for (int t = 0; t < targets.padded; t += P::width) {
        PackedTargets<T> i(targets, t);
        const Vec3<P> x = inverse * i.position;
        const auto dual = TaylorPolynomial<dual_degree, P, Along<T, 0>>::evaluate({duals}, x);
        const auto force_x = TaylorPolynomial<degree, P, Along<T, 1>>::evaluate({masses}, x),
                   force_y = TaylorPolynomial<degree, P, Along<T, 2>>::evaluate({masses}, x),
                   force_z = TaylorPolynomial<degree, P, Along<T, 3>>::evaluate({masses}, x);
        i.dual = inverse * dual.value;
        i.sum = (second * i.mass) * dual.gradient;
        i.sum -= (second * i.mu) * Vec3<P>{force_x.value, force_y.value, force_z.value};
        i.sum += third * Vec3<P>{dot(i.lambda, force_x.gradient), dot(i.lambda, force_y.gradient),
                                 dot(i.lambda, force_z.gradient)};
        i.store(targets, t);
    }
}

} // namespace

AdjointKernels adjoint_kernels()
{
    return {sum_dual_moments,
            {add_cells<float>, add_cells<double>},
            {expand_duals<float>, expand_duals<double>},
            {add_expansion<float>, add_expansion<double>},
            adjoint_pairs};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
