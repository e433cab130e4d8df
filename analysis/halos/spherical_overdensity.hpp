/// \file  Spheres of given mean density around halos.
#pragma once

#include <span>
#include <vector>

#include "chamomile/analysis/halos/halo_matter.hpp"
#include "chamomile/analysis/halos/rank_slabs.hpp"
#include "chamomile/core/periodic.hpp"

namespace chamomile {

/// An OverdenseSphere is a sphere with the requested mean density. Mass and radius are 0 if none
/// exists.
struct OverdenseSphere {
    double mass = 0, radius = 0;
};

/// A SlabMatter lists the indices of all particles in this rank's slab.
struct SlabMatter {
    const RankSlabs& slabs;
    Communicator& ranks;
    std::span<const Index> particles;
};

/// Returns one sphere per center and density (mass per coordinate volume), over all particles:
/// result[center * densities.size() + density]. The search starts at the radius of the estimated
/// mass. It moves outwards if the mean density is above the requested one, otherwise inwards, to
/// the first R with M(<R) = 4 pi / 3 density R^3 (Lacey & Cole 1994). The max radius is half the
/// side of a periodic cube. With a slab the centers are this rank's, in any slab, the particles are
/// those of all ranks, and the call is collective. The result is independent of the number of
/// threads and ranks.
std::vector<OverdenseSphere>
overdense_spheres(const HaloMatter& particles, const Periodicity& periodicity,
                  std::span<const Vec3<double>> centers, std::span<const double> estimated_masses,
                  std::span<const double> densities, const SlabMatter* slab = nullptr);

} // namespace chamomile
