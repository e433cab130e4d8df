/// \file  A tree built on the host, and its copy on a device.
#pragma once

#include <memory>

#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// Makes a builder that builds trees on the host and copies the evaluator's input to the device.
/// Arrays must be on the host.
std::unique_ptr<TreeBuilder> make_copied_tree_builder(std::shared_ptr<DeviceTree> tree);

} // namespace chamomile
