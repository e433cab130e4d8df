/// \file  Sums at a few targets over all sources in double, and absolute forces at targets: for
/// targets with cancelling forces, and direct sums in a periodic cube.
#pragma once

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/simd_math.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/force/simd/host_kernel.hpp"
#include "chamomile/force/simd/tile_loop.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Places a target in each lane, from `first` on; surplus lanes repeat the last target.
template <int lanes, class Place>
CHAMOMILE_HD void place_targets(const FewTargets& work, int first, Place place)
{
    for (int k = 0; k < lanes; ++k) {
        const int t = first + k < work.count ? first + k : work.count - 1;
        place(k, work.sources[work.targets[t]].position);
    }
}

/// In float about the first target, a tile of clumps at a time: 13 operations per pair.
inline void sum_absolute_forces(const FewTargets& work, float* absolute_forces)
{
    using P = Pack<float>;
    constexpr int in_flight = 4, lanes = in_flight * P::width, block = FewTargets::block_size;
    constexpr std::size_t tile_size = 32;
    static_assert(block % lanes == 0);
    const Vec3<double> origin = work.sources[work.targets[0]].position;
    const double eps2 = work.softening_length * work.softening_length;
    alignas(64) float x[block], y[block], z[block];
    place_targets<block>(work, 0, [&](int k, const Vec3<double>& position) {
        x[k] = float(position.x - origin.x);
        y[k] = float(position.y - origin.y);
        z[k] = float(position.z - origin.z);
        absolute_forces[k] = 0;
    });
    for (std::size_t begin = 0; begin < work.clump_count; begin += tile_size) {
        const std::size_t left = work.clump_count - begin;
        const std::size_t count = left < tile_size ? left : tile_size;
        struct {
            float x, y, z, mass, min;
        } tile[tile_size];
        for (std::size_t c = 0; c < count; ++c) {
            const PseudoParticle& clump = work.clumps[begin + c];
            tile[c] = {float(clump.center.x - origin.x), float(clump.center.y - origin.y),
                       float(clump.center.z - origin.z), float(clump.mass),
                       float(clump.spread + eps2)};
        }
        for (int first = 0; first < block && first < work.count; first += lanes) {
            P sum[in_flight];
            for (std::size_t c = 0; c < count; ++c)
                for (int k = 0; k < in_flight; ++k) {
                    const int at = first + k * P::width;
                    const P dx = P(tile[c].x) - P::load(x + at),
                            dy = P(tile[c].y) - P::load(y + at),
                            dz = P(tile[c].z) - P::load(z + at);
                    const P over_u = inverse_sqrt(dx * dx + (dy * dy + (dz * dz + P(tile[c].min))));
                    sum[k] += P(tile[c].mass) * over_u * over_u;
                }
            for (int k = 0; k < in_flight; ++k) {
                float* const to = absolute_forces + first + k * P::width;
                (P::load(to) + sum[k]).store(to);
            }
        }
    }
}

/// A few target packs against all sources; each source is read once.
template <class Law, int in_flight>
class PreciseSums {
public:
    using P = Pack<double>;
    static constexpr int lanes = in_flight * P::width;

    PreciseSums(const FewTargets& work, int first)
        : work_(work), law_(Law::of({.softening_length = work.softening_length,
                                     .rule_weight = work.rule_weight,
                                     .smooth = work.smooth})),
          first_(first), last_(first + lanes < work.count ? first + lanes : work.count)
    {
        alignas(64) double x[lanes], y[lanes], z[lanes];
        place_targets<lanes>(work, first, [&](int k, const Vec3<double>& position) {
            x[k] = position.x;
            y[k] = position.y;
            z[k] = position.z;
        });
        for (int k = 0; k < in_flight; ++k)
            target_[k].position = {P::load(x + k * P::width), P::load(y + k * P::width),
                                   P::load(z + k * P::width)};
        if constexpr (Law::per_particle) {
            alignas(64) double softening[lanes];
            for (int k = 0; k < lanes; ++k)
                softening[k] = work.softening[work.targets[first + k < last_ ? first + k : first]];
            for (int k = 0; k < in_flight; ++k)
                target_[k].eps2 = P::load(softening + k * P::width);
        }
    }

    void run(TargetSum* sums)
    {
        std::size_t next = 0;
        for (int t = first_; t < last_; ++t) {
            add_sources(next, work_.targets[t]);
            add_self(work_.targets[t], t - first_);
            next = work_.targets[t] + std::size_t(1);
        }
        add_sources(next, work_.source_count);
        store(sums);
    }

    // The targets of a force loop. Sums go on from slice to slice.
    template <class>
    CHAMOMILE_HD auto target(int t) const
    {
        return target_[t / P::width];
    }
    template <class>
    CHAMOMILE_HD auto begin(int t) const
    {
        return sum_[t / P::width];
    }
    template <class Sum>
    CHAMOMILE_HD void end(int t, const Sum& sum)
    {
        sum_[t / P::width] = sum;
    }

private:
    using Source = typename Law::template Source<P>;

    /// Sources from `first` on.
    struct Sources {
        const FewTargets& work;
        std::size_t first;

        CHAMOMILE_HD Source source(int k) const
        {
            const std::size_t j = first + std::size_t(k);
            const chamomile::Source& from = work.sources[j];
            Source source;
            source.position = {P(from.position.x), P(from.position.y), P(from.position.z)};
            source.mass = P(from.mass);
            if constexpr (Law::per_particle)
                source.eps2 = P(work.softening[j]);
            return source;
        }
    };

    /// Adds sources in order, with a check for interruption between slices.
    void add_sources(std::size_t begin, std::size_t end)
    {
        constexpr std::size_t slice = 32768;
        for (; end - begin > slice; begin += slice) {
            force_loop_of<in_flight>(law_, 0, Sources{work_, begin}, slice, *this);
            look_for_interruption();
        }
        force_loop_of<in_flight>(law_, 0, Sources{work_, begin}, int(end - begin), *this);
    }

    /// Adds a source that is the target in `lane`; there it gets zero mass and a finite place.
    void add_self(std::size_t j, int lane)
    {
        const auto add = [&](int, const auto* target, Source* seen, auto* sum) {
            for (int k = 0; k < in_flight; ++k) {
                const auto self = is_lane<P>(lane - k * P::width);
                P& x = seen[k].position.x;
                x = select(self, x + P(apart_), x);
                seen[k].mass = select(self, P(0), seen[k].mass);
                law_(target[k], seen[k], sum[k]);
            }
        };
        pair_loop_of<in_flight, false, 0, Law>(0, Sources{work_, j}, 1, *this, add);
    }

    void store(TargetSum* sums) const
    {
        constexpr int fields = int(sizeof(sum_[0]) / sizeof(P));
        for (int t = first_; t < last_; ++t) {
            const P* const field = reinterpret_cast<const P*>(&sum_[(t - first_) / P::width]);
            const int lane = (t - first_) % P::width;
            sums[t] = {{field[0].lanes[lane], field[1].lanes[lane], field[2].lanes[lane]},
                       fields > 3 ? field[fields - 1].lanes[lane] : 0};
        }
    }

    const FewTargets& work_;
    const Law law_;
    const int first_, last_;
    /// Distance by which a target's own source is moved, without mass; no image lies there.
    const double apart_ = work_.smooth ? 0.5 * work_.smooth->side : 1;
    typename Law::template Target<P> target_[in_flight];
    typename Law::template Sum<P> sum_[in_flight];
};

/// PreciseSums as a DoubleKernel function.
template <class Law, int in_flight>
void sum_precisely(const FewTargets& work, TargetSum* sums)
{
    using Sums = PreciseSums<Law, in_flight>;
    for (int first = 0; first < work.count; first += Sums::lanes)
        Sums(work, first).run(sums);
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
