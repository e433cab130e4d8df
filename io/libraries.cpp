#include "chamomile/io/libraries.hpp"

#include <hdf5.h>
#include <png.h>
#include <zlib.h>

namespace chamomile {

std::vector<std::string> file_libraries()
{
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    const unsigned long png = ::png_access_version_number(); // 10637 is 1.6.37
    return {"HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." +
                std::to_string(release),
            "libpng " + std::to_string(png / 10000) + "." + std::to_string(png / 100 % 100) + "." +
                std::to_string(png % 100),
            std::string("zlib ") + ::zlibVersion()};
}

} // namespace chamomile
