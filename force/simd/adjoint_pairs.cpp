// The adjoint for listed particles: packs of targets, one lane per target. Contraction: fused.
//
// The pair law of pairs/laws/gravity_adjoint.hpp, with what is constant for a target taken out of
// the sums: with p = lambda_j.r, q = lambda_i.r and A, B, C of the pair,
//
//     dL/dx_i = sum [B (m_j q - m_i p) - A s] r - lambda_i sum A m_j + m_i sum A lambda_j
//     dL/dm_i = -sum (A p + C mu_j)
//
// A pair takes 27 instructions, fused ones as one, and 4 more with mu. Of particles that nearly
// coincide, the last two sums cancel: a group's own particles go to the pair law, and in a periodic
// cube only their smooth part comes here.
#include <type_traits>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/periodic/short_range.hpp"
#include "chamomile/force/simd/law_kernels.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

inline constexpr int tile = 128; // sources whose sums are in T before they are added in double

/// Subtracts the smooth part from A, B and C of a pair.
template <AdjointPart part, class T>
class PairSplit {
public:
    using P = Pack<T>;

    explicit PairSplit(const AdjointPairs& pairs) : form_(*pairs.form) {}

    /// Returns whether any pair is within the cut.
    CHAMOMILE_HD bool reaches(const Vec3<P>& r) const { return less_bits(place(r), P(T(1))) != 0; }

    CHAMOMILE_HD void split(const Vec3<P>& r, P& a, P& b, P& c) const
    {
        const P x = place(r), zero(T(0));
        const auto inside = x < P(T(1));
        P smooth_a, smooth_b, smooth_c;
        find_smooth_tide(form_, x, smooth_a, smooth_b, smooth_c);
        if constexpr (part == AdjointPart::short_range) {
            a = select(inside, a - smooth_a, zero);
            b = select(inside, b - smooth_b, zero);
            c = select(inside, c - smooth_c, zero);
        } else {
            a = zero - select(inside, smooth_a, a);
            b = zero - select(inside, smooth_b, b);
            c = zero - select(inside, smooth_c, c);
        }
    }

    /// C of a particle with itself.
    CHAMOMILE_HD P own() const
    {
        return P(T(0)) - smooth_value(form_.template of<T>().potential, P(T(-1)));
    }

private:
    CHAMOMILE_HD P place(const Vec3<P>& r) const { return form_.place(norm_squared(r, P(T(0)))); }

    const ShortRangeForm& form_;
};

/// The smooth part of all nearest images, which beyond SmoothPart::cut_squared is Newton's law.
template <>
class PairSplit<AdjointPart::nearest_images, double> {
public:
    using P = Pack<double>;

    explicit PairSplit(const AdjointPairs& pairs) : smooth_(*pairs.smooth) {}

    CHAMOMILE_HD void move_to_nearest(Vec3<P>& r) const
    {
        const P side(smooth_.side), inverse_side(1 / smooth_.side), magic(0x1.8p52);
        for (P* d : {&r.x, &r.y, &r.z})
            *d = *d - side * ((*d * inverse_side + magic) - magic);
    }

    CHAMOMILE_HD void split(const Vec3<P>& r, P& a, P& b, P& c) const
    {
        const P r2 = norm_squared(r, P(0.0)), slope(2 / smooth_.cut_squared),
                x = slope * r2 + P(-1.0), inv_r = inverse_sqrt(r2), inv_r2 = inv_r * inv_r;
        const auto inside = x < P(1.0);
        P q[2];
        find_smooth_derivatives(smooth_.force, x, q);
        a -= select(inside, q[0], inv_r * inv_r2);
        b += select(inside, P(2.0) * slope * q[1], P(-3.0) * inv_r * inv_r2 * inv_r2);
        c -= select(inside, smooth_value(smooth_.potential, x), inv_r);
    }

private:
    const SmoothPart& smooth_;
};

template <class T>
class PairSplit<AdjointPart::isolated, T> {
public:
    explicit PairSplit(const AdjointPairs&) {}
};

template <class Kernel, class Rule, AdjointPart part, bool with_mu, class T>
class PairsOfGroup {
public:
    PairsOfGroup(const AdjointPairs& pairs, const AdjointTargets& targets)
        : targets_(targets), numbers_(pairs.numbers), split_(pairs),
          rule_(Rule::template of<Kernel>(
              {.softening_length = pairs.softening_length, .rule_weight = pairs.rule_weight}))
    {
        const Vec3<double>& c = pairs.center;
        const double l = pairs.inverse_length;
        const double side = pairs.box.side, inverse = pairs.box.inverse_side();
        const Eight about{c.x, c.y, c.z, 0, 0, 0, 0, 0}, scale{l, l, l, 1, 1, 1, 1, 1},
            sides{side, side, side, 0, 0, 0, 0, 0},
            inverse_sides{inverse, inverse, inverse, 0, 0, 0, 0, 0};
        constexpr double whole = 0x1.8p52; // a sum with it has no fraction
        int count = 0;
        for (std::size_t r = 0; r < pairs.count; ++r)
            for (std::size_t k = pairs.ranges[r].begin; k < pairs.ranges[r].end; ++k) {
                const double* const from = pairs.rows + pairs.width * k;
                Eight row;
                load_row(row, from);
                row -= about;
                if constexpr (part == AdjointPart::short_range)
                    row -= sides * ((row * inverse_sides + whole) - whole);
                store_rounded<Eight>(row * scale, rows_ + fields * count);
                if constexpr (is_direct)
                    number_[count] = double(k);
                if constexpr (Rule::per_particle)
                    eps2_[count] = T(from[fields]);
                if (++count == tile) {
                    add_tile(count);
                    count = 0;
                }
            }
        add_tile(count);
        if constexpr (part == AdjointPart::smooth && with_mu) // without the targets' own
            for (int t = 0; t < targets_.padded; t += P::width)
                add_lanes(split_.own() * value(7, t), 1, targets_.sums + t + 3 * targets_.padded);
    }

private:
    using P = Pack<T>;
    static constexpr int fields = 8; // position, mass, lambda, mu
    static constexpr bool is_direct = part == AdjointPart::nearest_images,
                          is_isolated = part == AdjointPart::isolated;

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
        constexpr bool is_plummer = is_isolated && std::is_same_v<Kernel, PlummerKernel>;
        const P three(T(is_plummer ? 3 : 1)), mass3 = three * mass;
        const Vec3<P> lambda3 = three * lambda;
        Vec3<P> along_r, of_lambda;
        P of_mass, dual;
        for (int k = 0; k < count; ++k) {
            const T* const row = rows_ + fields * k;
            j.position = {P(row[0]), P(row[1]), P(row[2])};
            if constexpr (Rule::per_particle)
                j.eps2 = P(eps2_[k]);
            P m(row[3]), of_j(row[7]);
            Vec3<P> l{P(row[4]), P(row[5]), P(row[6])}, r = j.position - i.position;
            if constexpr (is_direct) {
                split_.move_to_nearest(r);
                leave_out_self(P(number_[k]) - P::load(numbers_ + first), r, m, l, of_j);
            }
            if constexpr (part == AdjointPart::short_range)
                if (!split_.reaches(r))
                    continue;
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
                    h -= m * mu + mass * of_j;
                }
                h = a * h;
            } else {
                Kernel::find_tide(r, P(T(1)), length, a, b, c);
                if constexpr (!is_isolated)
                    split_.split(r, a, b, c);
                h = b * g;
                if constexpr (with_mu)
                    h -= a * (m * mu + mass * of_j);
            }
            along_r += h * r;
            if constexpr (is_direct) {
                along_r -= a * (m * lambda - mass * l);
            } else {
                of_mass += a * m;
                of_lambda += a * l;
            }
            dual += a * p;
            if constexpr (with_mu)
                dual += c * of_j;
        }
        along_r += mass * of_lambda;
        along_r -= of_mass * lambda;
        double* const sums = targets_.sums + first;
        add_lanes(along_r.x, 1, sums);
        add_lanes(along_r.y, 1, sums + targets_.padded);
        add_lanes(along_r.z, 1, sums + 2 * targets_.padded);
        add_lanes(dual, -1, sums + 3 * targets_.padded);
    }

    /// Moves a target that is the source, at distance 0 in numbers, without mass and loss.
    CHAMOMILE_HD static void leave_out_self(const P& distance, Vec3<P>& r, P& m, Vec3<P>& l, P& mu)
    {
        const auto is_self = distance * distance < P(T(0.25));
        const P zero(T(0));
        r.x = select(is_self, P(T(1)), r.x);
        for (P* value : {&m, &l.x, &l.y, &l.z, &mu})
            *value = select(is_self, zero, *value);
    }

    const AdjointTargets& targets_;
    const double* const numbers_;
    const PairSplit<part, T> split_;
    const Rule rule_;
    alignas(64) T rows_[fields * tile];
    T eps2_[Rule::per_particle ? tile : 1];
    double number_[is_direct ? tile : 1];
};

template <class Kernel, class Rule, AdjointPart part, bool with_mu, class T>
void add_pairs(const AdjointPairs& pairs, const AdjointTargets& targets)
{
    PairsOfGroup<Kernel, Rule, part, with_mu, T>(pairs, targets);
}

template <class Kernel, class Rule, AdjointPart part>
AdjointPairKernel kernel_of(bool in_double, bool with_mu)
{
    if constexpr (part == AdjointPart::nearest_images)
        return add_pairs<Kernel, Rule, part, true, double>;
    else
        return in_double ? with_mu ? add_pairs<Kernel, Rule, part, true, double>
                                   : add_pairs<Kernel, Rule, part, false, double>
               : with_mu ? add_pairs<Kernel, Rule, part, true, float>
                         : add_pairs<Kernel, Rule, part, false, float>;
}

template <class Kernel, class Rule>
AdjointPairKernel chosen(AdjointPart part, bool in_double, bool with_mu)
{
    switch (part) {
    case AdjointPart::short_range:
        return kernel_of<Kernel, Rule, AdjointPart::short_range>(in_double, with_mu);
    case AdjointPart::smooth:
        return kernel_of<Kernel, Rule, AdjointPart::smooth>(in_double, with_mu);
    case AdjointPart::nearest_images:
        return kernel_of<Kernel, Rule, AdjointPart::nearest_images>(in_double, with_mu);
    default:
        return kernel_of<Kernel, Rule, AdjointPart::isolated>(in_double, with_mu);
    }
}

} // namespace

AdjointPairKernel adjoint_pairs(const LawChoice& choice, AdjointPart part, bool with_mu)
{
    return SofteningKernels::visit(choice.kind, [&]<class Kernel>(Kernel) {
        return choice.per_particle ? chosen<Kernel, RuntimeRule>(part, choice.in_double, with_mu)
                                   : chosen<Kernel, OneLength>(part, choice.in_double, with_mu);
    });
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
