#include "chamomile/io/pictures/array_file.hpp"

#include <bit>
#include <string>

#include "chamomile/io/pending_file.hpp"

namespace chamomile {

void write_npy(const SurfaceDensity& density, const std::filesystem::path& path)
{
    static_assert(std::endian::native == std::endian::little);
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                         std::to_string(density.height) + ", " + std::to_string(density.width) +
                         "), }";
    header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 10 - 1, ' '); // align data to 64 bytes
    header += '\n';
    PendingFile file(path);
    const std::string magic("\x93NUMPY\x01\x00", 8);
    file.write(std::as_bytes(std::span(magic)));
    file.write_value(std::uint16_t(header.size()));
    file.write(std::as_bytes(std::span(header)));
    file.write(std::as_bytes(std::span(density.values)));
    file.commit();
}

} // namespace chamomile
