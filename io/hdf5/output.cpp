#include "chamomile/io/hdf5/output.hpp"

#include <algorithm>

namespace chamomile {
namespace {

/// Returns properties for creating a file, group or data set without times, so that equal content
/// gives equal bytes.
Hdf5Handle creation_properties(hid_t kind)
{
    Hdf5Handle properties(H5Pcreate(kind), H5Pclose);
    H5Pset_obj_track_times(properties.id(), false);
    return properties;
}

} // namespace

Hdf5Output::Hdf5Output(PendingFile& file) : pending_(file)
{
    // The layout is that of HDF5 1.8, the first with check sums of the metadata.
    const Hdf5Handle access = hdf5_file_access();
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18);
    const Hdf5Handle creation = creation_properties(H5P_FILE_CREATE);
    file_ = Hdf5Handle(
        H5Fcreate(file.temporary().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose);
    require(bool(file_), "HDF5");
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

Hdf5Handle Hdf5Output::write_data(const Hdf5Handle& group, const char* name, hid_t type,
                                  std::array<hsize_t, 2> extent, const void* values)
{
    constexpr hsize_t chunk_rows = 1 << 16;
    const int rank = extent[1] == 0 ? 1 : 2;
    const Hdf5Handle space(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
    const Hdf5Handle creation = creation_properties(H5P_DATASET_CREATE);
    if (extent[0] > 0) {
        const std::array<hsize_t, 2> chunk{std::min(extent[0], chunk_rows), extent[1]};
        H5Pset_chunk(creation.id(), rank, chunk.data());
        H5Pset_fletcher32(creation.id());
    }
    Hdf5Handle data(
        H5Dcreate2(group.id(), name, type, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
        H5Dclose);
    require(bool(data), name);
    require(H5Dwrite(data.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    return data;
}

void Hdf5Output::close()
{
    require(H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0, "HDF5");
    require(file_.close(), "HDF5");
}

} // namespace chamomile
