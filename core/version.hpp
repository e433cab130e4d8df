/// \file  The version of the library.
#pragma once

namespace chamomile {

/// The version, such as "0.1.0 (85ee306-dirty)". A build in a git checkout names its commit.
extern const char* const version;

} // namespace chamomile
