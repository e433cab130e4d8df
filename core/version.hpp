/// \file  What calls itself by which version.
#pragma once

namespace chamomile {

/// Such as "0.1.0 (85ee306-dirty)": of a build in a git checkout with the commit that was built.
extern const char* const version;

} // namespace chamomile
