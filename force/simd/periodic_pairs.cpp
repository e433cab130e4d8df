// Lanes are targets, sources are broadcast. The smooth part is an entire function of r^2: a
// polynomial of even and odd powers apart, so that two chains of multiply-adds run at once. A pair
// takes some 75 operations, with the potential 110. Contraction: fused.
#include "chamomile/force/simd/periodic_pairs.hpp"

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/varied_gravity.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

using P = Pack<double>;

/// The difference's image nearest to 0.
CHAMOMILE_HD P nearest(P d, P side, P inverse_side)
{
    // Adding and subtracting 1.5 * 2^52 rounds to an integer.
    const P magic(0x1.8p52);
    const P images = (d * inverse_side + magic) - magic;
    return d - images * side;
}

CHAMOMILE_HD P polynomial(const double* power, P t, P t2)
{
    constexpr int degree = PeriodicPairs::degree;
    static_assert(degree % 2 == 0);
    P even(power[degree]), odd(power[degree - 1]);
    for (int k = degree - 2; k > 0; k -= 2) {
        even = even * t2 + P(power[k]);
        odd = odd * t2 + P(power[k - 1]);
    }
    return (even * t2 + P(power[0])) + odd * t;
}

template <class Law>
Law make_law(const PeriodicPairs& pairs)
{
    if constexpr (Law::is_varied)
        return Law::with_rule(AnyRule{pairs.smaller_part});
    else
        return Law::with_length(pairs.softening_length);
}

template <class Law, bool with_potential, int in_flight>
void sum(const PeriodicPairs& pairs, PeriodicTargets& targets, int first)
{
    constexpr int width = P::width;
    const Law law = make_law<Law>(pairs);
    const P side(pairs.side), inverse_side(1 / pairs.side), cut2(pairs.cut_squared),
        slope(2 / pairs.cut_squared);
    Vec3<P> position[in_flight];
    typename P::Mask self[in_flight];
    typename Law::template Sum<P> total[in_flight];
    typename Law::template Target<P> origin[in_flight];
    for (int k = 0; k < in_flight; ++k) {
        const int t = first + k * width;
        position[k] = {P::load(targets.x + t), P::load(targets.y + t), P::load(targets.z + t)};
        __builtin_memcpy(&self[k], targets.source + t, sizeof self[k]);
        if constexpr (Law::is_varied)
            origin[k].eps2 = P::load(targets.softening + t);
    }
    for (std::size_t j = 0; j < pairs.n; ++j) {
        const Vec3<P> source{P(pairs.x[j]), P(pairs.y[j]), P(pairs.z[j])};
        for (int k = 0; k < in_flight; ++k) {
            Vec3<P> r = source - position[k];
            r = {nearest(r.x, side, inverse_side), nearest(r.y, side, inverse_side),
                 nearest(r.z, side, inverse_side)};
            // No mass at a finite place instead of the target itself.
            const typename P::Mask is_self = self[k] == (long long)(j);
            const P mass = select(is_self, P(0.0), P(pairs.mass[j]));
            r.x = select(is_self, side, r.x);
            typename Law::template Source<P> pulling;
            pulling.position = r;
            pulling.mass = mass;
            if constexpr (Law::is_varied)
                pulling.eps2 = P(pairs.softening[j]);
            law(origin[k], pulling, total[k]);
            const P r2 = norm_squared(r, P(0.0));
            const P t = r2 * slope - P(1.0), t2 = t * t, inv_r = inverse_sqrt(r2);
            const typename P::Mask inside = r2 < cut2;
            const P force = select(inside, polynomial(pairs.force, t, t2), inv_r * inv_r * inv_r);
            total[k].acceleration -= (mass * force) * r;
            if constexpr (with_potential)
                total[k].potential +=
                    mass * select(inside, polynomial(pairs.potential, t, t2), inv_r);
        }
    }
    for (int k = 0; k < in_flight; ++k) {
        const int t = first + k * width;
        total[k].acceleration.x.store(targets.acceleration[0] + t);
        total[k].acceleration.y.store(targets.acceleration[1] + t);
        total[k].acceleration.z.store(targets.acceleration[2] + t);
        if constexpr (with_potential)
            total[k].potential.store(targets.potential + t);
    }
}

template <template <SofteningKind, bool> class Law, SofteningKind softening, bool with_potential>
void sum_all(const PeriodicPairs& pairs, PeriodicTargets& targets)
{
    constexpr int in_flight = P::width >= 4 ? 4 : 2;
    static_assert(PeriodicTargets::size % (in_flight * P::width) == 0);
    for (int t = 0; t < PeriodicTargets::size; t += in_flight * P::width)
        sum<Law<softening, with_potential>, with_potential, in_flight>(pairs, targets, t);
}

template <template <SofteningKind, bool> class Law>
PeriodicPairKernel kernel_of(bool spline, bool with_potential)
{
    constexpr auto p = SofteningKind::plummer, s = SofteningKind::spline;
    if (spline)
        return with_potential ? sum_all<Law, s, true> : sum_all<Law, s, false>;
    return with_potential ? sum_all<Law, p, true> : sum_all<Law, p, false>;
}

} // namespace

PeriodicPairKernel periodic_pair_kernel(bool varied, bool spline, bool with_potential)
{
    return varied ? kernel_of<VariedGravity>(spline, with_potential)
                  : kernel_of<Gravity>(spline, with_potential);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
