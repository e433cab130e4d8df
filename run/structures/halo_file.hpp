/// \file  The halo catalogue of a snapshot.
#pragma once

#include <filesystem>
#include <string>

#include "chamomile/analysis/halos/halo_properties.hpp"
#include "chamomile/analysis/halos/spherical_overdensity.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile {

/// A HaloRequest holds the parameters of the halo finder.
struct HaloRequest {
    double linking_length = 0.2;  ///< in mean distances of particles with the friends' mean mass
    std::optional<double> length; ///< in file units; replaces linking_length
    std::uint64_t min_members = 20;
    std::vector<double> overdensities = {200};
    /// Links particles: auto, cpu, gpu or gpu:n. auto takes a GPU for large sets that fit there.
    std::string device = "auto";
};

/// A DensityThreshold is the mean density that defines a sphere, with its name in Gadget files.
struct DensityThreshold {
    std::string name; ///< such as Mean200
    double density;   ///< in the coordinates and units of the file
};

/// A HaloCatalogue holds halos, the ids of their members and the spheres around them.
struct HaloCatalogue {
    double linking_length = 0; ///< in units of the file
    double seconds = 0;        ///< wall time of friends, properties and spheres
    std::vector<Halo> halos;
    std::vector<std::uint64_t> ids; ///< of all members, halo by halo
    std::vector<DensityThreshold> thresholds;
    std::vector<OverdenseSphere> spheres; ///< index: halo, then threshold
};

/// Returns the halos of the snapshot's particles. Spheres contain `all` particles, a superset of
/// the snapshot's. `all` needs positions, masses and types. With `ranks`, positions, velocities
/// and ids are those on the ranks, and HaloRequest::device auto stands for cpu. Throws Error(usage)
/// for an isolated snapshot without HaloRequest::length, and Error(device), OutOfDeviceMemory if a
/// GPU is asked for.
HaloCatalogue measured_halos(const Snapshot& snapshot, const Particles& all,
                             const HaloRequest& request, const MatterOnRanks* ranks = nullptr);

/// Returns a warning if friends of these types (empty: all) differ in mass, since one linking
/// length does not suit several masses; otherwise an empty text.
std::string friends_note(const Particles& all, const std::vector<int>& types);

/// Writes HDF5 with the names of Gadget-4's group files (docs/howto/structures.md), or a text table
/// if the extension is .txt or .dat. `title` describes the origin. Throws Error(output), or
/// Error(usage) for other extensions.
void write_halos(const Snapshot& snapshot, HaloCatalogue catalogue, const std::string& title,
                 const std::filesystem::path& file);

/// Throws Error(usage) unless write_halos() supports the extension.
void require_halo_format(const std::filesystem::path& file);

} // namespace chamomile
