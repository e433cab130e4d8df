/// \file  A potential given as a text of a few lines. Acceleration and jerk are its derivatives.
/// docs/howto/external_potentials.md describes the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/core/vec3.hpp"
#include "chamomile/force/pairs/text/law_text.hpp"

namespace chamomile {

/// A position and time, with the velocity of the position relative to the potential.
struct PlaceInTime {
    Vec3<double> position, velocity;
    double time = 0;
};

/// A TextPotential is a sum phi of the coordinates x, y, z and the time t.
class TextPotential {
public:
    /// Parses the text. Throws Error(input) `NAME: line L, column C: what is wrong`.
    TextPotential(std::string_view text, const std::string& name);

    /// Returns the parameters that the text declares, with their defaults.
    const std::vector<LawParameter>& parameters() const { return law_.parameters; }
    void set(std::size_t k, double value) { law_.parameters[k].value = value; }

    /// True if the text depends on time.
    bool changes() const { return changes_; }

    struct Result {
        double potential;
        Vec3<double> acceleration, jerk;
    };
    /// Returns minus the gradient, and its rate along the path; NaN if the potential is not finite.
    Result at(const PlaceInTime& place) const;

private:
    LawText law_;
    bool changes_ = false;
};

} // namespace chamomile
