/// \file  Libraries of the CUDA Toolkit opened by name at run time. Build and start of the program
/// need neither the libraries nor their headers.
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>

namespace chamomile {

/// A SharedLibrary is never closed: it may be needed again.
class SharedLibrary {
public:
    /// Opens the first of these names found by the system or in a folder of the CUDA Toolkit.
    explicit SharedLibrary(std::initializer_list<std::string> names)
    {
        for (const char* folder : {"", CHAMOMILE_CUDA_LIBRARIES "/", "/usr/local/cuda/lib64/"})
            for (const std::string& name : names)
                if (!handle_)
                    handle_ = ::dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    }

    bool is_open() const { return handle_; }
    /// Finds a function. Sets null and returns false if the library is too old.
    template <class Function>
    bool load(Function& function, const char* name) const
    {
        function = reinterpret_cast<Function>(::dlsym(handle_, name));
        return function;
    }

private:
    void* handle_ = nullptr;
};

} // namespace chamomile
