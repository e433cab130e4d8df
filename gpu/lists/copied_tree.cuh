/// \file  A tree that the host builds, and its copy on a device.
#pragma once

#include <memory>

#include "chamomile/gpu/tree/other_cards.cuh"

namespace chamomile {

/// Makes a builder that builds trees on the host and copies to the device what evaluators read of
/// them; the copies of other cards, if there are any, are made anew. Arrays must lie on the host.
std::unique_ptr<TreeBuilder> make_copied_tree_builder(std::shared_ptr<DeviceTree> tree,
                                                      std::shared_ptr<OtherCards> others);

} // namespace chamomile
