/// \file  Published potentials as sums of formulas: a row in named_potentials.cpp each.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "chamomile/integrate/external/term.hpp"

namespace chamomile {

/// A formula with its parameters: G M in kpc (km/s)^2, lengths in kpc, and pure numbers.
struct NamedPart {
    PotentialShape shape;
    double GM;
    std::vector<std::pair<std::string, double>> lengths, numbers;
};

struct NamedPotential {
    std::string name, help;
    std::vector<NamedPart> parts;
};

const std::vector<NamedPotential>& named_potentials();

/// Returns the potential of this name, which must exist.
const NamedPotential& named_potential(const std::string& name);

} // namespace chamomile
