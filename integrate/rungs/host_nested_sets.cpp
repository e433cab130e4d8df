#include "chamomile/integrate/rungs/host_nested_sets.hpp"

#include <algorithm>
#include <iterator>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/light_cone.hpp"

namespace chamomile {
namespace {

/// Calls call(k) for each k < n and returns the sum of the results, which must not depend on the
/// order.
template <class Call>
double each(std::size_t n, const Call& call)
{
    double sum = 0;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : sum)
    for (std::size_t k = 0; k < n; ++k)
        sum += call(k);
    return sum;
}

/// Returns 0, or NaN if a component is not finite.
double fault_of(const Vec3<double>& v)
{
    return 0 * (v.x + v.y + v.z);
}

} // namespace

void HostNestedSets::begin(const Rows& rows)
{
    rows_.emplace(rows);
    sets_.clear();
    sets_.emplace_back();
    NestedSets::begin(rows.particles.size());
}

void HostNestedSets::end_sets(std::size_t first)
{
    ended_.assign(std::make_move_iterator(sets_.begin() + std::ptrdiff_t(first)),
                  std::make_move_iterator(sets_.end()));
    sets_.resize(first);
}

std::vector<std::uint64_t> HostNestedSets::select(int level)
{
    const std::size_t outer = sets_.size() - 1;
    const auto member = [&](std::size_t k) {
        return is_whole(outer) ? Index(k) : sets_[outer].members[k];
    };
    list_where(
        size(outer), [&](std::size_t k) { return rows_->level[member(k)] >= level; }, selected_);
    for (Index& place : selected_)
        place = member(place);
    std::vector<std::uint64_t> differing;
    for (const Set& set : ended_)
        differing.push_back(set.members != selected_);
    return differing;
}

std::size_t HostNestedSets::append(std::optional<std::size_t> same)
{
    if (same) {
        const auto found = ended_.begin() + std::ptrdiff_t(*same);
        sets_.push_back(std::move(*found));
        ended_.erase(found);
    } else {
        sets_.emplace_back().members = selected_;
        gather(sets_.back());
    }
    return selected_.size();
}

/// Copies what does not change while the set is open.
void HostNestedSets::gather(Set& set) const
{
    const Particles& p = rows_->particles;
    const auto copy = [&](const auto& from, auto& to) {
        to.resize(from.empty() ? 0 : set.members.size());
        each(to.size(), [&](std::size_t k) {
            to[k] = from[set.members[k]];
            return 0.;
        });
    };
    copy(p.id, set.id);
    copy(p.mass, set.mass);
    copy(p.softening, set.softening);
}

Request HostNestedSets::request(std::size_t which, bool potentials)
{
    Particles& p = rows_->particles;
    if (is_whole(which))
        return request_of(p, potentials ? Quantities::acceleration_potential
                                        : Quantities::acceleration);
    Set& set = sets_[which];
    const std::size_t n = set.members.size();
    set.position.resize(n);
    set.acceleration.resize(n);
    set.potential.resize(potentials ? n : 0);
    each(n, [&](std::size_t k) {
        set.position[k] = p.position[set.members[k]];
        return 0.;
    });
    return {.count = n,
            .position = view_of(std::span(set.position)),
            .mass = view_of(std::span(set.mass)),
            .id = set.id,
            .acceleration = view_of(std::span(set.acceleration)),
            .potential = view_of(std::span(set.potential)),
            .softening = view_of(std::span(set.softening))};
}

void HostNestedSets::hold_others(std::size_t which)
{
    Set& set = sets_[which];
    const Particles& p = rows_->particles;
    const std::size_t n = set.members.size();
    set.held.resize(n);
    set.held_potential.resize(set.potential.size());
    each(n, [&](std::size_t k) {
        const Index i = set.members[k];
        set.held[k] = p.acceleration[i] - external(i) - set.acceleration[k];
        if (!set.potential.empty())
            set.held_potential[k] =
                p.potential[i] -
                (rows_->external_potential.empty() ? 0 : rows_->external_potential[i]) -
                set.potential[k];
        return 0.;
    });
}

void HostNestedSets::add_others(std::size_t which, bool potentials)
{
    const Set& set = sets_[which];
    Particles& p = rows_->particles;
    each(set.members.size(), [&](std::size_t k) {
        const Index i = set.members[k];
        p.acceleration[i] = set.held[k] + set.acceleration[k];
        if (potentials)
            p.potential[i] = set.held_potential[k] + set.potential[k];
        return 0.;
    });
}

bool HostNestedSets::drift_members(std::size_t which, const LevelDrifts& drifts)
{
    Particles& p = rows_->particles;
    const Set& set = sets_[which];
    return 0 == each(size(which), [&](std::size_t k) {
               const std::size_t i = is_whole(which) ? k : set.members[k];
               const std::size_t level = rows_->level[i];
               if (drifts.turn[level])
                   drifts.turn[level]->drift(drifts.factor[level], p.position[i], p.velocity[i]);
               else {
                   const Vec3<double> x =
                       rows_->box.wrapped(p.position[i] + drifts.factor[level] * p.velocity[i]);
                   if (drifts.crossings)
                       drifts.crossings->look(
                           {p.position[i], x, p.velocity[i], p.mass[i], p.id[i], level});
                   p.position[i] = x;
               }
               return fault_of(p.position[i]);
           });
}

bool HostNestedSets::kick_members(std::size_t which, double factor)
{
    Particles& p = rows_->particles;
    const Set& set = sets_[which];
    return 0 == each(size(which), [&](std::size_t k) {
               const std::size_t i = is_whole(which) ? k : set.members[k];
               const Vec3<double> a =
                   is_whole(which) ? p.acceleration[i] : set.acceleration[k] + external(i);
               p.velocity[i] += factor * a;
               return fault_of(a);
           });
}

} // namespace chamomile
