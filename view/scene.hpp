/// \file  What a view says of the particles that does not change while they move.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A ViewScene describes the particles of a view and what its page may ask for.
struct ViewScene {
    std::string name;                      ///< of the particles' source
    double box = 0;                        ///< side of a periodic box; 0: isolated
    bool comoving = false;                 ///< times are scale factors
    double length_unit = 1, time_unit = 1; ///< of the particles in the units that are shown
    double speed_unit = 1;
    std::string length_name = "N-body units", time_name = length_name, speed_name = length_name;
    std::array<std::uint64_t, 6> counts{}; ///< particles of each type
    std::vector<int> types;                ///< shown at first
    std::vector<double> times;             ///< of the files, where files are played
    bool can_checkpoint = false, can_stop = false;

    /// Returns the time in words, such as "t = 1.25 Gyr".
    std::string time_text(double file_time) const;
};

/// Returns the scene of a snapshot's particles, which may be those of a run.
ViewScene scene_of(const Snapshot& snapshot, const std::string& name);

/// Returns it as the page reads it.
std::string json_of(const ViewScene& scene);

} // namespace chamomile
