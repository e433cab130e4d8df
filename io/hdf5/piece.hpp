/// \file  The header of one HDF5 file of a snapshot, read and checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/io/hdf5/group.hpp"
#include "chamomile/io/hdf5/handle.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/unchanged_file.hpp"

namespace chamomile {

/// An Hdf5Piece is an open HDF5 file of a snapshot, with its parsed header.
struct Hdf5Piece {
    std::filesystem::path path;
    UnchangedFile as_opened;
    Hdf5Handle file;
    TypeCounts counts{};  ///< particles to read
    TypeCounts tracers{}; ///< TNG's tracer particles without coordinates, not read
    TypeTotals totals{};
    std::int64_t files = 1;
    std::int64_t linked = 0;        ///< number of pieces if this is a master file, else 0
    std::vector<double> mass_table; ///< 6 entries; 0: the type has a data set of masses
    double time = 0;

    /// Opens the file and reads its header. Throws Error with Fault::input for an invalid header.
    explicit Hdf5Piece(const std::filesystem::path& path);

    /// Checks every data set to be read against the header.
    void check_data() const;

    Hdf5Group group(const std::string& name) const { return {file, path, name}; }
    Hdf5Group type_group(std::size_t type) const
    {
        return group("PartType" + std::to_string(type));
    }

    /// Returns whether every type with particles in this piece has the data set.
    bool all_have(const char* data) const;
};

} // namespace chamomile
