/// \file  An external potential with its parameters, as requested.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/integrate/external/term.hpp"
#include "chamomile/integrate/external/text_potential.hpp"

namespace chamomile {

/// A CenterPath is the motion of a center, from a table of positions and velocities.
struct CenterPath {
    struct Row {
        double time;
        Vec3<double> position, velocity;
    };
    std::string name; ///< of its file
    std::vector<Row> rows;

    /// Reads lines t x y z vx vy vz of ascending times. Throws Error(input) `NAME: line L: ...`.
    static CenterPath read(const std::string& text, const std::string& name);

    /// Returns position and velocity by the cubic polynomial between two rows. Throws Error(usage)
    /// for a time outside the table.
    Row at(double time) const;
};

/// A caller's function. It adds to the accelerations and potentials at the positions.
struct PotentialFunction {
    std::string name;
    std::function<void(double time, std::span<const Vec3<double>> position,
                       std::span<Vec3<double>> acceleration, std::span<double> potential)>
        add;
};

/// The numbers of a potential, without its center's path.
struct PotentialNumbers {
    PotentialShape shape = PotentialShape::point;
    double strength = 0, a = 0, b = 0, c = 0, d = 0; ///< as in ExternalTerm, at full mass
    double GM = 0;                                   ///< a typical mass, times G; 0: none
    double rate = 0;                                 ///< of a rotation
    Vec3<double> center, velocity;                   ///< at t = 0, unless there is a path
    std::optional<double> from, to;                  ///< times between which the mass grows
};

/// One term of an ExternalField.
struct Potential : PotentialNumbers {
    std::shared_ptr<const TextPotential> text;
    std::shared_ptr<const PotentialFunction> function;
    std::shared_ptr<const CenterPath> path;

    std::string asked, description; ///< as typed, and with all numbers in use
    std::string in_units;           ///< the description with the units of its numbers

    /// Returns in_units and, if it differs from the description, the text as typed.
    std::string text_in_log() const;

    bool moves() const { return path || !(velocity == Vec3<double>{}); }

    /// Returns the present fraction of the mass, and its rate of change: the polynomial of Dehnen
    /// (2000, eq. 4), with two vanishing derivatives at both ends.
    struct Growth {
        double part = 1, rate = 0;
    };
    Growth growth(double time) const;
    /// Returns the center's position and velocity.
    CenterPath::Row center_at(double time) const;
};

/// Pack and unpack formulas for another process of this version.
std::vector<std::byte> packed(std::span<const Potential> potentials);
std::vector<Potential> unpacked_potentials(std::span<const std::byte> bytes);

/// Contents of the files that potentials name. A file in the map is not read again.
using PotentialFiles = std::map<std::string, std::string>;

/// Reads a text such as nfw,M=1e12Msun,c=12, with quantities in units of the frame: one potential,
/// or the components of a NamedPotential. Throws Error(usage) that begins with `option`, and
/// Error(input) for a file.
std::vector<Potential> read_potentials(const std::string& option, const std::string& text,
                                       const UnitFrame& frame, double gravitational_constant,
                                       PotentialFiles& files);

/// Throws Error(usage) for any error in the text, except in quantities, which need a frame.
void check_potential(const std::string& option, const std::string& text);

} // namespace chamomile
