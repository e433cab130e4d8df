/// \file  Checks of an HDF5 file before the library opens it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chamomile/io/input_file.hpp"

namespace chamomile {

/// Returns the offset of the superblock's signature: 0, or the end of a user block of 512 bytes,
/// 1024, 2048, ...; it is -1 in a file that is not HDF5.
std::int64_t find_superblock(const InputFile& file);

/// Throws Error(input) if the block of driver information that superblocks of version 0 and 1 may
/// name is larger than the file: the library would allocate and fill up to 4 GiB for it (HDF5 File
/// Format Specification, II.A and II.B). Files that are not HDF5 pass.
void check_driver_block(const std::filesystem::path& path);

} // namespace chamomile
