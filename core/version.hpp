/// \file  The version of the library.
#pragma once

namespace chamomile {

/// The version, such as "0.2.0 (85ee306-dirty)". A build in a git checkout names its commit.
extern const char* const version;

/// The release date, such as "2026-11-25".
extern const char* const release_date;

/// License for binaries that link this build of the library, and why.
extern const char* const licence;

} // namespace chamomile
