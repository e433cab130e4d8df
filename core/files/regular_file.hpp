/// \file  Reads a whole regular file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace chamomile {

/// Returns all bytes of a regular file with at most `max` bytes. Refuses pipes, where a reader
/// would wait, devices and folders before reading. Throws Error(input): "<file>: <what is wrong>:
/// <needed> is needed".
std::string read_regular_file(const std::filesystem::path& file, std::size_t max,
                              const std::string& needed);

} // namespace chamomile
