/// \file  Names of the GADGET-4 layout of HDF5 snapshots, for reader and writer.
#pragma once

#include <string_view>

namespace chamomile::hdf5_layout {

inline constexpr const char* header = "Header";
inline constexpr const char* parameters = "Parameters";
inline constexpr const char* units = "Units";
inline constexpr const char* own = "Chamomile"; ///< data only for Chamomile

inline constexpr const char* positions = "Coordinates";
inline constexpr const char* velocities = "Velocities";
inline constexpr const char* masses = "Masses";
inline constexpr const char* ids = "ParticleIDs";
inline constexpr const char* potentials = "Potential";
inline constexpr const char* accelerations = "Acceleration";
inline constexpr const char* softenings = "SofteningLength"; ///< Plummer-equivalent

// Attributes of the group `own`. Any further string is provenance.
inline constexpr const char* unit_system = "unit_system"; ///< in words
inline constexpr const char* nbody_units = "N-body";
inline constexpr const char* physical_units = "physical";
inline constexpr const char* physical_units_per_h = "physical per h";
inline constexpr const char* gravitational_constant = "G";
inline constexpr const char* softening_kind = "softening_kind";
inline constexpr const char* softening_length = "softening_length";
inline constexpr const char* softening_rule = "softening_rule"; ///< for pairs
inline constexpr const char* extra_columns = "columns";         ///< comma-separated data sets
inline constexpr const char* pieces = "pieces"; ///< of a master file: the number of its pieces
inline constexpr const char* larger = "larger";
inline constexpr const char* root_of_squares = "root-of-squares";
// Numbers in comoving files.
inline constexpr const char* omega_radiation = "omega_radiation";
inline constexpr const char* w0 = "w0";
inline constexpr const char* wa = "wa";
inline constexpr const char* physical_softening = "physical_softening";

/// Returns whether an extra column may have this name: 1 to 64 letters, digits, _ and -, and
/// different from all other data sets.
constexpr bool is_extra_name(std::string_view name)
{
    for (const std::string_view taken :
         {positions, velocities, masses, ids, potentials, accelerations, softenings})
        if (name == taken)
            return false;
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return !name.empty() && name.size() <= 64 && name.find_first_not_of(allowed) == name.npos;
}

/// Returns whether a string of the group `own` is provenance.
constexpr bool is_provenance(std::string_view name)
{
    return name != unit_system && name != gravitational_constant && name != softening_kind &&
           name != softening_length && name != softening_rule && name != extra_columns;
}

} // namespace chamomile::hdf5_layout
