#include "chamomile/io/hdf5/group.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "chamomile/io/hdf5/stored_rows.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

constexpr hssize_t max_attribute_values = 1024;

/// Data sets with different names in EAGLE, pynbody and SWIFT.
constexpr std::pair<std::string_view, const char*> other_names[] = {
    {"Velocities", "Velocity"},
    {"Masses", "Mass"},
    {"Potential", "Potentials"},
    {"Acceleration", "Accelerations"}};

/// Returns the first filter of the data set that this HDF5 library lacks, or an empty text.
std::string missing_filter(hid_t data)
{
    const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose);
    for (int k = 0; k < H5Pget_nfilters(creation.id()); ++k) {
        unsigned flags = 0, configuration = 0;
        std::size_t values = 0;
        char name[64] = "";
        const H5Z_filter_t filter = H5Pget_filter2(creation.id(), unsigned(k), &flags, &values,
                                                   nullptr, sizeof name, name, &configuration);
        if (filter < 0 || H5Zfilter_avail(filter) <= 0)
            return std::string(name) + " (" + std::to_string(filter) + ")";
    }
    return "";
}

/// Returns the kind of external storage of a data set, or nullptr. External storage may name any
/// file, so it is refused.
const char* foreign_place(hid_t data)
{
    const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose);
    return H5Pget_external_count(creation.id()) > 0      ? "external storage"
           : H5Pget_layout(creation.id()) == H5D_VIRTUAL ? "a virtual data set"
                                                         : nullptr;
}

/// Returns whether all `bytes` of a data set were written. Missing ones would read as zeros.
bool is_complete(const Hdf5Handle& data, hsize_t bytes)
{
    const Hdf5Handle creation(H5Dget_create_plist(data.id()), H5Pclose);
    if (H5Pget_layout(creation.id()) != H5D_CHUNKED)
        return H5Dget_storage_size(data.id()) >= bytes;
    const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
    hsize_t extent[H5S_MAX_RANK] = {}, chunk[H5S_MAX_RANK] = {};
    const int rank = H5Sget_simple_extent_dims(space.id(), extent, nullptr);
    H5Pget_chunk(creation.id(), rank, chunk);
    hsize_t needed = 1, written = 0;
    for (int axis = 0; axis < rank; ++axis)
        needed *= (extent[axis] + chunk[axis] - 1) / chunk[axis];
    return H5Dget_num_chunks(data.id(), space.id(), &written) >= 0 && written == needed;
}

/// Returns the unpacked size of a chunk in bytes; 0: the data set is not chunked.
std::size_t bytes_of_chunk(hid_t data)
{
    const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose),
        type(H5Dget_type(data), H5Tclose);
    if (H5Pget_layout(creation.id()) != H5D_CHUNKED)
        return 0;
    hsize_t chunk[H5S_MAX_RANK] = {};
    const int rank = H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk);
    std::size_t bytes = H5Tget_size(type.id());
    for (int axis = 0; axis < rank; ++axis)
        bytes *= std::size_t(chunk[axis]);
    return bytes;
}

std::string string_value(hid_t attribute, hid_t type)
{
    if (H5Tis_variable_str(type) > 0) {
        char* text = nullptr;
        const Hdf5Handle memory(H5Tcopy(type), H5Tclose);
        if (H5Aread(attribute, memory.id(), &text) < 0 || !text)
            return "";
        std::string result = text;
        H5free_memory(text);
        return result;
    }
    std::string result(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, result.data()) < 0)
        return "";
    return result.substr(0, result.find('\0'));
}

} // namespace

Hdf5Group::Hdf5Group(const Hdf5Handle& file, const std::filesystem::path& path,
                     const std::string& name)
    : path_(path), name_(name)
{
    const htri_t there = H5Lexists(file.id(), name.c_str(), H5P_DEFAULT);
    if (there < 0)
        throw bad_input(path, name, hdf5_reason(), "file is damaged");
    if (there == 0)
        return;
    group_ = Hdf5Handle(H5Gopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Gclose);
    if (!group_)
        throw bad_input(path, name, hdf5_reason(), "must be a readable group");
}

bool Hdf5Group::has_attribute(const char* name) const
{
    return exists() && H5Aexists(group_.id(), name) > 0;
}

const char* Hdf5Group::present(const char* name) const
{
    const auto has = [&](const char* one) {
        return exists() && H5Lexists(group_.id(), one, H5P_DEFAULT) > 0;
    };
    if (has(name))
        return name;
    for (const auto& [known, other] : other_names)
        if (name == known && has(other))
            return other;
    return nullptr;
}

bool Hdf5Group::has_data(const char* name) const
{
    return present(name) != nullptr;
}

Hdf5Handle Hdf5Group::data(const char* name, hid_t access) const
{
    return {H5Dopen2(group_.id(), present(name), access), H5Dclose};
}

Hdf5Handle Hdf5Group::attribute(const char* name) const
{
    if (!has_attribute(name))
        throw bad_input(path_, field(name), "missing", "must be an attribute");
    Hdf5Handle attribute(H5Aopen(group_.id(), name, H5P_DEFAULT), H5Aclose);
    if (!attribute)
        throw bad_input(path_, field(name), hdf5_reason(), "must be a readable attribute");
    return attribute;
}

std::vector<double> Hdf5Group::read_scalars(const char* name) const
{
    const Hdf5Handle attribute = this->attribute(name);
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.id());
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (kind != H5T_FLOAT && kind != H5T_INTEGER)
        throw bad_input(path_, field(name), kind == H5T_STRING ? "a text" : "not a number",
                        "must be a number");
    if (count < 1 || count > max_attribute_values)
        throw bad_input(path_, field(name), std::to_string(count) + " numbers",
                        "must be 1 to " + std::to_string(max_attribute_values));
    std::vector<double> values(std::size_t(count), 0.0);
    if (H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()) < 0)
        throw bad_input(path_, field(name), hdf5_reason(), "cannot be read");
    for (double value : values)
        if (!std::isfinite(value))
            throw bad_input(path_, field(name), number_text(value), "must be finite");
    return values;
}

std::vector<std::int64_t> Hdf5Group::integers(const char* name) const
{
    // Counts are far below 2^53, so doubles hold them exactly. Larger numbers are refused.
    std::vector<std::int64_t> result;
    for (double value : read_scalars(name)) {
        if (value != std::floor(value) || std::abs(value) > 9e15)
            throw bad_input(path_, field(name), number_text(value), "must be a whole number");
        result.push_back(std::int64_t(value));
    }
    return result;
}

double Hdf5Group::real(const char* name, double otherwise) const
{
    if (!has_attribute(name))
        return otherwise;
    const std::vector<double> values = read_scalars(name);
    if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end())
        return values.front();
    std::string list;
    for (double value : values)
        list += (list.empty() ? "" : ", ") + number_text(value);
    throw bad_input(path_, field(name), list,
                    "must be one number, or equal numbers: boxes are cubes");
}

std::map<std::string, std::string> Hdf5Group::strings() const
{
    std::map<std::string, std::string> result;
    const int count = exists() ? int(H5Aget_num_attrs(group_.id())) : 0;
    for (int k = 0; k < count; ++k) {
        const Hdf5Handle attribute(H5Aopen_by_idx(group_.id(), ".", H5_INDEX_NAME, H5_ITER_INC,
                                                  hsize_t(k), H5P_DEFAULT, H5P_DEFAULT),
                                   H5Aclose);
        if (!attribute)
            throw bad_input(path_, "attributes", hdf5_reason(), "cannot be read");
        const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
        const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
        if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1)
            continue;
        const ssize_t length = H5Aget_name(attribute.id(), 0, nullptr);
        if (length < 0)
            throw bad_input(path_, "attributes", hdf5_reason(), "cannot be read");
        std::string name(std::size_t(length), '\0');
        H5Aget_name(attribute.id(), name.size() + 1, name.data());
        result[name] = string_value(attribute.id(), type.id());
    }
    return result;
}

void Hdf5Group::check_data(const char* name, std::int64_t rows, int columns, H5T_class_t kind) const
{
    if (!has_data(name))
        throw bad_input(path_, field(name), "missing",
                        "needed for " + std::to_string(rows) + " particles");
    const Hdf5Handle data = this->data(name);
    if (!data)
        throw bad_input(path_, field(name), hdf5_reason(), "must be a readable data set");
    const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
    if (H5Tget_class(type.id()) != kind)
        throw bad_input(path_, field(name), "wrong type",
                        kind == H5T_FLOAT ? "must be floating-point numbers" : "must be integers");
    const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
    hsize_t extent[H5S_MAX_RANK] = {};
    const int rank = H5Sget_simple_extent_dims(space.id(), extent, nullptr);
    std::string shape;
    for (int axis = 0; axis < rank; ++axis)
        shape += (axis ? " x " : "") + std::to_string(extent[axis]);
    const bool column = columns == 1 && (rank == 1 || (rank == 2 && extent[1] == 1));
    const bool matrix = columns > 1 && rank == 2 && extent[1] == hsize_t(columns);
    if (!(column || matrix) || extent[0] != hsize_t(rows))
        throw bad_input(path_, field(name), "shape " + (shape.empty() ? "scalar" : shape),
                        "must be " + std::to_string(rows) +
                            (columns > 1 ? " x " + std::to_string(columns) : ""));
    if (const std::string filter = missing_filter(data.id()); !filter.empty())
        throw bad_input(path_, field(name), "filter " + filter,
                        "must be a plug-in of this HDF5 library");
    if (const char* place = foreign_place(data.id()))
        throw bad_input(path_, field(name), place, "must be in this file; copy the data");
    const hsize_t bytes = hsize_t(rows) * hsize_t(columns) * H5Tget_size(type.id());
    if (const hsize_t stored = H5Dget_storage_size(data.id());
        rows > 0 && !is_complete(data, bytes))
        throw bad_input(path_, field(name), std::to_string(stored) + " bytes stored",
                        "incomplete, must be " + std::to_string(bytes));
}

void Hdf5Group::read_data(const char* name, std::span<double> values) const
{
    read_rows(data(name), name, 0, 1, values);
}

Hdf5Handle Hdf5Group::open_rows(const char* name) const
{
    Hdf5Handle data = this->data(name);
    const std::size_t chunk = bytes_of_chunk(data.id());
    if (chunk == 0)
        return data;
    // Chunks of other programs may hold many blocks of rows. The cache unpacks each chunk once.
    data.close();
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, chunk, 1);
    return this->data(name, access.id());
}

void Hdf5Group::read_rows(const Hdf5Handle& data, const char* name, std::size_t begin,
                          hsize_t columns, std::span<double> numbers) const
{
    if (read_stored_rows(path_, data, begin, columns, numbers))
        return;
    const Hdf5Handle file(H5Dget_space(data.id()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(file.id());
    const hsize_t start[] = {begin, 0}, count[] = {numbers.size() / columns, columns};
    const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
        H5Dread(data.id(), H5T_NATIVE_DOUBLE, memory.id(), file.id(), H5P_DEFAULT, numbers.data()) <
            0)
        throw bad_input(path_, field(name), hdf5_reason(), "cannot be read");
}

void Hdf5Group::read_ids(const char* name, std::span<std::uint64_t> ids) const
{
    const Hdf5Handle data = this->data(name);
    const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
    if (read_stored_rows(path_, data, 0, 1, ids))
        return;
    const bool is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
    if (H5Dread(data.id(), is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                H5P_DEFAULT, ids.data()) < 0)
        throw bad_input(path_, field(name), hdf5_reason(), "cannot be read");
    if (!is_signed)
        return;
    for (const std::uint64_t id : ids) // HDF5 would convert negative ids to 0
        if (std::int64_t(id) < 0)
            throw bad_input(path_, field(name), std::to_string(std::int64_t(id)),
                            "must be 0 or more");
}

} // namespace chamomile
