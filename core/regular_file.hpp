/// \file  The bytes of a file that is one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace chamomile {

/// All bytes of a regular file of at most so many. A pipe, at which a reader would wait, a device
/// and a folder are refused before anything is read. Throws Error(input): "<file>: <what is wrong>:
/// <needed> is needed".
std::string read_regular_file(const std::filesystem::path& file, std::size_t most,
                              const std::string& needed);

} // namespace chamomile
