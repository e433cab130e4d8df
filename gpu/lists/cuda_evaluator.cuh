/// \file  The evaluator of lists on a device.
#pragma once

#include <memory>

#include "chamomile/force/evaluator.hpp"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// TreeFrom says who has put the tree where the evaluator finds it.
enum class TreeFrom {
    builder, ///< one on the device
    host     ///< nobody: begin() copies it
};

/// Makes the evaluator of a tree on its device; `target_tree` holds targets that are no sources,
/// and is null where there will be none.
std::unique_ptr<Evaluator> make_tree_evaluator(std::shared_ptr<DeviceTree> tree,
                                               std::shared_ptr<DeviceTree> target_tree,
                                               Precision precision, TreeFrom from);

} // namespace chamomile
