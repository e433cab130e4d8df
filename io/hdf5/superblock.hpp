/// \file  Checks of an HDF5 file before the library opens it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chamomile/io/input_file.hpp"

namespace chamomile {

/// Returns the offset of the superblock signature: 0, or 512, 1024, 2048, ... after a user block.
/// Returns -1 if the file is not HDF5.
std::int64_t find_superblock(const InputFile& file);

/// Throws Error(input) if the driver information block of a superblock of version 0 or 1 exceeds
/// the file. The library would allocate up to 4 GiB for it (HDF5 File Format Specification, II.A
/// and II.B). Passes files that are not HDF5.
void check_driver_block(const std::filesystem::path& path);

} // namespace chamomile
