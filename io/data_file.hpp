/// \file  HDF5 files of measurements: groups of attributes and columns.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A DataGroup is a group of an HDF5 file with its attributes and columns.
struct DataGroup {
    using Attribute = std::variant<double, std::string, std::int32_t, std::uint64_t>;
    using Column =
        std::variant<std::vector<double>, std::vector<std::uint64_t>, std::vector<std::uint32_t>,
                     std::vector<Vec3<double>>, std::vector<std::array<double, 6>>,
                     std::vector<std::array<std::uint32_t, 6>>>;

    std::string name;
    std::vector<std::pair<std::string, Attribute>> attributes;
    std::vector<std::pair<std::string, Column>> columns;
};

/// Writes the groups to a file that appears only when complete. Equal content gives equal bytes.
/// Throws Error(output).
void write_data_file(const std::filesystem::path& file, const std::vector<DataGroup>& groups);

} // namespace chamomile
