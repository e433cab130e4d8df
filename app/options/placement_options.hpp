/// \file  Options with three numbers, and options that move a snapshot.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/transform.hpp"

namespace chamomile::app {

/// Returns the numbers in a text such as 0,0,30. Throws Error(usage) unless it has three.
Vec3<double> three_numbers(const std::string& option, const std::string& text);

/// Returns three numbers as angles.
std::array<double, 3> three_angles(const std::string& option, const std::string& text);

} // namespace chamomile::app
