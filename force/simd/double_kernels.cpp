// Sums in double at a few targets, isolated or in a periodic cube: there softened pulls of nearest
// images less their smooth part, a polynomial in r^2 whose even and odd terms are summed apart, so
// that two chains of multiply-adds run at once. Such a pair takes some 75 operations, with the
// potential 110. Contraction: fused.
#include "chamomile/force/simd/double_precision_targets.hpp"
#include "chamomile/force/simd/law_kernels.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

using P = Pack<double>;

/// Returns the difference's image nearest to 0.
CHAMOMILE_HD P nearest(P d, P side, P inverse_side)
{
    // Adding and subtracting 1.5 * 2^52 rounds to an integer.
    const P magic(0x1.8p52);
    const P images = (d * inverse_side + magic) - magic;
    return d - images * side;
}

CHAMOMILE_HD P polynomial(const double* power, P t, P t2)
{
    constexpr int degree = SmoothPart::degree;
    static_assert(degree % 2 == 0);
    P even(power[degree]), odd(power[degree - 1]);
    for (int k = degree - 2; k > 0; k -= 2) {
        even = even * t2 + P(power[k]);
        odd = odd * t2 + P(power[k - 1]);
    }
    return (even * t2 + P(power[0])) + odd * t;
}

/// A law for nearest images: an isolated pair's law, minus the smooth part.
template <class Isolated>
struct NearestImages : Isolated {
    const SmoothPart* smooth = nullptr;

    static NearestImages of(const LawNumbers& n) { return {Isolated::of(n), n.smooth}; }

    CHAMOMILE_HD void operator()(const typename Isolated::template Target<P>& i,
                                 const typename Isolated::template Source<P>& j,
                                 typename Isolated::template Sum<P>& sum) const
    {
        const P side(smooth->side), inverse_side(1 / smooth->side);
        auto image = j;
        image.position = j.position - i.position;
        image.position = {nearest(image.position.x, side, inverse_side),
                          nearest(image.position.y, side, inverse_side),
                          nearest(image.position.z, side, inverse_side)};
        auto origin = i;
        origin.position = {P(0.0), P(0.0), P(0.0)};
        Isolated::operator()(origin, image, sum);
        const P r2 = norm_squared(image.position, P(0.0));
        const P t = r2 * P(2 / smooth->cut_squared) - P(1.0), t2 = t * t, inv_r = inverse_sqrt(r2);
        const auto inside = r2 < P(smooth->cut_squared);
        const P force = select(inside, polynomial(smooth->force, t, t2), inv_r * inv_r * inv_r);
        sum.acceleration -= (j.mass * force) * image.position;
        if constexpr (requires { sum.potential; })
            sum.potential += j.mass * select(inside, polynomial(smooth->potential, t, t2), inv_r);
    }
};

template <class Rule>
DoubleKernel kernel_by_rule(const LawChoice& choice)
{
    return visit_gravity<Rule>(choice.kind, choice.with_potential, [&]<class Law>() {
        constexpr int in_flight = P::width >= 4 ? 4 : 2;
        DoubleKernel kernel = sum_precisely<Law, 2>;
        if (choice.is_periodic)
            kernel = sum_precisely<NearestImages<Law>, in_flight>;
        return kernel;
    });
}

} // namespace

DoubleKernel double_kernel(const LawChoice& choice)
{
    return choice.per_particle ? kernel_by_rule<RuntimeRule>(choice)
                               : kernel_by_rule<OneLength>(choice);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
