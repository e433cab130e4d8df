/// \file  What a batch does for each body, on the host and on a GPU with equal bits.
#pragma once

#include <cfloat>
#include <cmath>

#include "chamomile/integrate/batch/batch_rows.hpp"
#include "chamomile/integrate/hermite_step.hpp"

namespace chamomile {

/// The system of each body.
struct SystemOfBody {
    const std::uint64_t* offsets; ///< unless all systems are equal
    std::size_t count;
    std::size_t bodies; ///< of each system, if all are equal; else 0

    CHAMOMILE_HD std::size_t operator()(std::size_t i) const
    {
        if (bodies > 0)
            return i / bodies;
        std::size_t low = 0, high = count; // offsets[low] <= i < offsets[high]
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            (offsets[middle] <= i ? low : high) = middle;
        }
        return low;
    }
    /// Returns the first body of the system of body i.
    CHAMOMILE_HD std::size_t first(std::size_t i) const
    {
        return bodies > 0 ? i - i % bodies : std::size_t(offsets[(*this)(i)]);
    }
};

/// Rows of bodies.
struct BodyRows {
    double *sources, *sums;
    Vec3<double>* velocity; ///< of bodies whose rows hold none
    Motion* motion;         ///< of each body at the start of its step, for Hermite
    int width, sum_width;
    BatchShape shape;

    CHAMOMILE_HD Vec3<double>& vector(std::size_t i, int first) const
    {
        return *reinterpret_cast<Vec3<double>*>(sources + i * std::size_t(width) + first);
    }
    CHAMOMILE_HD Vec3<double>& place(std::size_t i) const { return vector(i, 0); }
    CHAMOMILE_HD Vec3<double>& speed(std::size_t i) const
    {
        return shape.with_jerks ? vector(i, 3) : velocity[i];
    }
    CHAMOMILE_HD int mass_at() const { return shape.with_jerks ? 6 : 3; }
    /// Returns the sum vector that begins at value `first`.
    CHAMOMILE_HD Vec3<double> sum(std::size_t i, int first) const
    {
        const double* s = sums + i * std::size_t(sum_width) + first;
        return {s[0], s[1], s[2]};
    }
    CHAMOMILE_HD double potential(std::size_t i) const
    {
        return sums[(i + 1) * std::size_t(sum_width) - 1];
    }
};

/// Returns x, or infinity if it is not finite.
CHAMOMILE_HD double or_infinity(double x)
{
    return x <= DBL_MAX && x >= -DBL_MAX ? x + 0.0 : double(INFINITY); // no -0
}
CHAMOMILE_HD double probe_of(const Vec3<double>& v)
{
    return 0 * v.x + 0 * v.y + 0 * v.z;
}

struct LargestMass {
    ArrayView mass;

    CHAMOMILE_HD double operator()(std::size_t i) const { return or_infinity(fabs(mass.load(i))); }
};

/// Makes the row of a body. Returns twice its largest distance along an axis from the first body of
/// its system.
struct LoadBody {
    ArrayView position, velocity, mass, softening;
    double inverse_mass;
    SystemOfBody system;
    BodyRows rows;

    CHAMOMILE_HD double operator()(std::size_t i) const
    {
        const Vec3<double> x = position.load_vector(i),
                           d = x - position.load_vector(system.first(i));
        double extent = fabs(d.x) > fabs(d.y) ? fabs(d.x) : fabs(d.y);
        extent = 2 * (extent > fabs(d.z) ? extent : fabs(d.z)) + probe_of(x);
        rows.place(i) = x;
        if (velocity.component[0]) {
            rows.speed(i) = velocity.load_vector(i);
            extent += probe_of(rows.speed(i));
        }
        double* more = rows.sources + i * std::size_t(rows.width) + rows.mass_at();
        more[0] = inverse_mass * mass.load(i);
        if (rows.shape.per_particle) {
            const double length = softening.load(i);
            more[1] = length * length;
            extent = length >= 0 ? extent + 0 * length : double(INFINITY);
        }
        return or_infinity(extent);
    }
};

/// Returns infinity if a sum is not finite.
struct ProbeSums {
    BodyRows rows;

    CHAMOMILE_HD double operator()(std::size_t i) const
    {
        double probe = 0;
        for (int f = 0; f < rows.sum_width; ++f)
            probe += 0 * rows.sums[i * std::size_t(rows.sum_width) + std::size_t(f)];
        return or_infinity(probe);
    }
};

struct StoreSums {
    BodyRows rows;
    ArrayView acceleration, potential, jerk;
    double unit;

    CHAMOMILE_HD double operator()(std::size_t i) const
    {
        double probe = 0;
        const auto store = [&](const ArrayView& to, int first) {
            const Vec3<double> v = unit * rows.sum(i, first);
            to.store_vector(i, v);
            probe += probe_of(v);
        };
        if (acceleration.component[0])
            store(acceleration, 0);
        if (jerk.component[0])
            store(jerk, 3);
        if (potential.component[0]) {
            potential.store(i, 0, unit * rows.potential(i));
            probe += 0 * rows.potential(i);
        }
        return or_infinity(probe);
    }
};

struct StoreMotion {
    BodyRows rows;
    ArrayView position, velocity;

    CHAMOMILE_HD void operator()(std::size_t i) const
    {
        position.store_vector(i, rows.place(i));
        velocity.store_vector(i, rows.speed(i));
    }
};

/// Returns infinity if a position or velocity is not finite.
struct ProbeMotion {
    BodyRows rows;

    CHAMOMILE_HD double operator()(std::size_t i) const
    {
        return or_infinity(probe_of(rows.place(i)) + probe_of(rows.speed(i)));
    }
};

/// A part of a step of each body.
struct MoveBody {
    BatchMove part;
    BodyRows rows;
    SystemOfBody system;
    const double* lengths;
    bool is_one_length; ///< for all systems
    double unit;        ///< of sums

    CHAMOMILE_HD void operator()(std::size_t i) const
    {
        const double h = lengths[is_one_length ? 0 : system(i)];
        if (part == BatchMove::kick_drift || part == BatchMove::kick) {
            rows.speed(i) += (h / 2) * (unit * rows.sum(i, 0));
            if (part == BatchMove::kick_drift)
                rows.place(i) += h * rows.speed(i);
            return;
        }
        if (part == BatchMove::predict) {
            const Motion to = predicted(rows.motion[i], h);
            rows.place(i) = to.position;
            rows.speed(i) = to.velocity;
            return;
        }
        Motion to{rows.place(i), rows.speed(i), unit * rows.sum(i, 0), unit * rows.sum(i, 3)};
        if (part == BatchMove::correct) {
            correct(to, rows.motion[i], h);
            rows.place(i) = to.position;
            rows.speed(i) = to.velocity;
        }
        rows.motion[i] = to;
    }
};

/// Rows in a Memory, which has
///
///     on_device                  whether it is memory of a GPU
///     prepare(views)             before callers' arrays are read or written
///     reserve(slot, n)           n doubles of one of the slots 0 to 5, contents lost on growth
///     copy(slot, from, n), host(from, n)
///                                copies of n doubles from and to the host
///     each(n, f)                 f(i) for all i < n
///     largest(n, f)              the largest f(i), at least 0
template <class Memory>
class BatchRowsIn final : public BatchRows {
public:
    template <class... Arguments>
    explicit BatchRowsIn(Arguments... arguments) : memory_(arguments...)
    {}

    double largest_mass(const Batch& batch) override
    {
        memory_.prepare({batch.position, batch.velocity, batch.mass, batch.softening});
        return memory_.largest(batch.bodies(), LargestMass{batch.mass});
    }

    double load(const Batch& batch, const BatchShape& shape, double unit) override
    {
        offsets_ = batch.offsets;
        const std::size_t n = batch.bodies();
        rows_.shape = shape;
        rows_.width = 4 + 3 * shape.with_jerks + shape.per_particle;
        rows_.sum_width = 4 + 3 * shape.with_jerks;
        rows_.sources = memory_.reserve(0, n * std::size_t(rows_.width));
        rows_.sums = memory_.reserve(1, n * std::size_t(rows_.sum_width));
        rows_.velocity = reinterpret_cast<Vec3<double>*>(
            memory_.reserve(2, shape.moves && !shape.with_jerks ? 3 * n : 0));
        rows_.motion = reinterpret_cast<Motion*>(
            memory_.reserve(3, shape.moves && shape.with_jerks ? 12 * n : 0));
        static_assert(sizeof(std::uint64_t) == sizeof(double) && sizeof(Motion) == 12 * 8);
        system_.count = batch.systems();
        system_.bodies = n / batch.systems();
        for (std::size_t b = 0; b < batch.systems() && system_.bodies > 0; ++b)
            if (offsets_[b + 1] - offsets_[b] != system_.bodies)
                system_.bodies = 0;
        if (system_.bodies == 0)
            system_.offsets = reinterpret_cast<const std::uint64_t*>(
                memory_.copy(4, reinterpret_cast<const double*>(offsets_.data()), offsets_.size()));
        const bool has_speeds = shape.with_jerks || shape.moves;
        return memory_.largest(n,
                               LoadBody{batch.position, has_speeds ? batch.velocity : ArrayView{},
                                        batch.mass, batch.softening, 1 / unit, system_, rows_});
    }

    PairTask task(double extent) override
    {
        PairTask task;
        task.sources = {rows_.sources, count() * std::size_t(rows_.width)};
        task.systems = {.offsets = offsets_,
                        .left_out = rows_.mass_at(),
                        .is_checked = true,
                        .on_device = Memory::on_device,
                        .extent = extent};
        return task;
    }
    std::span<double> sums() override
    {
        return {rows_.sums, count() * std::size_t(rows_.sum_width)};
    }
    bool sums_are_finite() override { return memory_.largest(count(), ProbeSums{rows_}) == 0; }
    bool store(const FieldResults& results, double unit) override
    {
        memory_.prepare({results.acceleration, results.potential, results.jerk});
        return memory_.largest(count(), StoreSums{rows_, results.acceleration, results.potential,
                                                  results.jerk, unit}) == 0;
    }

    void set_steps(std::span<const double> lengths, double unit) override
    {
        steps_ = {{},
                  rows_,
                  system_,
                  memory_.copy(5, lengths.data(), lengths.size()),
                  lengths.size() == 1,
                  unit};
    }
    void move(BatchMove part) override
    {
        steps_.part = part;
        memory_.each(count(), steps_);
    }
    bool store_motion(const Batch& batch) override
    {
        if (memory_.largest(count(), ProbeMotion{rows_}) != 0)
            return false;
        memory_.each(count(), StoreMotion{rows_, batch.position, batch.velocity});
        return true;
    }

    std::vector<double> host_sources() override
    {
        return memory_.host(rows_.sources, count() * std::size_t(rows_.width));
    }
    std::vector<double> host_sums() override
    {
        return memory_.host(rows_.sums, count() * std::size_t(rows_.sum_width));
    }
    void set_sums(const std::vector<double>& sums) override
    {
        memory_.copy(1, sums.data(), sums.size());
    }

private:
    std::size_t count() const { return offsets_.back(); }

    Memory memory_;
    std::span<const std::uint64_t> offsets_;
    SystemOfBody system_{};
    BodyRows rows_{};
    MoveBody steps_{};
};

} // namespace chamomile
