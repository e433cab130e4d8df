/// \file  A snapshot's halos as a catalogue.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/cosmology/halo_properties.hpp"
#include "chamomile/cosmology/spherical_overdensity.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

struct HaloRequest {
    double linking_length = 0.2;  ///< in mean distances of the particles
    std::optional<double> length; ///< in units of the file, instead
    std::uint64_t min_members = 20;
    std::vector<double> overdensities = {200};
};

/// The mean density of a sphere, and what Gadget's files call such spheres.
struct DensityThreshold {
    std::string name; ///< such as Mean200
    double density;   ///< of the coordinates, in units of the file
};

struct HaloCatalogue {
    double linking_length = 0; ///< in units of the file
    ParticleGroups groups;
    std::vector<Halo> halos;
    std::vector<DensityThreshold> thresholds;
    std::vector<OverdenseSphere> spheres; ///< halo by halo, threshold by threshold
};

/// Halos of the snapshot's particles, in spheres of `all` particles, of which those may be a part.
/// Throws Error(usage) for an isolated snapshot without HaloRequest::length.
HaloCatalogue measured_halos(const Snapshot& snapshot, const Particles& all,
                             const HaloRequest& request);

/// HDF5 with the names of Gadget-4's files of groups (docs/structures.md), or a table of text if
/// the extension is .txt or .dat. `title` tells how it was made. Throws Error(output), for another
/// extension Error(usage).
void write_halos(const Snapshot& snapshot, const HaloCatalogue& catalogue, const std::string& title,
                 const std::filesystem::path& file);

/// Throws Error(usage) unless the extension is one that write_halos() knows.
void require_halo_format(const std::filesystem::path& file);

} // namespace chamomile
