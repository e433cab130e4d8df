/// \file  The halo catalogue of a snapshot.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/cosmology/halos/halo_properties.hpp"
#include "chamomile/cosmology/halos/spherical_overdensity.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A HaloRequest states how halos are found.
struct HaloRequest {
    double linking_length = 0.2;  ///< in mean distances of particles of the friends' mean mass
    std::optional<double> length; ///< in units of the file; replaces it
    std::uint64_t min_members = 20;
    std::vector<double> overdensities = {200};
};

/// A DensityThreshold is the mean density of a sphere, with the name of such spheres in Gadget's
/// files.
struct DensityThreshold {
    std::string name; ///< such as Mean200
    double density;   ///< of the coordinates, in units of the file
};

/// A HaloCatalogue holds halos and the spheres about them.
struct HaloCatalogue {
    double linking_length = 0; ///< in units of the file
    ParticleGroups groups;
    std::vector<Halo> halos;
    std::vector<DensityThreshold> thresholds;
    std::vector<OverdenseSphere> spheres; ///< halo by halo, threshold by threshold
};

/// Returns the halos of the snapshot's particles, with spheres of `all` particles, of which the
/// former may be a part. `all` needs positions, masses and types. Throws Error(usage) for an
/// isolated snapshot without HaloRequest::length.
HaloCatalogue measured_halos(const Snapshot& snapshot, const Particles& all,
                             const HaloRequest& request);

/// Returns a line if friends of these types (empty: all) have several masses, which one linking
/// length does not suit, or an empty text.
std::string friends_note(const Particles& all, const std::vector<int>& types);

/// Writes HDF5 with the names of Gadget-4's group files (docs/howto/structures.md), or a table of
/// text if the extension is .txt or .dat. `title` states how it was made. Throws Error(output), and
/// Error(usage) for another extension.
void write_halos(const Snapshot& snapshot, const HaloCatalogue& catalogue, const std::string& title,
                 const std::filesystem::path& file);

/// Throws Error(usage) unless write_halos() knows the extension.
void require_halo_format(const std::filesystem::path& file);

} // namespace chamomile
