#include "chamomile/io/hdf5/output.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <limits>
#include <span>
#include <vector>

#include "chamomile/core/system/signals_blocked.hpp"
#include "chamomile/io/hdf5/fletcher_sum.hpp"

namespace chamomile {
namespace {

/// Returns creation properties without time stamps, so that equal content gives equal bytes.
Hdf5Handle creation_properties(hid_t kind)
{
    Hdf5Handle properties(H5Pcreate(kind), H5Pclose);
    H5Pset_obj_track_times(properties.id(), false);
    return properties;
}

/// Max rows per chunk, and max chunks filled in parallel and held in memory: few enough to stay in
/// the processor's cache until they are written.
constexpr std::size_t max_chunk_rows = 1 << 16, max_chunks_at_once = 8;

void store_little_endian(std::uint32_t value, std::byte* to)
{
    for (int k = 0; k < 4; ++k)
        to[k] = std::byte(value >> (8 * k));
}

} // namespace

Hdf5Output::Hdf5Output(PendingFile& file) : pending_(file)
{
    // HDF5 1.8 is the first layout with check sums of the metadata. Only virtual data sets
    // need 1.10.
    const Hdf5Handle access = hdf5_file_access();
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
    const Hdf5Handle creation = creation_properties(H5P_FILE_CREATE);
    file_ = Hdf5Handle(
        H5Fcreate(file.temporary().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose);
    require(bool(file_), "HDF5");
    file.require_present();
}

void Hdf5Output::require(bool done, const std::string& field) const
{
    if (!done)
        throw bad_output(pending_.target(), field, hdf5_reason(), "cannot be written");
}

Hdf5Handle Hdf5Output::group(const std::string& name)
{
    const Hdf5Handle creation = creation_properties(H5P_GROUP_CREATE);
    Hdf5Handle group(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                     H5Gclose);
    require(bool(group), name);
    return group;
}

void Hdf5Output::write_attribute(const Hdf5Handle& owner, const std::string& name, hid_t type,
                                 std::size_t count, const void* values)
{
    const hsize_t extent = count;
    const Hdf5Handle space(
        count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const Hdf5Handle attribute(
        H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(bool(attribute), name);
    require(H5Awrite(attribute.id(), type, values) >= 0, name);
}

void Hdf5Output::attribute(const Hdf5Handle& owner, const std::string& name,
                           const std::string& text)
{
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    const char* characters = text.c_str();
    write_attribute(owner, name, type.id(), 0, &characters);
}

std::size_t Hdf5Output::stored_rows(std::size_t count)
{
    const std::size_t chunk = std::min(count, max_chunk_rows);
    return chunk > 0 ? (count + chunk - 1) / chunk * chunk : 0;
}

Hdf5Handle Hdf5Output::write_data(const Hdf5Handle& group, const char* name, const Hdf5Row& row,
                                  std::size_t count, const RowsInParts& parts, const FillRows& fill)
{
    const std::size_t chunk_rows = std::min(count, max_chunk_rows);
    const int rank = row.columns == 0 ? 1 : 2;
    const std::array<hsize_t, 2> extent{count, row.columns}, chunk{chunk_rows, row.columns};
    const Hdf5Handle space(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
    const Hdf5Handle creation = creation_properties(H5P_DATASET_CREATE);
    if (count > 0) {
        H5Pset_chunk(creation.id(), rank, chunk.data());
        H5Pset_fletcher32(creation.id());
    }
    Hdf5Handle data(H5Dcreate2(group.id(), name, row.number, space.id(), H5P_DEFAULT, creation.id(),
                               H5P_DEFAULT),
                    H5Dclose);
    require(bool(data), name);
    if (count == 0)
        return data;

    const std::size_t chunks = (count + chunk_rows - 1) / chunk_rows;
    const std::size_t bytes = chunk_rows * row.bytes, stored = bytes + sizeof(std::uint32_t);
    const std::size_t at_once =
        std::min({chunks, max_chunks_at_once, std::max<std::size_t>(parts.max / chunk_rows, 1)});
    // One thread writes chunks while the others fill the next chunks. Threads that are ranks meet
    // in parts.fetch(), so none may hold the lock there.
    const Hdf5Quiet::Pause pause;
    std::future<void> written; // its destructor waits while the buffers are in use
    for (std::size_t first = 0; first < chunks; first += at_once) {
        const std::size_t here = std::min(at_once, chunks - first);
        std::vector<std::byte>& buffer = buffers_[first / at_once % 2];
        buffer.resize(std::max(buffer.size(), at_once * stored));
        parts.fetch(first * chunk_rows, std::min((first + here) * chunk_rows, count));
#pragma omp parallel for if (here > 1) schedule(dynamic)
        for (std::size_t k = 0; k < here; ++k) {
            const std::size_t begin = (first + k) * chunk_rows;
            const std::size_t end = std::min(begin + chunk_rows, count);
            std::byte* const to = buffer.data() + k * stored;
            fill(begin, end, to);
            std::fill(to + (end - begin) * row.bytes, to + bytes, std::byte(0));
            store_little_endian(fletcher_sum({to, bytes}), to + bytes);
        }
        if (written.valid())
            written.get();
        const SignalsBlocked blocked;
        written = std::async(
            chunks > at_once ? std::launch::async : std::launch::deferred, [&, first, here] {
                const Hdf5Quiet quiet;
                for (std::size_t k = 0; k < here; ++k) {
                    const std::array<hsize_t, 2> offset{(first + k) * chunk_rows, 0};
                    require(H5Dwrite_chunk(data.id(), H5P_DEFAULT, 0, offset.data(), stored,
                                           buffer.data() + k * stored) >= 0,
                            name);
                }
                pending_.send_to_disk();
            });
    }
    written.get();
    return data;
}

Hdf5Handle Hdf5Output::links(const Hdf5Handle& group, const char* name, const Hdf5Row& row,
                             std::span<const Source> sources)
{
    const int rank = row.columns == 0 ? 1 : 2;
    std::array<hsize_t, 2> start{}, extent{0, row.columns};
    for (const Source& source : sources)
        extent[0] += source.rows;
    const Hdf5Handle space(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
    const Hdf5Handle creation = creation_properties(H5P_DATASET_CREATE);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (row.number == H5T_NATIVE_DOUBLE)
        H5Pset_fill_value(creation.id(), row.number, &none);
    std::string data(std::size_t(H5Iget_name(group.id(), nullptr, 0)), '\0');
    H5Iget_name(group.id(), data.data(), data.size() + 1);
    data += std::string("/") + name;
    for (const Source& source : sources) {
        extent[0] = source.rows;
        const Hdf5Handle rows(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
        std::string file; // HDF5 expects each % twice
        for (const char c : source.file)
            file.append(c == '%' ? 2 : 1, c);
        require(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr,
                                    extent.data(), nullptr) >= 0 &&
                    H5Pset_virtual(creation.id(), space.id(), file.c_str(), data.c_str(),
                                   rows.id()) >= 0,
                name);
        start[0] += source.rows;
    }
    H5Sselect_all(space.id());
    Hdf5Handle linked(H5Dcreate2(group.id(), name, row.number, space.id(), H5P_DEFAULT,
                                 creation.id(), H5P_DEFAULT),
                      H5Dclose);
    require(bool(linked), name);
    return linked;
}

void Hdf5Output::close()
{
    require(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0, "HDF5");
    require(file_.close(), "HDF5");
}

} // namespace chamomile
