/// \file  A group's targets, one lane per target: coordinates and sums.
#pragma once

#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Targets in packs of T; the last pack repeats the last target. Sums have `fields` values per
/// target, in double: acceleration and, if 4, potential.
template <class T, int fields>
class GroupTargets {
public:
    using P = Pack<T>;
    static constexpr int width = P::width;

    template <class Rows>
    GroupTargets(const GroupWork& work, const Rows& rows, KernelScratch& scratch)
        : work_(work), count_(int(work.row.target_end - work.row.target_begin)),
          padded_((count_ + width - 1) / width * width)
    {
        double* const memory = scratch.reserve(std::size_t(padded_) * (3 + 3 + 4 + 1 + 2));
        positions_ = reinterpret_cast<T*>(memory);
        residues_ = positions_ + 3 * padded_;
        sums_ = memory + 6 * padded_;
        softenings_ = reinterpret_cast<T*>(sums_ + 4 * padded_);
        parts_ = softenings_ + padded_;
        for (int k = 0; k < fields * padded_; ++k)
            sums_[k] = 0;
        load(rows);
        if (work.own.of_source)
            load_softenings();
    }

    int count() const { return count_; }
    int padded() const { return padded_; } ///< in whole packs

    /// Returns target t's sorted particle, or separate target.
    Index sorted(int t) const
    {
        const Index numbered = work_.row.target_begin + Index(t);
        return work_.targets ? work_.targets[numbered] : numbered;
    }

    /// Returns how many targets come before a sorted particle. `guess`: the answer for another
    /// particle, best for the one before.
    int before(Index particle, int guess) const
    {
        const Index begin = work_.row.target_begin, end = work_.row.target_end;
        if (!work_.targets)
            return particle <= begin ? 0 : particle >= end ? count_ : int(particle - begin);
        int low = guess > 0 && sorted(guess - 1) >= particle ? 0 : guess, high = count_;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (sorted(middle) < particle)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Returns how many self pairs have a lower source.
    int self_before(Index sorted) const
    {
        int low = 0, high = work_.self_count;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (work_.self[middle].sorted < sorted)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    CHAMOMILE_HD Vec3<P> position(int t) const { return vector(positions_ + t); }
    /// eps^2 in internal units, with per-particle softening.
    CHAMOMILE_HD P softening(int t) const { return P::load(softenings_ + t); }

    /// Returns targets t and on, as read by a law.
    template <class Law>
    CHAMOMILE_HD typename Law::template Target<P> target(int t) const
    {
        if constexpr (Law::per_particle)
            return {position(t), softening(t)};
        else
            return {position(t)};
    }

    /// Rounding residue of the positions.
    CHAMOMILE_HD Vec3<P> residue(int t) const { return vector(residues_ + t); }

    const T* positions() const { return positions_; } ///< by component

    /// Returns each target's fraction of an expansion's changes with softening, by step; null: no
    /// changes.
    const T* parts(const Expansion& expansion)
    {
        if (!(expansion.targets.min < expansion.targets.largest))
            return nullptr;
        for (int k = 0; k < 2; ++k)
            for (int t = 0; t < padded_ && expansion.has_step(k); ++t)
                parts_[k * padded_ + t] = T(expansion.targets.part(k, own_softening(t)));
        return parts_;
    }
    double* sums() { return sums_; } ///< by field

    /// A loop's sums begin with 0 and are added to targets t and on in double.
    template <class Sum>
    CHAMOMILE_HD Sum begin(int) const
    {
        return {};
    }
    template <class Sum>
    CHAMOMILE_HD void end(int t, const Sum& sum)
    {
        static_assert(sizeof(Sum) == fields * sizeof(P));
        const P* field = reinterpret_cast<const P*>(&sum);
        for (int f = 0; f < fields; ++f)
            add_lanes(field[f], 1, sums_ + f * padded_ + t);
    }

    void store(TargetSum* to) const
    {
        for (int t = 0; t < count_; ++t)
            to[t] = {{sums_[t], sums_[padded_ + t], sums_[2 * padded_ + t]},
                     fields > 3 ? sums_[3 * padded_ + t] : 0};
    }

private:
    template <class Rows>
    void load(const Rows& rows)
    {
        const chamomile::Source* const all =
            work_.separate_targets ? work_.separate_targets : work_.sources;
        alignas(64) T row[4 * width], residue[4 * width];
        for (int t = 0; t < padded_; t += width) {
            if (!work_.targets && t + width <= count_)
                rows.pack(all + sorted(t), width, row, residue);
            else
                for (int k = 0; k < width; ++k) {
                    const int real = t + k < count_ ? t + k : count_ - 1;
                    rows.pack(all + sorted(real), 1, row + 4 * k, residue + 4 * k);
                }
            store_columns(row, positions_ + t);
            store_columns(residue, residues_ + t);
        }
    }

    void load_softenings()
    {
        for (int t = 0; t < padded_; ++t)
            softenings_[t] = T(own_softening(t) * work_.inverse_length * work_.inverse_length);
    }

    /// Returns target t's eps^2 in the caller's units; beyond the end, the last one's.
    double own_softening(int t) const
    {
        const double* const all =
            work_.separate_targets ? work_.own.of_target : work_.own.of_source;
        return all[sorted(t < count_ ? t : count_ - 1)];
    }

    void store_columns(const T* rows, T* to) const
    {
        P column[4];
        for (int k = 0; k < 4; ++k)
            column[k] = P::load(rows + k * width);
        transpose(column);
        for (int k = 0; k < 3; ++k)
            column[k].store(to + k * padded_);
    }

    CHAMOMILE_HD Vec3<P> vector(const T* from) const
    {
        return {P::load(from), P::load(from + padded_), P::load(from + 2 * padded_)};
    }

    const GroupWork& work_;
    const int count_, padded_;
    T *positions_, *residues_; // by component
    double* sums_;             // by field
    T *softenings_, *parts_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
