/// \file  A part of the groups, for one of several ranks.
#pragma once

#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Keeps the groups of one of so many parts, which are runs of groups with about as many targets
/// each; the targets of the part are numbered from 0. Clusters may be cut, as lists of all
/// particles bear.
void keep_part(TargetGroups& groups, int part, int parts);

} // namespace chamomile
