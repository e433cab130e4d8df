/// \file  M2L on a CPU core: each lane in a pack expands one cell. Lanes keep terms in T over some
/// hundred cells; then terms are added in double, in list order.
#pragma once

#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/far_field.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Expands cells of order 0, 2, 3 or 4.
template <class T, int local_order, int order>
class Expander {
public:
    using P = Pack<T>;
    using Terms = LocalExpansion<P, local_order>;
    using Change = ChangeExpansion<P>;

    Expander(const FarWork& work, const Expansion& expansion)
        : Expander(work, expansion,
                   Frame{expansion.center, work.inverse_length / expansion.unit, work.inverse_mass})
    {}

    /// Adds the terms of all cells, and the changes due to the targets' softening.
    void add_cells(double* terms, ChangeExpansion<double> (&changes)[2]) const
    {
        constexpr std::size_t in_float = std::size_t(packs_in_float * P::width);
        for (std::size_t begin = 0; begin < work_.count; begin += in_float) {
            Terms sum;
            Change change[2];
            for (std::size_t first = begin; first < work_.count && first < begin + in_float;
                 first += std::size_t(P::width))
                add_pack(first, sum, change);
            for (int t = 0; t < Terms::size; ++t)
                terms[t] += sum_of_lanes(sum.term[t]);
            for (int k = 0; k < 2; ++k)
                for (int t = 0; has_change(k) && t < Change::size; ++t)
                    changes[k].term[t] += sum_of_lanes(change[k].term[t]);
        }
    }

private:
    Expander(const FarWork& work, const Expansion& expansion, const Frame& frame)
        : work_(work), expansion_(expansion), rows_(frame), higher_rows_(frame),
          eps2_(T(work.softening_length / expansion.unit) *
                T(work.softening_length / expansion.unit)),
          to_unit_(work.inverse_length / expansion.unit)
    {}

    static constexpr int packs_in_float = 16;
    static constexpr std::size_t packs_ahead = 2; // prefetch distance
    static constexpr std::size_t width = P::width;

    CHAMOMILE_HD void add_pack(std::size_t first, Terms& sum, Change (&change)[2]) const
    {
        constexpr int fields = MultipoleRows::fields, tail_fields = MultipoleRows::tail_fields;
        T row[width * fields], tail[width * tail_fields];
        const std::size_t left = work_.count - first;
        for (std::size_t k = 0; k < width; ++k) {
            if (first + packs_ahead * width + k < work_.count)
                prefetch(work_.cells[first + packs_ahead * width + k]);
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
        CellPairs<P> pairs;
        if (work_.softening)
            find_pairs(first, pairs);
        const P eps2 = work_.softening ? pairs.eps2 : P(eps2_);
        if constexpr (order == 0) {
            sum.add_mass(r, column[3], eps2);
        } else {
            load(tail, last);
            const SymmetricTensor<P> second{column[4], column[5], column[6],
                                            column[7], last[0],   last[1]};
            if constexpr (order == 2) {
                sum.add_cell(r, column[3], second, eps2);
            } else {
                P higher[HigherMoments::count], length;
                load_higher(first, higher, length);
                sum.template add_cell<order>(r, column[3], second, length, higher, eps2);
            }
        }
        if (work_.softening && pairs.differ())
            add_changes(r, column[3], pairs, sum, change);
    }

    bool has_change(int k) const { return work_.softening && expansion_.has_step(k); }

    /// A lane without a cell repeats the last cell.
    __attribute__((noinline)) void find_pairs(std::size_t first, CellPairs<P>& pairs) const
    {
        static_assert(sizeof(CellSoftening) == sizeof(Four));
        constexpr int fields = 4;
        const double unit = to_unit_ * to_unit_;
        const Four scale{unit, unit, 1, unit};
        T row[width * fields];
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t at = first + k < work_.count ? first + k : work_.count - 1;
            Four own;
            load_row(own, work_.softening + work_.cells[at]);
            store_rounded<Four>(own * scale, row + k * fields);
        }
        P column[fields];
        load(row, column);
        const SofteningSpan& span = expansion_.targets;
        const P targets[3]{P(T(unit * span.min)), P(T(unit * span.inner)),
                           P(T(unit * span.largest))};
        pairs.find(RuntimeRule{work_.rule_weight}, targets, column[0], column[1], column[2]);
    }

    __attribute__((noinline)) void add_changes(const Vec3<P>& r, const P& mass,
                                               const CellPairs<P>& pairs, Terms& sum,
                                               Change (&change)[2]) const
    {
        const SofteningChange<P> of_cell(r, mass, pairs.eps2);
        of_cell.add(pairs.mean[0], pairs.square[0], sum);
        for (int k = 0; k < 2; ++k)
            if (expansion_.has_step(k))
                of_cell.add(pairs.mean[k + 1] - pairs.mean[k],
                            pairs.square[k + 1] - pairs.square[k], change[k]);
    }

    /// A lane without a cell gets the last cell's moments with length 0: they add nothing.
    CHAMOMILE_HD void load_higher(std::size_t first, P* higher, P& length) const
    {
        constexpr int in_row = 8, tail_fields = HigherRows::tail_fields;
        T values[width * in_row];
        const HigherMoments* cell[width];
        for (std::size_t k = 0; k < width; ++k)
            cell[k] =
                work_.higher + work_.cells[first + k < work_.count ? first + k : work_.count - 1];
        for (int r = 0; r < HigherRows::rows; ++r) {
            for (std::size_t k = 0; k < width; ++k)
                higher_rows_.pack(*cell[k], r, values + k * in_row);
            P column[in_row];
            load(values, column);
            for (int f = 0; f < in_row; ++f)
                higher[r * in_row + f] = column[f];
        }
        for (std::size_t k = 0; k < width; ++k)
            higher_rows_.pack_tail(*cell[k], values + k * tail_fields);
        for (std::size_t k = work_.count - first; k < width; ++k)
            values[k * tail_fields + 1] = 0;
        P last[tail_fields];
        load(values, last);
        higher[HigherRows::rows * in_row] = last[0];
        length = last[1];
    }

    template <int columns>
    static CHAMOMILE_HD void load(const T* rows, P (&column)[columns])
    {
        for (int k = 0; k < columns; ++k)
            column[k] = P::load(rows + k * P::width);
        transpose(column);
    }

    CHAMOMILE_HD void prefetch(Index cell) const
    {
        const Multipole& m = work_.multipoles[cell];
        __builtin_prefetch(&m);
        __builtin_prefetch(&m.second.zz);
        if (work_.softening)
            __builtin_prefetch(&work_.softening[cell].low);
        if constexpr (order > 2) {
            constexpr int line = 64 / sizeof(double);
            for (int k = 0; k < HigherMoments::count; k += line)
                __builtin_prefetch(work_.higher[cell].moment + k);
            __builtin_prefetch(&work_.higher[cell].length);
        }
    }

    const FarWork& work_;
    const Expansion& expansion_;
    const MultipoleRows rows_;
    const HigherRows higher_rows_;
    const T eps2_;
    const double to_unit_;
};

/// Shifts `wider` (L2L), then adds the cells.
template <class T, int local_order, int order>
void expand(const FarWork& work, const Expansion* wider, Expansion& expansion)
{
    LocalExpansion<double, local_order> local;
    ChangeExpansion<double> change[2];
    if (wider) {
        for (int t = 0; t < local.size; ++t)
            local.term[t] = wider->term[t];
        const double inverse_unit = work.inverse_length / wider->unit;
        local.shift(inverse_unit * (expansion.center - wider->center));
        local.change_unit(wider->unit / expansion.unit);
        const SofteningSpan& own = expansion.targets;
        for (int k = 0; k < 2; ++k)
            if (wider->has_step(k)) {
                ChangeExpansion<double> all;
                for (int t = 0; t < all.size; ++t)
                    all.term[t] = wider->change[k][t];
                all.shift(inverse_unit * (expansion.center - wider->center));
                all.change_unit(wider->unit / expansion.unit);
                const auto part = [&](double eps2) { return wider->targets.part(k, eps2); };
                for (int t = 0; t < all.size; ++t) {
                    local.term[t] += part(own.min) * all.term[t];
                    change[0].term[t] += (part(own.inner) - part(own.min)) * all.term[t];
                    change[1].term[t] += (part(own.largest) - part(own.inner)) * all.term[t];
                }
            }
    }
    if constexpr (order == 2) {
        if (work.order == 0)
            Expander<T, local_order, 0>(work, expansion).add_cells(local.term, change);
        else
            Expander<T, local_order, 2>(work, expansion).add_cells(local.term, change);
    } else {
        Expander<T, local_order, order>(work, expansion).add_cells(local.term, change);
    }
    for (int t = 0; t < local.size; ++t)
        expansion.term[t] = local.term[t];
    for (int k = 0; k < 2; ++k)
        for (int t = 0; t < change[k].size; ++t)
            expansion.change[k][t] = change[k].term[t];
}

/// Kernels for one multipole order. Each order has a separate source file, because compilation is
/// slow.
#define CHAMOMILE_EXPANSION_KERNELS(order)                                                         \
    CHAMOMILE_EXPANSION_KERNELS_OF(float, order)                                                   \
    CHAMOMILE_EXPANSION_KERNELS_OF(double, order)
#define CHAMOMILE_EXPANSION_KERNELS_OF(T, order)                                                   \
    template void expand<T, 3, order>(const FarWork&, const Expansion*, Expansion&);               \
    template void expand<T, 4, order>(const FarWork&, const Expansion*, Expansion&);               \
    template void expand<T, 5, order>(const FarWork&, const Expansion*, Expansion&);               \
    template void expand<T, 6, order>(const FarWork&, const Expansion*, Expansion&);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
