/// \file  The value of --orbit, such as pericenter=5kpc,eccentricity=1.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/options/range.hpp"
#include "chamomile/integrate/external/orbit.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// A parameter of an orbit. Angles are in degrees and may end with "deg".
struct OrbitParameter {
    std::string name;
    Dimension dimension;
    Range range;
    bool is_angle = false;
};

/// An OrbitText is a list NAME=X,... with pericenter among the names. "centre" is read as "center".
class OrbitText {
public:
    /// Throws Error(usage) that begins with "--orbit" for an unknown or repeated name, a number
    /// with a unit of another dimension, and without pericenter.
    OrbitText(const std::string& text, std::vector<OrbitParameter> parameters);

    bool has(const std::string& name) const { return texts_.contains(name); }
    const std::string& text(const std::string& name) const { return texts_.at(name); }
    /// Returns the number in units of the frame; nothing if not given. Throws Error(usage).
    std::optional<double> number(const std::string& name, const UnitFrame& frame);
    /// Returns a line per converted quantity.
    const std::vector<std::string>& lines() const { return lines_; }

private:
    std::vector<OrbitParameter> parameters_;
    std::map<std::string, std::string> texts_;
    std::vector<std::string> lines_;
};

/// Parses --orbit of a body in an external potential: pericenter, apocenter or eccentricity,
/// inclination, node and phase. Throw Error(usage).
OrbitText orbit_in_field(const std::string& text);
/// Returns a place on this orbit at the snapshot's time.
OrbitPoint start_on_orbit(const ExternalField& field, const Snapshot& snapshot, OrbitText& orbit);

/// The help of this --orbit.
extern const char* const orbit_in_field_help;

} // namespace chamomile::app
