/// \file  Reading attributes and data sets of HDF5 with every type, rank and length checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "chamomile/io/hdf5/handle.hpp"

namespace chamomile {

/// An Hdf5Group is a group of an HDF5 file. Scalars and arrays of length 1 are read alike, and so
/// are numbers of all widths. Throws Error with Fault::input, naming file, group and field.
class Hdf5Group {
public:
    /// Opens the group of that name; unless it exists, only exists() may be called.
    Hdf5Group(const Hdf5Handle& file, const std::filesystem::path& path, const std::string& name);

    bool exists() const { return bool(group_); }
    bool has_attribute(const char* name) const;
    bool has_data(const char* name) const;

    /// Returns all numbers of an attribute. An attribute that is missing is an error.
    std::vector<double> reals(const char* name) const;
    std::vector<std::int64_t> integers(const char* name) const; ///< fractions are an error

    /// Returns the number of an attribute, or `otherwise` if there is no such attribute. Several
    /// numbers that differ are an error.
    double real(const char* name, double otherwise) const;

    /// Returns all attributes that are strings.
    std::map<std::string, std::string> strings() const;

    /// Checks that the data set has `rows` rows of `columns` numbers, and that this file really
    /// holds them.
    void check_data(const char* name, std::int64_t rows, int columns, H5T_class_t type) const;

    /// Reads all of a data set that passed check_data() into memory of that native type.
    void read_data(const char* name, hid_t memory_type, void* values) const;

    /// Opens such a data set of real numbers for read_rows(), which remembers what it has unpacked.
    Hdf5Handle open_rows(const char* name) const;

    /// Reads rows of an open data set, from `begin` on, of so many columns.
    void read_rows(const Hdf5Handle& data, const char* name, std::size_t begin, hsize_t columns,
                   std::span<double> numbers) const;

    /// Reads whole numbers of any type that must not be negative, as many as the data set has.
    void read_ids(const char* name, std::span<std::uint64_t> ids) const;

private:
    Hdf5Handle attribute(const char* name) const;
    const char* present(const char* name) const; ///< the name that the file uses; null: none
    Hdf5Handle data(const char* name, hid_t access = H5P_DEFAULT) const;
    std::string field(const std::string& name) const { return name_ + "/" + name; }

    Hdf5Handle group_;
    std::filesystem::path path_;
    std::string name_;
};

} // namespace chamomile
