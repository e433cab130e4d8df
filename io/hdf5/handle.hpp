/// \file  HDF5 identifiers with automatic closing, and HDF5 errors in one line.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

namespace chamomile {

/// An Hdf5Handle owns an identifier of the HDF5 library. It is false if empty.
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

    /// Closes the identifier. Returns false on failure; an empty handle succeeds.
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

/// An Hdf5Quiet stops the HDF5 library from printing, and holds a global lock, because the library
/// is not thread-safe. Every use of HDF5 needs one.
class Hdf5Quiet {
public:
    Hdf5Quiet() : lock_(turn())
    {
        H5Eget_auto2(H5E_DEFAULT, &before_.report, &before_.data);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        if (users()++ == 0)
            shared() = before_;
    }
    ~Hdf5Quiet()
    {
        const bool is_last = --users() == 0;
        hbool_t is_of_thread = false;
        H5is_library_threadsafe(&is_of_thread);
        if (is_of_thread)
            H5Eset_auto2(H5E_DEFAULT, before_.report, before_.data);
        else if (is_last) // others may be in a Pause
            H5Eset_auto2(H5E_DEFAULT, shared().report, shared().data);
    }
    Hdf5Quiet(const Hdf5Quiet&) = delete;
    Hdf5Quiet& operator=(const Hdf5Quiet&) = delete;

    /// A Pause releases the lock of this thread's only Hdf5Quiet while it computes or waits.
    class Pause {
    public:
        Pause() { turn().unlock(); }
        ~Pause() { turn().lock(); }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

private:
    static std::recursive_mutex& turn()
    {
        static std::recursive_mutex mutex;
        return mutex;
    }

    /// How the library prints: a setting of each thread if the library is thread-safe, else of all.
    struct Print {
        H5E_auto2_t report = nullptr;
        void* data = nullptr;
    };
    /// Returns the setting before the first Hdf5Quiet.
    static Print& shared()
    {
        static Print one;
        return one;
    }
    static int& users()
    {
        static int count = 0;
        return count;
    }

    std::lock_guard<std::recursive_mutex> lock_;
    Print before_;
};

/// Returns the first cause of the last failed call, as HDF5 words it.
std::string hdf5_reason();

/// Returns properties for opening files without locks, which some file systems lack. Locks are not
/// needed: a snapshot gets its name only when complete.
Hdf5Handle hdf5_file_access();

} // namespace chamomile
