/// \file  Writing groups, attributes and data sets of HDF5, with every call checked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "chamomile/core/vec3.hpp"
#include "chamomile/io/hdf5/handle.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// Returns the HDF5 type of a number, used in memory and in the file.
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

/// An Hdf5Row is a row of a data set: `columns` numbers, or one scalar if `columns` is 0.
struct Hdf5Row {
    hid_t number;
    hsize_t columns;
    std::size_t bytes;
};
template <class T>
Hdf5Row row_type(T number)
{
    return {hdf5_type(number), 0, sizeof(T)};
}
template <class T, std::size_t n>
Hdf5Row row_type(const std::array<T, n>&)
{
    return {hdf5_type(T{}), n, n * sizeof(T)};
}
inline Hdf5Row row_type(const Vec3<double>&)
{
    return {H5T_NATIVE_DOUBLE, 3, sizeof(Vec3<double>)};
}

/// An Hdf5Output writes an HDF5 file under the temporary name of a PendingFile. Equal content gives
/// equal bytes: no times are stored. Throws Error with Fault::output.
class Hdf5Output {
public:
    explicit Hdf5Output(PendingFile& file);

    Hdf5Handle group(const std::string& name);

    /// Writes a scalar, an array or a string as an attribute of a group or data set.
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

    /// Writes a data set of `count` rows, with a check sum per chunk. `row(i)` returns row i and is
    /// called by several threads at once.
    template <class Row>
    Hdf5Handle data(const Hdf5Handle& group, const char* name, std::size_t count, const Row& row)
    {
        return data(group, name, count, row, {count, [](std::size_t, std::size_t) {}});
    }

    /// Returns the rows that a data set of `count` rows has room for: its chunks are whole.
    static std::size_t stored_rows(std::size_t count);

    /// RowsInParts provides rows in parts of about `max` rows: fetch(begin, end) is called before
    /// row(i) for begin <= i < end.
    struct RowsInParts {
        std::size_t max;
        std::function<void(std::size_t begin, std::size_t end)> fetch;
    };
    template <class Row>
    Hdf5Handle data(const Hdf5Handle& group, const char* name, std::size_t count, const Row& row,
                    const RowsInParts& parts)
    {
        using Value = std::invoke_result_t<const Row&, std::size_t>;
        return write_data(group, name, row_type(Value{}), count, parts,
                          [&](std::size_t begin, std::size_t end, std::byte* bytes) {
                              for (std::size_t i = begin; i < end; ++i, bytes += sizeof(Value)) {
                                  const Value value = row(i);
                                  std::memcpy(bytes, &value, sizeof value);
                              }
                          });
    }

    /// A Source is a file with `rows` rows of a data set, in the folder of this file.
    struct Source {
        std::string file;
        std::size_t rows;
    };
    /// Writes a virtual data set: the rows of the data set of this group and name in all sources. A
    /// missing source reads as NaN, an integer as 0.
    Hdf5Handle links(const Hdf5Handle& group, const char* name, const Hdf5Row& row,
                     std::span<const Source> sources);

    void close();

private:
    /// Writes an attribute of `count` values; 0: a scalar.
    void write_attribute(const Hdf5Handle& owner, const std::string& name, hid_t type,
                         std::size_t count, const void* values);
    /// Writes rows [begin, end) to `bytes`.
    using FillRows = std::function<void(std::size_t begin, std::size_t end, std::byte* bytes)>;
    Hdf5Handle write_data(const Hdf5Handle& group, const char* name, const Hdf5Row& row,
                          std::size_t count, const RowsInParts& parts, const FillRows& fill);
    void require(bool done, const std::string& field) const;

    PendingFile& pending_;
    Hdf5Handle file_;
    std::array<std::vector<std::byte>, 2> buffers_; ///< for chunks; kept: new memory takes long
};

} // namespace chamomile
