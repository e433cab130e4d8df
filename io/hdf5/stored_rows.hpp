/// \file  Rows of an uncompressed data set, read by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "chamomile/io/hdf5/handle.hpp"

namespace chamomile {

/// Reads rows of `columns` uncompressed numbers: IEEE reals or unsigned integers, contiguous or in
/// chunks of whole rows, with or without check sums. HDF5 itself converts and checks in one thread.
/// Returns false and leaves `numbers` undefined if the data set is stored in another way, or if a
/// read or a check sum fails: then HDF5 reads the rows or names the fault. The caller holds one
/// Hdf5Quiet.
bool read_stored_rows(const std::filesystem::path& file, const Hdf5Handle& data, std::size_t begin,
                      std::size_t columns, std::span<double> numbers);
bool read_stored_rows(const std::filesystem::path& file, const Hdf5Handle& data, std::size_t begin,
                      std::size_t columns, std::span<std::uint64_t> numbers);

} // namespace chamomile
