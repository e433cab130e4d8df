/// \file  Reading a regular file as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace chamomile {

/// Returns all bytes of a regular file that has no more than `most`. Pipes, on which a reader would
/// wait, devices and folders are refused before anything is read.
/// Throws Error(input): "<file>: <what is wrong>: <needed> is needed".
std::string read_regular_file(const std::filesystem::path& file, std::size_t most,
                              const std::string& needed);

} // namespace chamomile
