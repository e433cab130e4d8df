#include "chamomile/analysis/halos/rank_halos.hpp"

#include <algorithm>
#include <numeric>

#include "chamomile/analysis/halos/rank_friends.hpp"

namespace chamomile {
namespace {

/// Gathers values on rank 0.
template <class T>
std::vector<T> gathered(const std::vector<T>& values, Communicator& ranks)
{
    Inbox inbox;
    ranks.gather(std::span<const T>(values), inbox);
    const std::span<const T> all = inbox.all<T>();
    return {all.begin(), all.end()};
}

/// Gathers halos on rank 0, by decreasing member count, then by first member.
RankHalos gathered(const RankHalos& own, std::size_t spheres, Communicator& ranks)
{
    const std::vector<Halo> halos = gathered(own.halos, ranks);
    const std::vector<OverdenseSphere> all_spheres = gathered(own.spheres, ranks);
    const std::vector<GlobalIndex> members = gathered(own.members, ranks);
    std::vector<std::size_t> first{0};
    for (const Halo& halo : halos)
        first.push_back(first.back() + halo.members);
    std::vector<std::size_t> order(halos.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return halos[a].members != halos[b].members ? halos[a].members > halos[b].members
                                                    : members[first[a]] < members[first[b]];
    });
    RankHalos all;
    all.members.reserve(members.size());
    for (const std::size_t h : order) {
        all.halos.push_back(halos[h]);
        all.spheres.insert(all.spheres.end(), all_spheres.begin() + std::ptrdiff_t(h * spheres),
                           all_spheres.begin() + std::ptrdiff_t((h + 1) * spheres));
        all.members.insert(all.members.end(), members.begin() + std::ptrdiff_t(first[h]),
                           members.begin() + std::ptrdiff_t(first[h + 1]));
    }
    return all;
}

} // namespace

RankHalos halos_of_ranks(const RankMatter& matter, const RankHaloRequest& request,
                         std::span<const double> densities, Communicator& ranks)
{
    RankFriends friends(matter, request, ranks);
    const ParticleGroups groups = friends.find();
    RankHalos own;
    own.halos =
        halo_properties(friends.particles(), groups, request.rule.periodicity, request.softening);
    std::vector<Vec3<double>> centers;
    std::vector<double> masses;
    for (const Halo& halo : own.halos) {
        centers.push_back(halo.center);
        masses.push_back(halo.mass);
    }
    const SlabMatter slab = friends.slab();
    own.spheres = overdense_spheres(friends.particles(), request.rule.periodicity, centers, masses,
                                    densities, &slab);
    for (const Index member : groups.members)
        own.members.push_back(friends.number_of(member));
    return gathered(own, densities.size(), ranks);
}

} // namespace chamomile
