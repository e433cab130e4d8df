/// \file  Writing groups, attributes and data sets of HDF5 with every call checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/core/vec3.hpp"
#include "chamomile/io/hdf5/handle.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// Returns the HDF5 type of a C++ number in memory, which is also used in the file.
inline hid_t hdf5_type(double)
{
    return H5T_NATIVE_DOUBLE;
}
inline hid_t hdf5_type(std::int32_t)
{
    return H5T_NATIVE_INT32;
}
inline hid_t hdf5_type(std::uint32_t)
{
    return H5T_NATIVE_UINT32;
}
inline hid_t hdf5_type(std::uint64_t)
{
    return H5T_NATIVE_UINT64;
}

/// An Hdf5Output is an HDF5 file written under the temporary name of a pending one. Equal content
/// gives equal bytes: no times are stored. Throws Error with Fault::output.
class Hdf5Output {
public:
    explicit Hdf5Output(PendingFile& file);

    Hdf5Handle group(const std::string& name);

    /// Writes a scalar, an array or a string as attribute of a group or data set.
    template <class T>
    void attribute(const Hdf5Handle& owner, const std::string& name, const T& value)
    {
        write_attribute(owner, name, hdf5_type(value), 0, &value);
    }
    template <class T, std::size_t n>
    void attribute(const Hdf5Handle& owner, const std::string& name, const std::array<T, n>& values)
    {
        write_attribute(owner, name, hdf5_type(T{}), n, values.data());
    }
    void attribute(const Hdf5Handle& owner, const std::string& name, const std::string& text);

    /// Writes a data set of one number or one row per particle, with a check sum per chunk.
    template <class T>
    Hdf5Handle data(const Hdf5Handle& group, const char* name, const std::vector<T>& values)
    {
        return write_data(group, name, hdf5_type(T{}), {values.size(), 0}, values.data());
    }
    template <class T, std::size_t n>
    Hdf5Handle data(const Hdf5Handle& group, const char* name,
                    const std::vector<std::array<T, n>>& rows)
    {
        return write_data(group, name, hdf5_type(T{}), {rows.size(), n}, rows.data());
    }
    Hdf5Handle data(const Hdf5Handle& group, const char* name,
                    const std::vector<Vec3<double>>& values)
    {
        return write_data(group, name, H5T_NATIVE_DOUBLE, {values.size(), 3}, values.data());
    }

    void close();

private:
    /// Writes an attribute of `count` values; a count of 0 makes it a scalar.
    void write_attribute(const Hdf5Handle& owner, const std::string& name, hid_t type,
                         std::size_t count, const void* values);
    Hdf5Handle write_data(const Hdf5Handle& group, const char* name, hid_t type,
                          std::array<hsize_t, 2> extent, const void* values);
    void require(bool done, const std::string& field) const;

    PendingFile& pending_;
    Hdf5Handle file_;
};

} // namespace chamomile
