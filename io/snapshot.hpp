/// \file  Particles at one time, with units and provenance: what files hold.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/particles.hpp"
#include "core/softening.hpp"
#include "core/units.hpp"

namespace chamomile {

/// Particles at one time, with their units and how they were made.
struct Snapshot {
    Particles particles;
    double time = 0;
    Units units;
    std::optional<double> gravitational_constant; ///< where the file states it itself
    std::optional<Softening> softening;           ///< where the file states one for all particles
    double box_size = 0;                          ///< 0: isolated
    bool has_accelerations = false, has_potentials = false;
    std::string format; ///< of the file it was read from, such as "GADGET-2 binary, format 1, ..."
    std::map<std::string, std::string> provenance; ///< key and value: version, command, theta, ...

    /// The file's own G, or the one of its units.
    double G() const { return gravitational_constant.value_or(units.gravitational_constant()); }
};

} // namespace chamomile
