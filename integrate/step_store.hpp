/// \file  The states of a whole step, for stores that hold particles.
#pragma once

#include <utility>

#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {

/// The arrays that a step changes, in containers with swap().
template <class Vectors, class Numbers>
struct StepArrays {
    Vectors position, velocity, acceleration, long_range;
    Numbers potential, step, measured, orbit;
};

/// A StepStore saves and restores the state of a whole step. `Store`, which derives from it, has
/// now(), the current StepArrays, and copy(from, to), which copies an array of all particles.
template <class Store, class Saved>
class StepStore : public ParticleStore {
public:
    using ParticleStore::ParticleStore;

    void begin_step() override
    {
        auto&& now = store().now();
        // The end of a shared step computes all accelerations and potentials again.
        const auto save = [&](auto& current, auto& saved) {
            options_.individual ? store().copy(current, saved) : current.swap(saved);
        };
        save(now.acceleration, saved_.acceleration);
        if (options_.potentials)
            save(now.potential, saved_.potential);
        if (options_.individual) {
            store().copy(now.step, saved_.step);
            store().copy(now.measured, saved_.measured);
            if (options_.potentials)
                store().copy(now.orbit, saved_.orbit);
        }
        if (options_.nested) {
            store().copy(now.position, saved_.position);
            store().copy(now.velocity, saved_.velocity);
        } else {
            now.position.swap(saved_.position);
            now.velocity.swap(saved_.velocity);
        }
        begins_ = true;
        has_new_long_range_ = false;
    }

    void restore() override
    {
        auto&& now = store().now();
        now.position.swap(saved_.position);
        now.velocity.swap(saved_.velocity);
        now.acceleration.swap(saved_.acceleration);
        if (options_.potentials)
            now.potential.swap(saved_.potential);
        if (options_.individual) {
            now.step.swap(saved_.step);
            now.measured.swap(saved_.measured);
            now.orbit.swap(saved_.orbit);
        }
        if (has_new_long_range_)
            now.long_range.swap(saved_.long_range);
        is_split_ = false;
    }

    ArrayView clear_long_range() final
    {
        if (!std::exchange(has_new_long_range_, true))
            store().now().long_range.swap(saved_.long_range);
        return zeroed_long_range();
    }

    void kick_and_drift(const KickAndDrift& move) final
    {
        is_split_ = is_split_ || move.long_range_kick.has_value();
        move_particles(move, std::exchange(begins_, false));
    }

    void add_long_range(double kick) final
    {
        kick_by_long_range(kick);
        is_split_ = false;
    }

protected:
    /// Sets the initial state, at load().
    void begin_states() { begins_ = is_split_ = has_new_long_range_ = false; }

    bool is_split_ = false; ///< accelerations are short-range only
    Saved saved_;           ///< before the whole step, until restore()

private:
    virtual ArrayView zeroed_long_range() = 0;
    /// The first move of a whole step reads the saved state and writes the current one.
    virtual void move_particles(const KickAndDrift& move, bool is_first) = 0;
    virtual void kick_by_long_range(double kick) = 0;

    Store& store() { return static_cast<Store&>(*this); }

    bool begins_ = false;             ///< the next move is the first of a whole step
    bool has_new_long_range_ = false; ///< since begin_step()
};

} // namespace chamomile
