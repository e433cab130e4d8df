/// \file  Frames: the part of a sample sent to a page, 8 bytes per point.
#pragma once

#include <string>

#include "chamomile/run/view/sample.hpp"
#include "chamomile/run/view/scene.hpp"

namespace chamomile {

/// Returns a frame of a sample: length of the JSON head (4 bytes, little-endian), the head, padded
/// so that the points begin at a multiple of 8 bytes, and the points inside the cube of the wish. A
/// point has x, y and z as 16 bits each across the cube, the type, and the speed; 255 is three
/// times the sample's root mean square. The head states the mass per point, as a fraction
/// of the total.
std::string frame_of(const ViewSample& sample, const FrameWish& wish);

/// Returns whether the sample has enough points and types for the wish.
bool serves(const ViewSample& sample, const FrameWish& wish);

} // namespace chamomile
