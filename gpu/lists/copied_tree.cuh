/// \file  A tree that the host builds, and its copy on a device.
#pragma once

#include <memory>

#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// Makes a builder that builds trees on the host and copies to the device what evaluators read of
/// them. Arrays must lie on the host.
std::unique_ptr<TreeBuilder> make_copied_tree_builder(std::shared_ptr<DeviceTree> tree);

} // namespace chamomile
