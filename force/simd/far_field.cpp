// Each lane of a pack expands one cell. Lanes keep their terms in T over some hundred cells; then
// they are added in double, in the order of the list.
#include "force/simd/far_field.hpp"

#include "force/local_expansion.hpp"
#include "force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

constexpr int packs_in_float = 16;

template <class T, int order>
class Expander {
public:
    using P = Pack<T>;
    using Terms = LocalExpansion<P, order>;

    Expander(const FarWork& work, const Expansion& expansion)
        : work_(work),
          rows_(Frame{expansion.center, work.inverse_length / expansion.unit, work.inverse_mass}),
          eps2_(T(work.softening_length / expansion.unit) *
                T(work.softening_length / expansion.unit))
    {}

    template <bool with_moments>
    void add_cells(double* terms) const
    {
        constexpr std::size_t in_float = std::size_t(packs_in_float * P::width);
        for (std::size_t begin = 0; begin < work_.count; begin += in_float) {
            Terms sum;
            for (std::size_t first = begin; first < work_.count && first < begin + in_float;
                 first += std::size_t(P::width))
                add_pack<with_moments>(first, sum);
            for (int t = 0; t < Terms::size; ++t)
                terms[t] += sum_of_lanes(sum.term[t]);
        }
    }

private:
    template <bool with_moments>
    CHAMOMILE_HD void add_pack(std::size_t first, Terms& sum) const
    {
        constexpr int fields = MultipoleRows::fields, tail_fields = MultipoleRows::tail_fields;
        constexpr std::size_t width = P::width;
        T row[width * fields], tail[width * tail_fields];
        const std::size_t left = work_.count - first;
        for (std::size_t k = 0; k < width; ++k) {
            if (first + width + k < work_.count)
                prefetch(work_.multipoles[work_.cells[first + width + k]]);
            if (k < left) {
                rows_.pack(work_.multipoles[work_.cells[first + k]], row + k * fields,
                           tail + k * tail_fields);
                continue;
            }
            for (int f = 0; f < fields; ++f) // a lane without a cell: no mass at a finite place
                row[k * fields + std::size_t(f)] = f == 0;
            for (int f = 0; f < tail_fields; ++f)
                tail[k * tail_fields + std::size_t(f)] = 0;
        }
        P column[fields], last[tail_fields];
        load(row, column);
        const Vec3<P> r{column[0], column[1], column[2]};
        if constexpr (with_moments) {
            load(tail, last);
            sum.add_cell(r, column[3],
                         {column[4], column[5], column[6], column[7], last[0], last[1]}, P(eps2_));
        } else {
            sum.add_mass(r, column[3], P(eps2_));
        }
    }

    template <int columns>
    static CHAMOMILE_HD void load(const T* rows, P (&column)[columns])
    {
        for (int k = 0; k < columns; ++k)
            column[k] = P::load(rows + k * P::width);
        transpose(column);
    }

    static CHAMOMILE_HD void prefetch(const Multipole& m)
    {
        __builtin_prefetch(&m);
        __builtin_prefetch(&m.second.zz);
    }

    const FarWork& work_;
    const MultipoleRows rows_;
    const T eps2_;
};

template <class T, int order, bool with_potential>
void add_expansion_of(const Expansion& expansion, const T* positions, int padded, double* sums)
{
    using P = Pack<T>;
    LocalExpansion<T, order> local;
    for (int t = 0; t < local.size; ++t)
        local.term[t] = T(expansion.term[t]);
    const double potential_unit = 1 / expansion.unit;
    const double acceleration_unit = potential_unit * potential_unit;
    const P inverse_unit(T(1 / expansion.unit)); // a power of two
    for (int t = 0; t < padded; t += P::width) {
        const Vec3<P> x{P::load(positions + t), P::load(positions + padded + t),
                        P::load(positions + 2 * padded + t)};
        const FieldValue<P> value = local.evaluate(inverse_unit * x);
        const P fields[4] = {value.acceleration.x, value.acceleration.y, value.acceleration.z,
                             value.potential};
        for (int f = 0; f < (with_potential ? 4 : 3); ++f)
            add_lanes(fields[f], f < 3 ? acceleration_unit : potential_unit, sums + f * padded + t);
    }
}

template <class T, int order>
void add_expansion_of(const Expansion& expansion, bool with_potential, const T* positions,
                      int padded, double* sums)
{
    if (with_potential)
        add_expansion_of<T, order, true>(expansion, positions, padded, sums);
    else
        add_expansion_of<T, order, false>(expansion, positions, padded, sums);
}

} // namespace

template <class T, int order>
void expand(const FarWork& work, const Expansion* wider, Expansion& expansion)
{
    LocalExpansion<double, order> local;
    if (wider) {
        for (int t = 0; t < local.size; ++t)
            local.term[t] = wider->term[t];
        const double inverse_unit = work.inverse_length / wider->unit;
        local.shift(inverse_unit * (expansion.center - wider->center));
        local.change_unit(wider->unit / expansion.unit);
    }
    const Expander<T, order> expander(work, expansion);
    if (work.order == 0)
        expander.template add_cells<false>(local.term);
    else
        expander.template add_cells<true>(local.term);
    for (int t = 0; t < local.size; ++t)
        expansion.term[t] = local.term[t];
}

template <class T>
void add_expansion(const Expansion& expansion, int order, bool with_potential, const T* positions,
                   int padded, double* sums)
{
    switch (order) {
    case 3:
        return add_expansion_of<T, 3>(expansion, with_potential, positions, padded, sums);
    case 4:
        return add_expansion_of<T, 4>(expansion, with_potential, positions, padded, sums);
    case 5:
        return add_expansion_of<T, 5>(expansion, with_potential, positions, padded, sums);
    case 6:
        return add_expansion_of<T, 6>(expansion, with_potential, positions, padded, sums);
    }
}

template void add_expansion(const Expansion&, int, bool, const float*, int, double*);
template void add_expansion(const Expansion&, int, bool, const double*, int, double*);
#define CHAMOMILE_EXPAND(order)                                                                    \
    template void expand<float, order>(const FarWork&, const Expansion*, Expansion&);              \
    template void expand<double, order>(const FarWork&, const Expansion*, Expansion&);
CHAMOMILE_EXPAND(3)
CHAMOMILE_EXPAND(4)
CHAMOMILE_EXPAND(5)
CHAMOMILE_EXPAND(6)
#undef CHAMOMILE_EXPAND

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
