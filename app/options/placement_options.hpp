/// \file  Three numbers of one option, and the options that move a snapshot.
#pragma once

#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/arrangement.hpp"

namespace chamomile::app {

/// Returns the numbers of a text such as 0,0,30. Throws Error(usage) unless there are three.
Vec3<double> three_numbers(const std::string& option, const std::string& text);

/// Returns them as angles.
std::array<double, 3> three_angles(const std::string& option, const std::string& text);

} // namespace chamomile::app
