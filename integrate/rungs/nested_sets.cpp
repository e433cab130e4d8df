#include "chamomile/integrate/rungs/nested_sets.hpp"

#include <algorithm>
#include <cassert>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"

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

void NestedSets::begin(const Rows& rows)
{
    rows_.emplace(rows);
    sets_.clear();
    sets_.emplace_back();
}

std::size_t NestedSets::first_due(int level) const
{
    std::size_t set = 0;
    while (set + 1 < sets_.size() && sets_[set].level < level)
        ++set;
    return set;
}

std::size_t NestedSets::size(std::size_t set) const
{
    return is_whole(set) ? rows_->particles.size() : sets_[set].members.size();
}

void NestedSets::open(std::size_t first, std::span<const int> levels)
{
    assert(first < sets_.size() && !levels.empty());
    std::vector<Set> ended(std::make_move_iterator(sets_.begin() + std::ptrdiff_t(first) + 1),
                           std::make_move_iterator(sets_.end()));
    sets_.resize(first + 1);
    sets_[first].level = levels.front();
    std::vector<Index> places;
    for (const int level : levels.subspan(1)) {
        const std::size_t outer = sets_.size() - 1;
        const auto member = [&](std::size_t k) {
            return is_whole(outer) ? Index(k) : sets_[outer].members[k];
        };
        list_where(
            size(outer), [&](std::size_t k) { return rows_->level[member(k)] >= level; }, places);
        for (Index& place : places)
            place = member(place);
        const auto same = std::ranges::find(ended, places, &Set::members);
        Set next;
        if (same != ended.end()) {
            next = std::move(*same);
            ended.erase(same);
        } else {
            next.members = places;
            next.is_known = false;
            gather(next);
        }
        next.level = level;
        sets_.push_back(std::move(next));
    }
}

/// Copies what does not change while the set is open.
void NestedSets::gather(Set& set) const
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

Request NestedSets::request(std::size_t which, bool potentials)
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

void NestedSets::hold(std::size_t which)
{
    Set& set = sets_[which];
    const Particles& p = rows_->particles;
    const std::size_t n = set.members.size();
    set.is_known = true;
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

void NestedSets::add_held(std::size_t which, bool potentials)
{
    if (is_whole(which))
        return; // evaluated in place, with nothing held
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

bool NestedSets::drift(std::size_t which, const LevelDrifts& drifts)
{
    Particles& p = rows_->particles;
    const Set& set = sets_[which];
    return 0 == each(size(which), [&](std::size_t k) {
               const std::size_t i = is_whole(which) ? k : set.members[k];
               const std::size_t level = rows_->level[i];
               if (drifts.turn[level])
                   drifts.turn[level]->drift(drifts.factor[level], p.position[i], p.velocity[i]);
               else
                   p.position[i] =
                       rows_->box.wrapped(p.position[i] + drifts.factor[level] * p.velocity[i]);
               return fault_of(p.position[i]);
           });
}

bool NestedSets::kick(std::size_t first, const LevelFactors& factors)
{
    Particles& p = rows_->particles;
    double fault = 0;
    for (std::size_t which = first; which < sets_.size(); ++which) {
        const Set& set = sets_[which];
        double factor = factors[std::size_t(set.level)];
        if (which > first)
            factor -= factors[std::size_t(sets_[which - 1].level)];
        fault += each(size(which), [&](std::size_t k) {
            const std::size_t i = is_whole(which) ? k : set.members[k];
            const Vec3<double> a =
                is_whole(which) ? p.acceleration[i] : set.acceleration[k] + external(i);
            p.velocity[i] += factor * a;
            return fault_of(a);
        });
    }
    return fault == 0;
}

} // namespace chamomile
