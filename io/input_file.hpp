/// \file  Input files. Every read is checked, and values are converted to the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// A ByteOrder is the byte order of a file, relative to this machine.
enum class ByteOrder { host, swapped };

/// A FileError is a fault of a file: "<file>: <reason>".
class FileError : public Error {
public:
    FileError(Fault fault, const std::filesystem::path& file, const std::string& reason)
        : Error(fault, file.string() + ": " + reason), reason_(reason)
    {}
    const std::string& reason() const { return reason_; }

private:
    std::string reason_;
};

/// Returns the error of a field in a file: "<file>: <field>: <value>: <what is allowed>". Long
/// fields and values are cut.
FileError file_error(Fault fault, const std::filesystem::path& file, const std::string& field,
                     const std::string& value, const std::string& allowed);

/// Like file_error(), with Fault::input.
FileError bad_input(const std::filesystem::path& file, const std::string& field,
                    const std::string& value, const std::string& allowed);

/// Returns the value with its bytes reversed.
template <class T>
T byte_swapped(T value)
{
    static_assert(std::is_arithmetic_v<T>);
    T result;
    const auto* from = reinterpret_cast<const unsigned char*>(&value);
    auto* to = reinterpret_cast<unsigned char*>(&result);
    for (std::size_t i = 0; i < sizeof(T); ++i)
        to[i] = from[sizeof(T) - 1 - i];
    return result;
}

/// Returns the value in the host's byte order.
template <class T>
T in_host_order(T value, ByteOrder order)
{
    return order == ByteOrder::swapped ? byte_swapped(value) : value;
}

/// Converts contiguous numbers of `width` bytes each (4 or 8), reals to reals or unsigned integers
/// to unsigned integers. `raw` has values.size() of them.
void convert(std::span<const std::byte> raw, int width, ByteOrder order, std::span<double> values);
void convert(std::span<const std::byte> raw, int width, ByteOrder order,
             std::span<std::uint64_t> values);

/// An InputFile is a regular file, open for reading. Throws Error with Fault::input if the file is
/// missing, unreadable, empty or not regular, and on every read beyond its end.
class InputFile {
public:
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::int64_t size() const { return size_; }

    /// Fills `bytes` from byte `offset` of the file.
    void read(std::int64_t offset, std::span<std::byte> bytes) const;

    /// Returns the bytes at byte `offset` as a T.
    template <class T>
    T value(std::int64_t offset) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T result;
        read(offset, std::as_writable_bytes(std::span(&result, 1)));
        return result;
    }

    template <class T>
    T value(std::int64_t offset, ByteOrder order) const
    {
        return in_host_order(value<T>(offset), order);
    }

    /// Reads values.size() contiguous reals of `width` bytes each (4 or 8), with all threads.
    void read_reals(std::int64_t offset, int width, ByteOrder order,
                    std::span<double> values) const;

    /// Reads values.size() contiguous unsigned integers of `width` bytes each (4 or 8).
    void read_integers(std::int64_t offset, int width, ByteOrder order,
                       std::span<std::uint64_t> values) const;

private:
    std::filesystem::path path_;
    std::int64_t size_ = 0;
    int descriptor_ = -1;
};

} // namespace chamomile
