/// \file  One part of the groups, for one rank.
#pragma once

#include "chamomile/tree/groups.hpp"

namespace chamomile {

/// Keeps part `part` of `parts`: consecutive groups with about equally many targets per part. Its
/// targets are numbered from 0. Clusters may be cut, so lists must be all particles.
void keep_part(TargetGroups& groups, int part, int parts);

} // namespace chamomile
