// What a whole step can go back to, and a run can go on from.
#include "chamomile/core/archive.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/block_leapfrog.hpp"

namespace chamomile {
namespace {

/// By all threads.
template <class T>
void copy(const std::vector<T>& from, std::vector<T>& to)
{
    const std::size_t n = from.size();
    to.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        to[i] = from[i];
}

} // namespace

void BlockLeapfrog::keep(Particles& particles)
{
    copy(particles.position, before_.position);
    copy(particles.velocity, before_.velocity);
    copy(particles.acceleration, before_.acceleration);
    if (needs_potentials())
        copy(particles.potential, before_.potential);
    copy(state_.wish, before_.state.wish);
    copy(state_.time, before_.state.time);
    copy(state_.orbit, before_.state.orbit);
    copy(long_range_, before_.long_range);
}

void BlockLeapfrog::restore(Particles& particles)
{
    particles.position.swap(before_.position);
    particles.velocity.swap(before_.velocity);
    particles.acceleration.swap(before_.acceleration);
    if (needs_potentials())
        particles.potential.swap(before_.potential);
    std::swap(state_, before_.state);
    long_range_.swap(before_.long_range);
}

void BlockLeapfrog::exchange(Archive& archive, Particles& particles)
{
    solver_.exchange(archive);
    archive("blocks/wish", state_.wish);
    archive("blocks/time", state_.time);
    archive("blocks/orbit", state_.orbit);
    const std::size_t n = particles.size(), orbits = needs_potentials() ? n : 0;
    if (splits_forces()) {
        archive.records("blocks/long_range", long_range_);
        if (long_range_.size() != n)
            throw Error(Fault::restart, "blocks: arrays of different lengths");
    }
    if (state_.wish.size() != n || state_.time.size() != n || state_.orbit.size() != orbits)
        throw Error(Fault::restart, "blocks: arrays of different lengths");
    chamomile::exchange(archive, report_);
    kept_trees_.exchange(archive);
    if (archive.is_reading())
        GM_ = total_GM(particles, forces().gravitational_constant);
}

} // namespace chamomile
