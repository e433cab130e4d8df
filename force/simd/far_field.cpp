// L2P on a processor core, a lane to a target. Contraction: fused.
#include "chamomile/force/simd/far_field.hpp"

#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

template <class T, int order, bool with_potential>
void add_expansion_of(const Expansion& expansion, const Vec3<T>& center, const T* positions,
                      int padded, double* sums)
{
    using P = Pack<T>;
    LocalExpansion<T, order> local;
    for (int t = 0; t < local.size; ++t)
        local.term[t] = T(expansion.term[t]);
    const double potential_unit = 1 / expansion.unit;
    const double acceleration_unit = potential_unit * potential_unit;
    const P inverse_unit(T(1 / expansion.unit)); // a power of two
    for (int t = 0; t < padded; t += P::width) {
        const Vec3<P> x{P::load(positions + t) - P(center.x),
                        P::load(positions + padded + t) - P(center.y),
                        P::load(positions + 2 * padded + t) - P(center.z)};
        const FieldValue<P> value = local.evaluate(inverse_unit * x);
        const P fields[4] = {value.acceleration.x, value.acceleration.y, value.acceleration.z,
                             value.potential};
        for (int f = 0; f < (with_potential ? 4 : 3); ++f)
            add_lanes(fields[f], f < 3 ? acceleration_unit : potential_unit, sums + f * padded + t);
    }
}

template <class T, int order>
void add_expansion_of(const Expansion& expansion, bool with_potential, const Vec3<T>& center,
                      const T* positions, int padded, double* sums)
{
    if (with_potential)
        add_expansion_of<T, order, true>(expansion, center, positions, padded, sums);
    else
        add_expansion_of<T, order, false>(expansion, center, positions, padded, sums);
}

/// Adds the changes due to the targets' softening.
template <class T>
void add_changes(const Expansion& expansion, bool with_potential, const Vec3<T>& center,
                 const T* positions, const T* parts, int padded, double* sums)
{
    using P = Pack<T>;
    const double potential_unit = 1 / expansion.unit;
    const double acceleration_unit = potential_unit * potential_unit;
    const P inverse_unit(T(1 / expansion.unit)); // a power of two
    for (int k = 0; k < 2; ++k) {
        if (!expansion.has_step(k))
            continue;
        ChangeExpansion<T> change;
        for (int t = 0; t < change.size; ++t)
            change.term[t] = T(expansion.change[k][t]);
        for (int t = 0; t < padded; t += P::width) {
            const Vec3<P> x{P::load(positions + t) - P(center.x),
                            P::load(positions + padded + t) - P(center.y),
                            P::load(positions + 2 * padded + t) - P(center.z)};
            const FieldValue<P> value = change.evaluate(inverse_unit * x);
            const P part = P::load(parts + k * padded + t);
            const P fields[4] = {part * value.acceleration.x, part * value.acceleration.y,
                                 part * value.acceleration.z, part * value.potential};
            for (int f = 0; f < (with_potential ? 4 : 3); ++f)
                add_lanes(fields[f], f < 3 ? acceleration_unit : potential_unit,
                          sums + f * padded + t);
        }
    }
}

} // namespace

template <class T>
void add_expansion(const Expansion& expansion, int order, bool with_potential,
                   const Vec3<T>& center, const T* positions, const T* parts, int padded,
                   double* sums)
{
    if (parts)
        add_changes(expansion, with_potential, center, positions, parts, padded, sums);
    switch (order) {
    case 3:
        return add_expansion_of<T, 3>(expansion, with_potential, center, positions, padded, sums);
    case 4:
        return add_expansion_of<T, 4>(expansion, with_potential, center, positions, padded, sums);
    case 5:
        return add_expansion_of<T, 5>(expansion, with_potential, center, positions, padded, sums);
    case 6:
        return add_expansion_of<T, 6>(expansion, with_potential, center, positions, padded, sums);
    }
}

template void add_expansion(const Expansion&, int, bool, const Vec3<float>&, const float*,
                            const float*, int, double*);
template void add_expansion(const Expansion&, int, bool, const Vec3<double>&, const double*,
                            const double*, int, double*);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
