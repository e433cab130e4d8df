/// \file  Reading attributes and data sets of HDF5, with type, rank and length checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "chamomile/io/hdf5/handle.hpp"

namespace chamomile {

/// An Hdf5Group is a group of an HDF5 file. A scalar and an array of length 1 are equivalent, and
/// numbers may have any width. Throws Error with Fault::input, naming file, group and field.
class Hdf5Group {
public:
    /// Opens the group `name`. If it is missing, only exists() and has_...() may be called.
    Hdf5Group(const Hdf5Handle& file, const std::filesystem::path& path, const std::string& name);

    bool exists() const { return bool(group_); }
    bool has_attribute(const char* name) const;
    bool has_data(const char* name) const;

    /// Returns all numbers of an attribute. A missing attribute is an error.
    std::vector<double> read_scalars(const char* name) const;
    std::vector<std::int64_t> integers(const char* name) const; ///< fractions are an error

    /// Returns the number of an attribute, or `otherwise` if it is missing. Several different
    /// numbers are an error.
    double real(const char* name, double otherwise) const;

    /// Returns all string attributes.
    std::map<std::string, std::string> strings() const;

    /// Checks that the data set has `rows` rows of `columns` numbers, stored in this file.
    void check_data(const char* name, std::int64_t rows, int columns, H5T_class_t type) const;

    /// Reads a data set of real numbers that passed check_data() into all of `values`.
    void read_data(const char* name, std::span<double> values) const;

    /// Opens a data set of real numbers for read_rows(). The handle caches the last unpacked chunk.
    Hdf5Handle open_rows(const char* name) const;

    /// Reads rows of `columns` numbers from an open data set, starting at row `begin`.
    void read_rows(const Hdf5Handle& data, const char* name, std::size_t begin, hsize_t columns,
                   std::span<double> numbers) const;

    /// Reads non-negative integers of any type into all of `ids`.
    void read_ids(const char* name, std::span<std::uint64_t> ids) const;

private:
    Hdf5Handle attribute(const char* name) const;
    const char* present(const char* name) const; ///< the name used in the file; null: none
    Hdf5Handle data(const char* name, hid_t access = H5P_DEFAULT) const;
    std::string field(const std::string& name) const { return name_ + "/" + name; }

    Hdf5Handle group_;
    std::filesystem::path path_;
    std::string name_;
};

} // namespace chamomile
