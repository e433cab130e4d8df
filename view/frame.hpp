/// \file  Frames: what of a sample is sent to a page, in 8 bytes a point.
#pragma once

#include <string>

#include "chamomile/view/sample.hpp"
#include "chamomile/view/scene.hpp"

namespace chamomile {

/// Returns the frame of a sample: the length of a head in JSON (4 bytes, little-endian), the head,
/// filled up so that points begin at a multiple of 8 bytes, and the points in the cube of the wish:
/// x, y and z as 16 bits across it, the type, and the speed, 255 being three times the sample's
/// root mean square. The head says how much mass each point stands for.
std::string frame_of(const ViewSample& sample, const FrameWish& wish);

/// Returns whether the sample has what the wish asks for.
bool serves(const ViewSample& sample, const FrameWish& wish);

} // namespace chamomile
