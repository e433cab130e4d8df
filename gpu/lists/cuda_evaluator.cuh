/// \file  The evaluator of lists on a device.
#pragma once

#include <memory>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// Where the evaluator's tree comes from.
enum class TreeFrom {
    builder, ///< a builder on the device
    host     ///< the host: begin() copies it
};

/// Makes the evaluator of a tree on its device. `target_tree` holds separate targets; null: all
/// targets are sources.
std::unique_ptr<Evaluator> make_tree_evaluator(std::shared_ptr<DeviceTree> tree,
                                               std::shared_ptr<DeviceTree> target_tree,
                                               Precision precision, TreeFrom from);

} // namespace chamomile
