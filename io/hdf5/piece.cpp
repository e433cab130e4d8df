#include "chamomile/io/hdf5/piece.hpp"

#include <cstring>
#include <utility>

#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/hdf5/superblock.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

/// Returns the six counts of an attribute. Missing entries are 0. Further entries must be 0.
TypeCounts type_counts(const Hdf5Group& header, const char* name, const std::filesystem::path& path)
{
    const std::vector<std::int64_t> values = header.integers(name);
    TypeCounts counts{};
    for (std::size_t type = 0; type < values.size(); ++type) {
        if (type >= counts.size() && values[type] != 0)
            throw bad_input(path, std::string("Header/") + name + ", type " + std::to_string(type),
                            std::to_string(values[type]), "must be 0: types must be 0 to 5");
        if (type < counts.size())
            counts[type] = values[type];
    }
    return counts;
}

Hdf5Handle opened(const std::filesystem::path& path)
{
    check_driver_block(path);
    const Hdf5Handle access = hdf5_file_access(); // closed last: closing clears the error
    Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
    if (!file) {
        const std::string reason = hdf5_reason();
        const std::size_t stated = reason.find("stored_eof = ");
        if (reason.starts_with("truncated file") && stated != reason.npos)
            throw bad_input(path, "size",
                            std::to_string(std::filesystem::file_size(path)) + " bytes",
                            "truncated: the file states " +
                                reason.substr(stated + std::strlen("stored_eof = ")) + " bytes");
        throw bad_input(path, "HDF5", reason, "must be a complete HDF5 file");
    }
    return file;
}

} // namespace

Hdf5Piece::Hdf5Piece(const std::filesystem::path& path)
    : path(path), as_opened(path), file(opened(path))
{
    const Hdf5Group header = group(hdf5_layout::header);
    if (!header.exists())
        throw bad_input(path, "Header", "missing", "must be a snapshot of the GADGET family");

    counts = type_counts(header, "NumPart_ThisFile", path);
    check_counts(counts, path, max_in_files);
    totals.low = counts;
    if (header.has_attribute("NumPart_Total"))
        totals.low = type_counts(header, "NumPart_Total", path);
    if (header.has_attribute("NumPart_Total_HighWord"))
        totals.high = type_counts(header, "NumPart_Total_HighWord", path);
    for (std::size_t type = 0; type < 6; ++type)
        if (const Hdf5Group group = type_group(type);
            group.has_data("ParentID") && !group.has_data(hdf5_layout::positions))
            std::swap(counts[type], tracers[type]);
    if (header.has_attribute("NumFilesPerSnapshot"))
        files = header.integers("NumFilesPerSnapshot").front();
    if (const Hdf5Group own = group(hdf5_layout::own); own.has_attribute(hdf5_layout::pieces))
        linked = own.integers(hdf5_layout::pieces).front();
    if (header.has_attribute("MassTable"))
        mass_table = header.read_scalars("MassTable");
    mass_table.resize(6);
    for (std::size_t type = 0; type < 6; ++type)
        if (mass_table[type] < 0)
            throw bad_input(path, "Header/MassTable, type " + std::to_string(type),
                            number_text(mass_table[type]), "must be 0 or more");
    time = header.real("Time", 0);
}

void Hdf5Piece::check_data() const
{
    using namespace hdf5_layout;
    for (std::size_t type = 0; type < 6; ++type) {
        const std::int64_t count = counts[type];
        if (count == 0)
            continue;
        const Hdf5Group particles = type_group(type);
        if (!particles.exists())
            throw bad_input(path, "PartType" + std::to_string(type), "missing",
                            "needed for " + std::to_string(count) + " particles in the header");
        particles.check_data(positions, count, 3, H5T_FLOAT);
        particles.check_data(velocities, count, 3, H5T_FLOAT);
        if (mass_table[type] == 0)
            particles.check_data(masses, count, 1, H5T_FLOAT);
        if (particles.has_data(ids))
            particles.check_data(ids, count, 1, H5T_INTEGER);
        if (particles.has_data(potentials))
            particles.check_data(potentials, count, 1, H5T_FLOAT);
        if (particles.has_data(softenings))
            particles.check_data(softenings, count, 1, H5T_FLOAT);
        if (particles.has_data(accelerations))
            particles.check_data(accelerations, count, 3, H5T_FLOAT);
    }
}

bool Hdf5Piece::all_have(const char* data) const
{
    for (std::size_t type = 0; type < 6; ++type)
        if (counts[type] > 0 && !type_group(type).has_data(data))
            return false;
    return true;
}

} // namespace chamomile
