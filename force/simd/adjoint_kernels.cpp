// The adjoint for cells: M2P and L2P with one lane per target. Contraction: fused.
#include "chamomile/force/simd/adjoint_kernels.hpp"

#include <utility>

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/adjoint/short_range_cells.hpp"
#include "chamomile/force/expansions/taylor_polynomial.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

inline constexpr int cells_together = 64; // sums in T before they are added in double

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
    Vec3<T> position;
    T eps2, size;
    const T* row;

    CHAMOMILE_HD void pack(const DualCell& cell)
    {
        position = rounded<T>(cell.place);
        eps2 = T(cell.eps2);
        size = T(cell.size);
        row = static_cast<const T*>(cell.row);
    }
};

template <class T, int order, bool is_periodic>
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
                const P of_cell(packed[c].eps2), eps2 = per_particle ? rule(own, of_cell) : of_cell;
                if constexpr (is_periodic) {
                    const Vec3<T>& at = packed[c].position;
                    const Vec3<P> r = Vec3<P>{P(at.x), P(at.y), P(at.z)} - i.position;
                    const P r2 = norm_squared(r, P(T(0)));
                    if (less_bits(P(T(targets.form->slope)) * r2, P(T(2))) != 0) // r_cut
                        add_dual_cell<order>(packed[c], eps2, i,
                                             short_range_of(*targets.form, r2, eps2));
                } else {
                    add_dual_cell<order>(packed[c], eps2, i);
                }
            }
            i.store(targets, t);
        }
    }
}

template <class T>
void add_cells(const DualCell* cells, std::size_t count, int order, const AdjointTargets& targets)
{
    if (targets.form)
        return order == 2 ? add_cells_of<T, 2, true>(cells, count, targets)
                          : add_cells_of<T, 3, true>(cells, count, targets);
    order == 2   ? add_cells_of<T, 2, false>(cells, count, targets)
    : order == 3 ? add_cells_of<T, 3, false>(cells, count, targets)
    : order == 4 ? add_cells_of<T, 4, false>(cells, count, targets)
                 : add_cells_of<T, 5, false>(cells, count, targets);
}

/// The terms of an expansion's derivative along term `low`.
template <class T, int low>
struct Along {
    const T* terms;

    template <int t>
    CHAMOMILE_HD Pack<T> at() const
    {
        return Pack<T>(terms[joint_term(low, t)]);
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
