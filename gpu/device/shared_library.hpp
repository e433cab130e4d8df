/// \file  Libraries of the CUDA Toolkit that are opened by name at run time, so that neither their
/// headers nor they are needed to build or to start the program.
#pragma once

#include <initializer_list>
#include <string>

#include <dlfcn.h>

namespace chamomile {

/// A SharedLibrary stays open: the process may come back for it.
class SharedLibrary {
public:
    /// Opens the first of these names that is found, by the system or beside the CUDA Toolkit.
    explicit SharedLibrary(std::initializer_list<std::string> names)
    {
        for (const char* folder : {"", CHAMOMILE_CUDA_LIBRARIES "/", "/usr/local/cuda/lib64/"})
            for (const std::string& name : names)
                if (!handle_)
                    handle_ = ::dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
    }

    bool is_open() const { return handle_; }
    /// Finds a function; null: the library is too old.
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
