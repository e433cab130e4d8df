// The adjoint for far cells: M2L with one lane per cell; and moments of cells, with one lane per
// particle. Contraction: fused.
#include <cstddef>
#include <utility>

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

/// Cells in the lanes of a pack: their moments, weighted and in units of u, and the derivatives of
/// 1/u on the unit sphere.
template <class T, int order>
class ExpandedCells {
public:
    using P = Pack<T>;
    static constexpr int size = term_count(dual_degree);

    /// Lanes beyond `count` repeat the last cell without moments.
    CHAMOMILE_HD ExpandedCells(const DualCell* cells, std::size_t count, double unit)
    {
        static_assert(offsetof(DualCell, eps2) == 3 * sizeof(double));
        const Four scale{unit, unit, unit, unit * unit};
        alignas(64) T places[4 * P::width], sizes[P::width];
        const T* row[P::width];
        for (std::size_t lane = 0; lane < std::size_t(P::width); ++lane) {
            const DualCell& cell = cells[lane < count ? lane : count - 1];
            Four place;
            load_row(place, &cell);
            store_rounded<Four>(place * scale, places + 4 * lane);
            sizes[lane] = lane < count ? T(unit * cell.size) : T(0);
            row[lane] = static_cast<const T*>(cell.row);
        }
        P place[4];
        for (int k = 0; k < 4; ++k)
            place[k] = P::load(places + k * P::width);
        transpose(place);
        const Vec3<P> r{place[0], place[1], place[2]};
        const P inv_u = inverse_sqrt(norm_squared(r, place[3])), length = inv_u * P::load(sizes);
        P factor[order + 1];
        factor[0] = select(P(T(0)) < length, P(T(1)), P(T(0)));
        for (int k = 1; k <= order; ++k)
            factor[k] = P(T(1.0 / (2 * k - 1))) * length * factor[k - 1];
        weigh_all(row, factor, std::make_integer_sequence<int, (layout.moments() + 15) / 16>{});
        P power = inv_u;
        for (int k = 0; k <= dual_degree; ++k, power = power * inv_u)
            power.store(power_ + k * P::width);
        find_derivatives(inv_u * r, std::make_integer_sequence<int, size>{});
    }

    CHAMOMILE_HD void add_to(P* masses, P* duals) const
    {
        add_terms(moment_, derivative_, power_, masses, duals);
    }

private:
    static constexpr DualRow layout{order};

    /// Returns the term of a moment in a row.
    static constexpr int term(int k)
    {
        const int of_mass = k - layout.duals();
        return of_mass < 0 ? k : of_mass == 0 ? 0 : of_mass + 3;
    }

    template <int... block>
    CHAMOMILE_HD void weigh_all(const T* const* row, const P* factor,
                                std::integer_sequence<int, block...>)
    {
        (weigh<16 * block>(row, factor, std::make_integer_sequence<int, 16>{}), ...);
    }
    /// Weighs the moments from `first` on.
    template <int first, int... k>
    CHAMOMILE_HD void weigh(const T* const* row, const P* factor, std::integer_sequence<int, k...>)
    {
        P table[16];
        ((table[k] = P::load(row[k * P::width / 16] + first + k * P::width % 16)), ...);
        transpose(table);
        (store_weighted<first + k>(table[k], factor), ...);
    }
    template <int k>
    CHAMOMILE_HD void store_weighted(const P& value, const P* factor)
    {
        if constexpr (k < layout.moments())
            weighted<term(k)>(value, factor).store(moment_ + k * P::width);
    }
    template <int t>
    static CHAMOMILE_HD P weighted(const P& value, const P* factor)
    {
        constexpr Exponents e = exponents_of(t);
        if constexpr (factorial(e) == 1)
            return factor[e.degree()] * value;
        else
            return P(T(1 / factorial(e))) * factor[e.degree()] * value;
    }

    template <int... t>
    CHAMOMILE_HD void find_derivatives(const Vec3<P>& direction, std::integer_sequence<int, t...>)
    {
        alignas(64) char memory[size * sizeof(P)]; // an array of packs would be set to 0
        P* const level1 = reinterpret_cast<P*>(memory);
        level1[0] = P(T(odd_factorial(2 * dual_degree - 1)));
        taylor::step_levels<dual_degree>(direction, level1,
                                         std::make_integer_sequence<int, dual_degree - 1>{});
        (taylor::derivative<0, t>(direction, level1).store(derivative_ + t * P::width), ...);
    }

    // With its derivatives in memory: a compiler that tries to keep them in registers is slower.
    static __attribute__((noinline)) void add_terms(const T* moments, const T* derivatives,
                                                    const T* powers, P* masses, P* duals)
    {
        P moment[layout.moments()];
        for (int k = 0; k < layout.moments(); ++k)
            moment[k] = P::load(moments + k * P::width);
        add_all(moment, derivatives, powers, masses, duals,
                std::make_integer_sequence<int, size>{});
    }
    template <int... t>
    static CHAMOMILE_HD void add_all(const P* moment, const T* derivatives, const T* powers,
                                     P* masses, P* duals, std::integer_sequence<int, t...>)
    {
        (add_term<t>(moment, derivatives, P::load(powers + exponents_of(t).degree() * P::width),
                     masses[t], duals[t], std::make_integer_sequence<int, layout.moments()>{}),
         ...);
    }
    template <int t, int... k>
    static CHAMOMILE_HD void add_term(const P* moment, const T* derivatives, const P& power,
                                      P& mass, P& dual, std::integer_sequence<int, k...>)
    {
        P of_mass, of_dual;
        (add_moment<t, k>(moment[k], derivatives, k < layout.duals() ? of_dual : of_mass), ...);
        mass += power * of_mass;
        dual += power * of_dual;
    }
    template <int t, int k>
    static CHAMOMILE_HD void add_moment(const P& moment, const T* derivatives, P& sum)
    {
        constexpr Exponents a = exponents_of(t), b = exponents_of(term(k));
        if constexpr (a.degree() + b.degree() <= dual_degree)
            sum += moment *
                   P::load(derivatives + term_of({a.x + b.x, a.y + b.y, a.z + b.z}) * P::width);
    }

    alignas(64) T moment_[layout.moments() * P::width]; // by lane
    alignas(64) T derivative_[size * P::width];
    alignas(64) T power_[(dual_degree + 1) * P::width];
};

/// Adds the moments of a pack of particles to sums by term.
template <int order, int... t>
CHAMOMILE_HD void add_moments(const Vec3<Pack<double>>& s, const Pack<double>* weighted,
                              Pack<double>* sums, std::integer_sequence<int, t...>)
{
    using P = Pack<double>;
    constexpr int masses = term_count(order - 1);
    P monomial[sizeof...(t)];
    taylor::find_monomials(s, monomial, std::integer_sequence<int, t...>{});
    const auto add = [&]<int term>() __attribute__((always_inline))
    {
        constexpr Exponents e = exponents_of(term);
        if constexpr (term < masses)
            sums[term] += weighted[0] * monomial[term];
        P& dual = sums[masses + term];
        dual -= weighted[4] * monomial[term];
        if constexpr (e.x > 0)
            dual -= weighted[1] * monomial[term_of({e.x - 1, e.y, e.z})];
        if constexpr (e.y > 0)
            dual -= weighted[2] * monomial[term_of({e.x, e.y - 1, e.z})];
        if constexpr (e.z > 0)
            dual -= weighted[3] * monomial[term_of({e.x, e.y, e.z - 1})];
    };
    (add.template operator()<t>(), ...);
}

/// With weights, a moment is the monomial of -s, and d/ds takes one power and the sign.
template <int order>
void sum_dual_moments_of(const DualParticles& particles, double* moments)
{
    using P = Pack<double>;
    constexpr int fields = 8, size = term_count(order - 1) + term_count(order);
    const Vec3<double>& c = particles.center;
    const P l(particles.inverse_length);
    P sums[size];
    for (std::size_t first = 0; first < particles.count; first += std::size_t(P::width)) {
        P table[fields];
        alignas(64) double fraction[P::width];
        for (std::size_t lane = 0; lane < std::size_t(P::width); ++lane) {
            const bool exists = first + lane < particles.count;
            const double* const row =
                particles.rows + particles.width * (exists ? first + lane : particles.count - 1);
            for (int k = 0; k < fields / P::width; ++k)
                table[int(lane) * fields / P::width + k] = P::load(row + k * P::width);
            fraction[lane] = !exists ? 0
                             : particles.slope == 0
                                 ? particles.fraction
                                 : particles.fraction + particles.slope * row[fields];
        }
        transpose(table);
        const P f = P::load(fraction);
        const P weighted[5]{f * table[3], f * table[4], f * table[5], f * table[6], f * table[7]};
        add_moments<order>(
            {l * (P(c.x) - table[0]), l * (P(c.y) - table[1]), l * (P(c.z) - table[2])}, weighted,
            sums, std::make_integer_sequence<int, term_count(order)>{});
    }
    for (int t = 0; t < size; ++t)
        moments[t] += sum_of_lanes(sums[t]);
}

template <class T, int order>
void expand_to(const DualCell* cells, std::size_t count, DualExpansion& expansion)
{
    using P = Pack<T>;
    constexpr int size = term_count(dual_degree), packs_together = 16;
    for (std::size_t first = 0; first < count;) {
        P masses[size], duals[size];
        for (int pack = 0; pack < packs_together && first < count; ++pack) {
            ExpandedCells<T, order>(cells + first, count - first, 1 / expansion.unit)
                .add_to(masses, duals);
            first += std::size_t(P::width);
        }
        for (int t = 0; t < size; ++t) {
            expansion.masses[t] += sum_of_lanes(masses[t]);
            expansion.duals[t] += sum_of_lanes(duals[t]);
        }
    }
}

} // namespace

void sum_dual_moments(const DualParticles& particles, int order, double* moments)
{
    order == 2   ? sum_dual_moments_of<2>(particles, moments)
    : order == 3 ? sum_dual_moments_of<3>(particles, moments)
    : order == 4 ? sum_dual_moments_of<4>(particles, moments)
                 : sum_dual_moments_of<5>(particles, moments);
}

template <class T>
void expand_duals(const DualCell* cells, std::size_t count, int order, DualExpansion& expansion)
{
    order == 2   ? expand_to<T, 2>(cells, count, expansion)
    : order == 3 ? expand_to<T, 3>(cells, count, expansion)
    : order == 4 ? expand_to<T, 4>(cells, count, expansion)
                 : expand_to<T, 5>(cells, count, expansion);
}

template void expand_duals<float>(const DualCell*, std::size_t, int, DualExpansion&);
template void expand_duals<double>(const DualCell*, std::size_t, int, DualExpansion&);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
