/// \file  The constant facts about the particles of a view.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A ViewScene describes the particles of a view and the available commands.
struct ViewScene {
    std::string name;                      ///< source of the particles
    double box = 0;                        ///< side of a periodic box; 0: isolated
    bool comoving = false;                 ///< times are scale factors
    double length_unit = 1, time_unit = 1; ///< displayed units per unit of the particles
    double speed_unit = 1;
    std::string length_name = "N-body units", time_name = length_name, speed_name = length_name;
    std::array<std::uint64_t, 6> counts{}; ///< particles of each type
    std::vector<int> types;                ///< shown at first
    std::vector<double> times;             ///< per file, if files are played
    bool can_checkpoint = false, can_stop = false;

    /// Returns the time in words, such as "t = 1.25 Gyr".
    std::string time_text(double file_time) const;
};

/// Returns the scene of a snapshot or a run.
ViewScene scene_of(const Snapshot& snapshot, const std::string& name);

/// Returns the scene in JSON, for the page.
std::string json_of(const ViewScene& scene);

} // namespace chamomile
