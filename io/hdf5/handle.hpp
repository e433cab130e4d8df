/// \file  HDF5 identifiers that close themselves, and what went wrong in one line.
#pragma once

#include <string>
#include <utility>

#include <hdf5.h>

namespace chamomile {

/// Owns an identifier of the HDF5 library; false when there is none.
class Hdf5Handle {
public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept { swap(other); }
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept
    {
        Hdf5Handle(std::move(other)).swap(*this);
        return *this;
    }
    ~Hdf5Handle() { close(); }

    explicit operator bool() const { return id_ >= 0; }
    hid_t id() const { return id_; }

    /// Whether it could be closed; nothing to close counts as success.
    bool close()
    {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id < 0 || close_(id) >= 0;
    }

private:
    void swap(Hdf5Handle& other) noexcept
    {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
    }

    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// Keeps the HDF5 library from printing while it lives.
class Hdf5Quiet {
public:
    Hdf5Quiet()
    {
        H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Hdf5Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
    Hdf5Quiet(const Hdf5Quiet&) = delete;
    Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

private:
    H5E_auto2_t print_ = nullptr;
    void* data_ = nullptr;
};

/// The first cause of the last failed call, in HDF5's words.
std::string hdf5_reason();

/// How files are opened: without locks, which some file systems lack. A snapshot gets its name
/// when it is complete, so nobody reads what is still being written.
Hdf5Handle hdf5_file_access();

} // namespace chamomile
