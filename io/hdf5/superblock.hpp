/// \file  What the HDF5 library believes of a file before it has looked into it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chamomile/io/input_file.hpp"

namespace chamomile {

/// Where the superblock's signature is: at the start, or after a user block of 512 bytes, 1024,
/// 2048, ...; -1 in a file that is not HDF5.
std::int64_t find_superblock(const InputFile& file);

/// Throws Error(input) if the block of driver information that superblocks of version 0 and 1 may
/// name is larger than the file: the library would take up to 4 GiB of memory for it and fill them
/// (HDF5 File Format Specification, II.A and II.B). Says nothing of files that are not HDF5.
void check_driver_block(const std::filesystem::path& path);

} // namespace chamomile
