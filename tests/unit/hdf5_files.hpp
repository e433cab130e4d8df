/// \file  Creates and edits HDF5 files through the HDF5 C interface.
#pragma once

#include <functional>

#include "chamomile/io/hdf5/handle.hpp"
#include "tests/unit/snapshot_fixture.hpp"

namespace chamomile {

using Extent = std::vector<hsize_t>;

/// Opens or creates the file for editing through the HDF5 C interface.
inline void edit(const std::filesystem::path& path, const std::function<void(hid_t)>& change)
{
    const Hdf5Quiet quiet;
    const bool exists = std::filesystem::exists(path);
    const Hdf5Handle file(exists ? H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                                 : H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                          H5Fclose);
    REQUIRE(bool(file));
    change(file.id());
}

inline Hdf5Handle space_of(const Extent& extent)
{
    return {extent.empty() ? H5Screate(H5S_SCALAR)
                           : H5Screate_simple(int(extent.size()), extent.data(), nullptr),
            H5Sclose};
}

/// Sets an attribute; creates the group if missing. `file_type` is the type in the file.
inline void put_attribute(hid_t file, const char* group_name, const char* name, hid_t file_type,
                          const Extent& extent, const std::vector<double>& values)
{
    if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0)
        H5Gclose(H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Hdf5Handle group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose);
    if (H5Aexists(group.id(), name) > 0)
        H5Adelete(group.id(), name);
    const Hdf5Handle space = space_of(extent);
    const Hdf5Handle attribute(
        H5Acreate2(group.id(), name, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    REQUIRE(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, values.data()) >= 0);
}

/// Sets a text attribute; creates the group if missing.
inline void put_text(hid_t file, const char* group_name, const char* name, const std::string& value)
{
    if (H5Lexists(file, group_name, H5P_DEFAULT) <= 0)
        H5Gclose(H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Hdf5Handle group(H5Gopen2(file, group_name, H5P_DEFAULT), H5Gclose);
    H5Adelete(group.id(), name);
    const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), value.size() + 1);
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Hdf5Handle attribute(
        H5Acreate2(group.id(), name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    REQUIRE(H5Awrite(attribute.id(), type.id(), value.c_str()) >= 0);
}

/// Creates or replaces a data set; without values writes nothing to it.
inline void put_data(hid_t file, const char* name, hid_t file_type, const Extent& extent,
                     const std::vector<double>& values, hid_t creation = H5P_DEFAULT)
{
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    const Hdf5Handle space = space_of(extent);
    const Hdf5Handle data(
        H5Dcreate2(file, name, file_type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT),
        H5Dclose);
    REQUIRE(bool(data));
    if (!values.empty())
        REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         values.data()) >= 0);
}

inline std::vector<double> counting(std::size_t n, double first)
{
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

/// Writes initial conditions in a script's style: big-endian single precision, 32-bit ids, mass in
/// the header, no units. `first` is the first id.
inline void make_initial_conditions(const std::filesystem::path& path, hsize_t n, double total,
                                    double files, double first)
{
    edit(path, [&](hid_t file) {
        put_attribute(file, "Header", "NumPart_ThisFile", H5T_STD_I32LE, {6},
                      {0, double(n), 0, 0, 0, 0});
        put_attribute(file, "Header", "NumPart_Total", H5T_STD_U32BE, {6}, {0, total, 0, 0, 0, 0});
        put_attribute(file, "Header", "MassTable", H5T_IEEE_F32LE, {6}, {0, 0.5, 0, 0, 0, 0});
        put_attribute(file, "Header", "NumFilesPerSnapshot", H5T_STD_I64LE, {1}, {files});
        put_attribute(file, "Header", "Time", H5T_IEEE_F64LE, {1}, {2.5});
        if (n == 0)
            return;
        H5Gclose(H5Gcreate2(file, "PartType1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        put_data(file, "PartType1/Coordinates", H5T_IEEE_F32BE, {n, 3}, counting(3 * n, 0.5));
        put_data(file, "PartType1/Velocities", H5T_IEEE_F32LE, {n, 3}, counting(3 * n, -7));
        put_data(file, "PartType1/ParticleIDs", H5T_STD_U32LE, {n}, counting(n, first));
    });
}

} // namespace chamomile
