/// \file  What the HDF5 library believes of a file before it has looked into it.
#pragma once

#include <filesystem>

namespace chamomile {

/// Throws Error(input) if the block of driver information that superblocks of version 0 and 1 may
/// name is larger than the file: the library would take up to 4 GiB of memory for it and fill them
/// (HDF5 File Format Specification, II.A and II.B). Says nothing of files that are not HDF5.
void check_driver_block(const std::filesystem::path& path);

} // namespace chamomile
