/// \file  NVIDIA's run-time compiler, loaded when it is first needed: the program starts without.
#pragma once

#include <string>

namespace chamomile {

/// DeviceCode is what the compiler makes of a source.
struct DeviceCode {
    std::string image;  ///< for cudaLibraryLoadData
    std::string kernel; ///< the name of the kernel in it
};

/// Compiles C++ for a GPU of that compute capability, such as 90; the source may include the
/// headers of device_headers(). `kernel` is the kernel's name in C++, with template arguments.
/// Throws Error(device) `NAME: what is wrong` if the compiler is absent or refuses.
DeviceCode compile_for_device(const std::string& name, const std::string& source,
                              const std::string& kernel, int compute_capability);

} // namespace chamomile
