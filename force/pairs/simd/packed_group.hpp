/// \file  J-PACKING for any law: rows of doubles are centered on a group, scaled and rounded to T.
#pragma once

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/pairs/law.hpp"
#include "chamomile/force/pairs/simd/group_work.hpp"
#include "chamomile/force/simd/rows.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// A group's targets by column, in packs (the last pack repeats the last target); a few tiles of
/// sources by row; sums by column, in double.
template <class T>
class PackedGroup {
public:
    using P = Pack<T>;
    using Bits = typename P::Mask; ///< per lane (target): one bit per source in a tile
    static constexpr int width = P::width;
    static constexpr int max_sources = 2 * pair_tile;

    /// Lays out the memory; `extra`: number of doubles for the caller's use.
    CHAMOMILE_HD PackedGroup(const PairGroupWork& work, LawShape shape, bool positions,
                             KernelScratch& scratch, std::size_t extra = 0)
        : work_(work), padded_((int(work.target_count) + width - 1) / width * width),
          next_excluded_(work.excluded)
    {
        const std::size_t n = std::size_t(padded_), line = 64 / sizeof(double);
        const std::size_t rows = max_sources * std::size_t(shape.source + 3);
        double* memory = scratch.reserve(n * std::size_t(shape.target + 3 + shape.sum + 1) + rows +
                                         7 * line + extra);
        const auto take = [&](std::size_t doubles) {
            double* const taken = memory;
            memory += (doubles + line - 1) / line * line;
            return taken;
        };
        memory = reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(memory) + 63) &
                                           ~std::uintptr_t(63));
        sums_ = take(n * std::size_t(shape.sum));
        columns_ = reinterpret_cast<T*>(take(n * std::size_t(shape.target)));
        residues_ = reinterpret_cast<T*>(take(3 * n));
        masks_ = reinterpret_cast<char*>(take(n));
        rows_ = reinterpret_cast<T*>(take(max_sources * std::size_t(shape.source)));
        row_residues_ = reinterpret_cast<T*>(take(3 * max_sources));
        extra_ = take(extra);
        for (std::size_t k = 0; k < n * std::size_t(shape.sum); ++k)
            sums_[k] = 0;
        pack_targets(shape, positions);
    }

    CHAMOMILE_HD int padded() const { return padded_; }   ///< targets in whole packs
    CHAMOMILE_HD double* extra() const { return extra_; } ///< aligned to 64 bytes

    /// Returns value f for targets t and on.
    CHAMOMILE_HD P target(int f, int t) const { return P::load(columns_ + f * padded_ + t); }
    /// Returns the rounding residue of their positions.
    CHAMOMILE_HD Vec3<P> residue(int t) const
    {
        return {P::load(residues(0, t)), P::load(residues(1, t)), P::load(residues(2, t))};
    }
    CHAMOMILE_HD const T* residues(int f, int t) const { return residues_ + f * padded_ + t; }
    /// Return packed source j's values, and the rounding residue of its position.
    CHAMOMILE_HD const T* row(int j, LawShape shape) const { return rows_ + j * shape.source; }
    CHAMOMILE_HD Vec3<P> row_residue(int j) const
    {
        return {P(row_residue(j, 0)), P(row_residue(j, 1)), P(row_residue(j, 2))};
    }
    CHAMOMILE_HD T row_residue(int j, int f) const { return row_residues_[3 * j + f]; }
    /// Returns the mask for targets t and on, after find_excluded(): bit j is set if the lane's
    /// target does not see source j in the tile.
    CHAMOMILE_HD Bits mask(int t) const
    {
        Bits bits;
        __builtin_memcpy(&bits, masks_ + sizeof(T) * std::size_t(t), sizeof bits);
        return bits;
    }

    /// Packs all tiles. Calls meet(sources, near, excludes) for each tile that may be near or has
    /// excluded pairs; other tiles are combined into batches, until no further tile fits in `max`
    /// sources.
    template <class Meet>
    CHAMOMILE_HD void for_each_batch(LawShape shape, bool positions, int max, const Meet& meet)
    {
        int count = 0;
        const auto meet_far = [&] {
            if (count > 0)
                meet(count, false, false);
            count = 0;
        };
        constexpr int tiles_of_slice = 64;
        for (const TileEntry* tile = work_.tiles; tile < work_.tiles_end; ++tile) {
            if ((tile - work_.tiles) % tiles_of_slice == tiles_of_slice - 1)
                look_for_interruption();
            const bool near = positions && tile < work_.near_end;
            const bool excludes = find_excluded(*tile);
            if (near || excludes) {
                meet_far();
                meet(pack_tile(*tile, 0, shape, positions), near, excludes);
                continue;
            }
            count += pack_tile(*tile, count, shape, positions);
            if (count > max - pair_tile)
                meet_far();
        }
        meet_far();
    }

    /// Packs a tile from row `first` on; returns its number of sources.
    CHAMOMILE_HD int pack_tile(const TileEntry& entry, int first, LawShape shape, bool positions)
    {
        double offset[3] = {0, 0, 0};
        if (positions) {
            const Vec3<double> o = work_.images[entry.image] - work_.center;
            offset[0] = o.x;
            offset[1] = o.y;
            offset[2] = o.z;
        }
        const std::uint32_t begin = entry.tile * pair_tile;
        const int count =
            int(work_.source_count - begin < std::uint32_t(pair_tile) ? work_.source_count - begin
                                                                      : std::uint32_t(pair_tile));
        const double* from = work_.sources + std::size_t(begin) * std::size_t(shape.source);
        T* to = rows_ + first * shape.source;
        T* residue = row_residues_ + 3 * first;
        for (int j = 0; j < count; ++j, from += shape.source, to += shape.source, residue += 3)
            for (int f = 0; f < shape.source; ++f) {
                if (positions && f < 3)
                    round_place((from[f] + offset[f]) * work_.source_scale[f], to[f], residue[f]);
                else
                    to[f] = T(from[f] * work_.source_scale[f]);
            }
        return count;
    }

    /// Returns whether a target does not see some source in the tile, and sets the masks. Fastest
    /// for tiles in ascending order.
    CHAMOMILE_HD bool find_excluded(const TileEntry& entry)
    {
        const std::uint32_t begin = entry.tile * pair_tile, end = begin + pair_tile;
        if (work_.excluded == work_.excluded_end)
            return false;
        if (next_excluded_ > work_.excluded && next_excluded_[-1].source >= begin)
            next_excluded_ = first_excluded(begin);
        while (next_excluded_ < work_.excluded_end && next_excluded_->source < begin)
            ++next_excluded_;
        if (next_excluded_ == work_.excluded_end || next_excluded_->source >= end)
            return false;
        typedef typename std::conditional<sizeof(T) == 4, std::uint32_t, std::uint64_t>::type Word;
        Word* masks = reinterpret_cast<Word*>(masks_);
        for (int t = 0; t < padded_; ++t)
            masks[t] = 0;
        for (; next_excluded_ < work_.excluded_end && next_excluded_->source < end;
             ++next_excluded_)
            masks[next_excluded_->target] |= Word(1) << (next_excluded_->source - begin);
        return true;
    }

    /// Adds to field f for targets t and on.
    CHAMOMILE_HD void add(int f, int t, P sum) { add_lanes(sum, 1, sums_ + f * padded_ + t); }

    CHAMOMILE_HD void store(LawShape shape) const
    {
        for (int t = 0; t < int(work_.target_count); ++t)
            for (int f = 0; f < shape.sum; ++f)
                work_.sums[t * shape.sum + f] = work_.sum_scale[f] * sums_[f * padded_ + t];
    }

private:
    static CHAMOMILE_HD void round_place(double x, T& rounded, T& residue)
    {
        rounded = T(x);
        if constexpr (sizeof(T) == 4)
            asm("" : "+m"(rounded)); // g++ 12 takes double(float(x)) for x
        residue = T(x - double(rounded));
    }

    CHAMOMILE_HD void pack_targets(LawShape shape, bool positions)
    {
        const double center[3] = {work_.center.x, work_.center.y, work_.center.z};
        for (int t = 0; t < padded_; ++t) {
            const int real = t < int(work_.target_count) ? t : int(work_.target_count) - 1;
            const double* from = work_.targets + real * shape.target;
            for (int f = 0; f < shape.target; ++f) {
                T& to = columns_[f * padded_ + t];
                if (positions && f < 3)
                    round_place((from[f] - center[f]) * work_.target_scale[f], to,
                                residues_[f * padded_ + t]);
                else
                    to = T(from[f] * work_.target_scale[f]);
            }
        }
    }

    CHAMOMILE_HD const ExcludedPair* first_excluded(std::uint32_t source) const
    {
        const ExcludedPair *low = work_.excluded, *high = work_.excluded_end;
        while (low < high) {
            const ExcludedPair* middle = low + (high - low) / 2;
            if (middle->source < source)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const PairGroupWork& work_;
    const int padded_;
    const ExcludedPair* next_excluded_;
    double *sums_, *extra_;
    T *columns_, *residues_, *rows_, *row_residues_;
    char* masks_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
