#include "chamomile/io/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>
#include <numeric>

#include "chamomile/core/lower_case.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/hdf5/superblock.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/particle_check.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/io/text/lines.hpp"
#include "chamomile/io/unchanged_file.hpp"

namespace chamomile {
namespace {

bool is_gadget2(const InputFile& file)
{
    if (file.size() < 4)
        return false;
    const auto marker = file.value<std::uint32_t>(0);
    return marker == 256 || marker == 8 || marker == byte_swapped(256u) ||
           marker == byte_swapped(8u);
}

bool is_tipsy(const InputFile& file)
{
    if (file.size() < 16)
        return false;
    const auto dimensions = file.value<std::uint32_t>(12);
    return (dimensions >= 1 && dimensions <= 3) ||
           (byte_swapped(dimensions) >= 1 && byte_swapped(dimensions) <= 3);
}

/// Returns whether the file is NEMO's. A structured NEMO file begins with an item: one of two
/// two-byte magic words, a type letter and a name (NEMO's filesecret.h).
bool is_nemo(const InputFile& file)
{
    if (file.size() < 5)
        return false;
    const auto marker = file.value<std::uint16_t>(0);
    return (marker == 0x0992 || marker == 0x0b92 || marker == 0x9209 || marker == 0x920b) &&
           file.value<char>(3) == '\0' && std::isalpha(file.value<unsigned char>(4));
}

/// Reads text columns. If the extension is HDF5's, an error says first that the file is not HDF5.
Snapshot read_text_of(const InputFile& file)
{
    const std::string extension = lower_case(file.path().extension().string());
    if (extension != ".hdf5" && extension != ".h5")
        return read_text(file);
    try {
        return read_text(file);
    } catch (const FileError& error) {
        throw bad_input(file.path(), "format", "not HDF5, despite the name",
                        "not text columns either: " + error.reason());
    }
}

/// A FileFormat is one file format with its reader and, if supported, its writer and extensions. A
/// new format needs only one row in file_formats.
struct FileFormat {
    bool (*is)(const InputFile&);
    Snapshot (*read)(const InputFile&, std::int64_t max);
    std::vector<std::filesystem::path> (*pieces)(const std::filesystem::path&) = nullptr;
    std::shared_ptr<FileRows> (*rows)(const std::filesystem::path&) = nullptr;
    std::array<const char*, 2> extensions = {};             ///< null: no writer
    void (*write)(const Snapshot&, PendingFile&) = nullptr; ///< null: write_hdf5()
    std::vector<std::string> (*left_out)(const Snapshot&) = nullptr;
};

/// The formats, in the order of detection.
constexpr FileFormat file_formats[] = {
    {[](const InputFile& file) { return find_superblock(file) >= 0; },
     [](const InputFile& file, std::int64_t max) { return read_hdf5(file.path(), max); },
     hdf5_pieces,
     open_hdf5_rows,
     {".hdf5", ".h5"},
     nullptr,
     left_out_of_hdf5},
    {is_gadget2,
     [](const InputFile& file, std::int64_t max) { return read_gadget2(file.path(), max); },
     gadget2_pieces,
     open_gadget2_rows,
     {".gadget2", ".gadget2"},
     write_gadget2,
     left_out_of_gadget2},
    {is_nemo, [](const InputFile& file, std::int64_t) { return read_nemo(file); }},
    {is_tipsy,
     [](const InputFile& file, std::int64_t) { return read_tipsy(file); },
     nullptr,
     nullptr,
     {".tipsy", ".bin"},
     write_tipsy,
     left_out_of_tipsy},
    {is_text,
     [](const InputFile& file, std::int64_t) { return read_text_of(file); },
     nullptr,
     nullptr,
     {".txt", ".dat"},
     write_text,
     left_out_of_text},
};

/// Returns the format detected from the content, or null.
const FileFormat* format_of(const InputFile& file)
{
    for (const FileFormat& format : file_formats)
        if (format.is(file))
            return &format;
    return nullptr;
}

/// Reads the file. HDF5 and GADGET-2 keep the deferred columns in the file, and refuse more than
/// `max` particles.
Snapshot read_by_content(const std::filesystem::path& path, std::int64_t max)
{
    const InputFile file(path);
    if (const FileFormat* format = format_of(file))
        return format->read(file, max);
    throw bad_input(path, "format", "unknown",
                    "must be HDF5, GADGET-2 binary (first word 256 or 8), NEMO, Tipsy or text");
}

/// Reads potentials and accelerations once, to refuse unreadable ones.
void try_rows(FileRows& rows, const Snapshot& snapshot)
{
    rows.for_blocks(snapshot.particles.size(), [&](std::size_t begin, std::size_t end) {
        if (snapshot.has_potentials)
            rows.read_scalars(Column::potential, {begin, end});
        if (snapshot.has_accelerations)
            rows.read_vectors(Column::acceleration, {begin, end});
    });
}

/// Reads and checks a file. take(snapshot) runs before the checks and may load the deferred
/// columns.
template <class Take>
Snapshot read_and_check(const std::filesystem::path& path, Masses masses, MovingCheck moving,
                        std::int64_t max, const Take& take)
{
    try {
        const UnchangedFile as_opened(path);
        Snapshot snapshot = read_by_content(path, max);
        if (snapshot.particles.size() > std::size_t(max))
            throw bad_input(path, "particles", std::to_string(snapshot.particles.size()),
                            "must be at most " + std::to_string(max));
        take(snapshot);
        as_opened.check();
        check_stated(snapshot, path);
        check_constant(snapshot.particles, path,
                       snapshot.provenance.contains("light_cone") ? Masses::inspected : masses);
        if (moving == MovingCheck::now || !snapshot.deferred)
            check_moving(snapshot, path);
        if (moving == MovingCheck::now && snapshot.deferred)
            try_rows(*snapshot.deferred, snapshot);
        infer_units(snapshot);
        return snapshot;
    } catch (const std::bad_alloc&) {
        throw bad_input(path, "particles", "too many", "must fit into memory");
    }
}

/// Returns the format that the extension of the path names.
const FileFormat& format_of(const std::filesystem::path& path)
{
    const std::string extension = lower_case(path.extension().string());
    for (const FileFormat& format : file_formats)
        for (const char* known : format.extensions)
            if (known && extension == known)
                return format;
    throw Error(Fault::usage, path.string() + ": extension: '" + extension +
                                  "': must be .hdf5, .h5, .gadget2, .tipsy, .bin, .txt or .dat");
}

/// Throws Error with Fault::output unless every array has N entries. Unless `is_on_host`, moving
/// columns are not checked, and ids may be missing. A wrong length is a mistake of the caller.
void check_arrays(const Snapshot& snapshot, bool is_on_host, const std::filesystem::path& path)
{
    const Particles& particles = snapshot.particles;
    const std::size_t n = particles.size();
    if (n > std::size_t(max_on_one_rank))
        throw bad_output(path, "particles", std::to_string(n),
                         "must be at most " + std::to_string(max_on_one_rank) +
                             " in a file that one rank writes");
    const bool complete = particles.position.size() == n && particles.velocity.size() == n &&
                          (!snapshot.has_accelerations || particles.acceleration.size() == n) &&
                          (!snapshot.has_potentials || particles.potential.size() == n);
    const bool has_extra = std::ranges::all_of(
        particles.extra, [n](const auto& column) { return column.second.size() == n; });
    const bool has_ids = particles.id.size() == n || (!is_on_host && particles.id.empty());
    if (!has_ids || particles.type.size() != n || !has_extra || (is_on_host && !complete))
        throw bad_output(path, "particles", "arrays of different lengths",
                         "must all have " + std::to_string(n) + " entries");
    for (std::uint8_t type : particles.type)
        if (type > 5)
            throw bad_output(path, "type", std::to_string(int(type)), "0 to 5");
}

} // namespace

void number_particles(Snapshot& snapshot, const std::string& missing)
{
    std::iota(snapshot.particles.id.begin(), snapshot.particles.id.end(), 1);
    snapshot.notes.push_back("no " + missing + ": ids are 1 to N");
}

Snapshot read_snapshot(const std::filesystem::path& path, Masses masses)
{
    return read_and_check(path, masses, MovingCheck::now, max_on_one_rank, load_deferred);
}

Snapshot open_snapshot(const std::filesystem::path& path, Masses masses, MovingCheck moving)
{
    return read_and_check(path, masses, moving, max_in_files, [](Snapshot&) {});
}

std::shared_ptr<FileRows> open_rows(const std::filesystem::path& path)
{
    const InputFile file(path);
    const FileFormat* format = format_of(file);
    if (!format || !format->rows)
        throw bad_input(path, "format", "another one", "must be HDF5 or GADGET-2 binary");
    return format->rows(path);
}

void check_moving(const Snapshot& snapshot, const std::filesystem::path& path)
{
    const Box bounds = check_moving(snapshot.particles, *rows_of(snapshot), path);
    if (snapshot.deferred)
        snapshot.deferred->set_bounds(bounds);
}

void load_deferred(Snapshot& snapshot)
{
    const std::shared_ptr<FileRows> rows = std::move(snapshot.deferred);
    if (!rows)
        return;
    Particles& particles = snapshot.particles;
    const auto load = [&](Column column, auto& values) {
        resize_large(particles.size(), values);
        rows->read(column, 0, std::span(values));
    };
    load(Column::position, particles.position);
    load(Column::velocity, particles.velocity);
    if (snapshot.has_potentials)
        load(Column::potential, particles.potential);
    if (snapshot.has_accelerations)
        load(Column::acceleration, particles.acceleration);
}

std::shared_ptr<ParticleReader> rows_of(const Snapshot& snapshot)
{
    if (snapshot.deferred)
        return snapshot.deferred;
    return std::make_shared<RowsInMemory>(snapshot.particles);
}

std::vector<std::filesystem::path> snapshot_pieces(const std::filesystem::path& path)
{
    const InputFile file(path);
    const FileFormat* format = format_of(file);
    if (format && format->pieces)
        return format->pieces(path);
    return {path};
}

std::vector<std::filesystem::path> output_files(const std::filesystem::path& path, int pieces)
{
    if (pieces == 1)
        return {path};
    if (format_of(path).write)
        throw Error(Fault::usage, "{files}: " + std::to_string(pieces) + ": " + path.string() +
                                      ": must be 1: only .hdf5 and .h5 are written in pieces");
    std::vector<std::filesystem::path> files;
    for (int k = 0; k < pieces; ++k)
        files.push_back(piece_path(path, std::size_t(k)));
    files.push_back(path);
    return files;
}

void write_snapshot(const Snapshot& snapshot, const std::filesystem::path& path, int pieces)
{
    output_files(path, pieces);
    const auto write = format_of(path).write;
    if (!write) {
        RowsInMemory rows(snapshot.particles);
        return write_snapshot(snapshot, rows, path, pieces);
    }
    check_arrays(snapshot, true, path);
    PendingFile file(path);
    write(snapshot, file);
    file.commit();
}

void write_snapshot(const Snapshot& snapshot, ParticleReader& rows,
                    const std::filesystem::path& path, int pieces)
{
    check_arrays(snapshot, rows.is_on_host(), path);
    write_hdf5(snapshot, rows, path, pieces);
}

std::vector<std::string> left_out(const Snapshot& snapshot, const std::filesystem::path& path)
{
    return format_of(path).left_out(snapshot);
}

} // namespace chamomile
