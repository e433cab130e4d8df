/// \file  NVIDIA's run-time compiler, loaded at first use. The program starts without it.
#pragma once

#include <string>

namespace chamomile {

/// A compiled kernel.
struct DeviceCode {
    std::string image;  ///< for cudaLibraryLoadData
    std::string kernel; ///< the mangled name in `image`
};

/// Compiles C++ for a GPU of this compute capability, such as 90. The source may include the
/// headers of device_headers(). `kernel` is the kernel's name in C++, with template arguments.
/// Throws Error(device) `NAME: what is wrong` if the compiler is missing or rejects the source.
DeviceCode compile_for_device(const std::string& name, const std::string& source,
                              const std::string& kernel, int compute_capability);

} // namespace chamomile
