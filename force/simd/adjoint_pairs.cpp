// The adjoint for listed particles: packs of targets, one lane per target. Contraction: fused.
//
// The pair law of pairs/laws/gravity_adjoint.hpp, with what is constant for a target taken out of
// the sums: with p = lambda_j.r, q = lambda_i.r and A, B, C of the pair,
//
//     dL/dx_i = sum [B (m_j q - m_i p) - A s] r - lambda_i sum A m_j + m_i sum A lambda_j
//     dL/dm_i = -sum (A p + C mu_j)
//
// A pair takes 27 instructions, fused ones as one, and 4 more with mu. Of particles that nearly
// coincide, the last two sums cancel: a group's own particles go to the pair law.
#include <type_traits>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

inline constexpr int tile = 128; // sources whose sums are in T before they are added in double

template <class Kernel, class Rule, bool with_mu, class T>
class PairsOfGroup {
public:
    PairsOfGroup(const AdjointPairs& pairs, const AdjointTargets& targets)
        : targets_(targets),
          rule_(Rule::template of<Kernel>(
              {.softening_length = pairs.softening_length, .rule_weight = pairs.rule_weight}))
    {
        const Vec3<double>& c = pairs.center;
        const double l = pairs.inverse_length;
        const Eight about{c.x, c.y, c.z, 0, 0, 0, 0, 0}, scale{l, l, l, 1, 1, 1, 1, 1};
        int count = 0;
        for (std::size_t r = 0; r < pairs.count; ++r)
            for (std::size_t k = pairs.ranges[r].begin; k < pairs.ranges[r].end; ++k) {
                const double* const from = pairs.rows + pairs.width * k;
                Eight row;
                load_row(row, from);
                store_rounded<Eight>((row - about) * scale, rows_ + fields * count);
                if constexpr (Rule::per_particle)
                    eps2_[count] = T(from[fields]);
                if (++count == tile) {
                    add_tile(count);
                    count = 0;
                }
            }
        add_tile(count);
    }

private:
    using P = Pack<T>;
    static constexpr int fields = 8; // position, mass, lambda, mu

    struct Particle {
        Vec3<P> position;
        P eps2;
    };

    void add_tile(int count)
    {
        look_for_interruption();
        for (int t = 0; t < targets_.padded; t += P::width)
            add_to(t, count);
    }

    CHAMOMILE_HD P value(int f, int first) const
    {
        alignas(64) T values[P::width];
        for (int lane = 0; lane < P::width; ++lane)
            values[lane] = T(targets_.field(f)[first + lane]);
        return P::load(values);
    }

    CHAMOMILE_HD void add_to(int first, int count) const
    {
        const Vec3<P> lambda{value(4, first), value(5, first), value(6, first)};
        const P mass = value(3, first), mu = value(7, first);
        Particle i{{value(0, first), value(1, first), value(2, first)}, {}}, j;
        if constexpr (Rule::per_particle)
            i.eps2 = value(8, first);
        constexpr bool is_plummer = std::is_same_v<Kernel, PlummerKernel>;
        const P three(T(is_plummer ? 3 : 1)), mass3 = three * mass;
        const Vec3<P> lambda3 = three * lambda;
        Vec3<P> along_r, of_lambda;
        P of_mass, dual;
        for (int k = 0; k < count; ++k) {
            const T* const row = rows_ + fields * k;
            j.position = {P(row[0]), P(row[1]), P(row[2])};
            if constexpr (Rule::per_particle)
                j.eps2 = P(eps2_[k]);
            const P m(row[3]);
            const Vec3<P> l{P(row[4]), P(row[5]), P(row[6])}, r = j.position - i.position;
            const P p = dot(l, r), g = m * dot(lambda3, r) - mass3 * p; // times B / 3, or B
            const auto length = rule_.template length_of<P>(i, j);
            P a, b, c, h;
            if constexpr (is_plummer) {
                P u2;
                if constexpr (Rule::per_particle)
                    u2 = norm_squared(r, length);
                else
                    u2 = norm_squared(r, length.value);
                find_powers(u2, b, a);
                h = b * g;
                if constexpr (with_mu) {
                    c = a * u2;
                    h -= m * mu + mass * P(row[7]);
                }
                h = a * h;
            } else {
                Kernel::find_tide(r, P(T(1)), length, a, b, c);
                h = b * g;
                if constexpr (with_mu)
                    h -= a * (m * mu + mass * P(row[7]));
            }
            along_r += h * r;
            of_mass += a * m;
            of_lambda += a * l;
            dual += a * p;
            if constexpr (with_mu)
                dual += c * P(row[7]);
        }
        along_r += mass * of_lambda;
        along_r -= of_mass * lambda;
        double* const sums = targets_.sums + first;
        add_lanes(along_r.x, 1, sums);
        add_lanes(along_r.y, 1, sums + targets_.padded);
        add_lanes(along_r.z, 1, sums + 2 * targets_.padded);
        add_lanes(dual, -1, sums + 3 * targets_.padded);
    }

    const AdjointTargets& targets_;
    const Rule rule_;
    alignas(64) T rows_[fields * tile];
    T eps2_[Rule::per_particle ? tile : 1];
};

template <class Kernel, class Rule, bool with_mu, class T>
void add_pairs(const AdjointPairs& pairs, const AdjointTargets& targets)
{
    PairsOfGroup<Kernel, Rule, with_mu, T>(pairs, targets);
}

template <class Kernel, class Rule>
AdjointPairKernel chosen(bool in_double, bool with_mu)
{
    return in_double ? with_mu ? add_pairs<Kernel, Rule, true, double>
                               : add_pairs<Kernel, Rule, false, double>
           : with_mu ? add_pairs<Kernel, Rule, true, float>
                     : add_pairs<Kernel, Rule, false, float>;
}

} // namespace

AdjointPairKernel adjoint_pairs(const LawChoice& choice, bool with_mu)
{
    return SofteningKernels::visit(choice.kind, [&]<class Kernel>(Kernel) {
        return choice.per_particle ? chosen<Kernel, RuntimeRule>(choice.in_double, with_mu)
                                   : chosen<Kernel, OneLength>(choice.in_double, with_mu);
    });
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
