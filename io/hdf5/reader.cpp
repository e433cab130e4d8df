// Reads HDF5 snapshots and initial conditions of Chamomile, GADGET-4 and SWIFT, in one or more
// files.
#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/hdf5/rows.hpp"
#include "chamomile/io/hdf5/units.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

/// Returns the files with the particles of a snapshot, given one of them or their master. A
/// master's virtual data sets are not read: HDF5 would fill missing pieces and open any file they
/// name.
std::vector<std::filesystem::path> files_of(const Hdf5Piece& first)
{
    return first.linked != 0 ? piece_paths(piece_path(first.path, 0), first.linked)
                             : piece_paths(first.path, first.files);
}

/// Opens all pieces, which may have up to `max` particles, and checks their consistency. Adds
/// notes.
std::vector<Hdf5Piece> open_hdf5_pieces(const std::filesystem::path& path, std::int64_t max,
                                        std::vector<std::string>& notes)
{
    Hdf5Piece first(path);
    std::vector<Hdf5Piece> pieces;
    TypeCounts found{}, tracers{};
    const auto names = files_of(first);
    for (const auto& name : names) {
        pieces.emplace_back(name);
        const Hdf5Piece& piece = pieces.back();
        if (std::max<std::int64_t>(piece.files, 1) != std::int64_t(names.size()) ||
            piece.time != first.time)
            throw bad_input(name, "Header/NumFilesPerSnapshot and Time",
                            std::to_string(piece.files) + ", " + number_text(piece.time),
                            "must be equal to the other pieces");
        for (std::size_t type = 0; type < 6; ++type) {
            found[type] += piece.counts[type] + piece.tracers[type];
            tracers[type] += piece.tracers[type];
        }
    }
    check_counts(found, path, max);
    if (first.linked != 0)
        check_totals(found, first.totals, path);
    for (const Hdf5Piece& piece : pieces) {
        if (const std::string note = check_totals(found, piece.totals, piece.path); !note.empty())
            notes.push_back(note);
        piece.check_data();
    }
    for (std::size_t type = 0; type < 6; ++type)
        if (tracers[type] > 0)
            notes.push_back(std::to_string(tracers[type]) + " particles of type " +
                            std::to_string(type) +
                            " not read: tracers of gas, without Coordinates");
    return pieces;
}

/// Reads the constant columns (masses, ids, ...) of one type into the arrays from `begin` on.
void read_type(const Hdf5Piece& piece, std::size_t type, std::size_t begin, Snapshot& snapshot)
{
    using namespace hdf5_layout;
    Particles& particles = snapshot.particles;
    const Hdf5Group group = piece.type_group(type);
    const std::size_t count = std::size_t(piece.counts[type]);
    std::fill_n(particles.type.begin() + std::ptrdiff_t(begin), count, std::uint8_t(type));
    if (piece.mass_table[type] > 0)
        std::fill_n(particles.mass.begin() + std::ptrdiff_t(begin), count, piece.mass_table[type]);
    else
        group.read_data(masses, std::span(particles.mass).subspan(begin, count));
    if (group.has_data(ids))
        group.read_ids(ids, std::span(particles.id).subspan(begin, count));
    if (!particles.softening.empty())
        group.read_data(softenings, std::span(particles.softening).subspan(begin, count));
    for (auto& [name, values] : particles.extra) {
        group.check_data(name.c_str(), std::int64_t(count), 1, H5T_FLOAT);
        group.read_data(name.c_str(), std::span(values).subspan(begin, count));
    }
}

/// Returns the names of Chamomile's extra columns.
std::vector<std::string> extra_names(const Hdf5Piece& piece)
{
    const auto strings = piece.group(hdf5_layout::own).strings();
    const auto found = strings.find(hdf5_layout::extra_columns);
    std::vector<std::string> names;
    std::istringstream list(found == strings.end() ? "" : found->second);
    for (std::string name; std::getline(list, name, ',');) {
        if (!hdf5_layout::is_extra_name(name))
            throw bad_input(piece.path, "Chamomile/columns", name,
                            "must be the name of a data set: letters, digits, _ and -");
        names.push_back(name);
    }
    return names;
}

/// Returns the number of particles in all pieces.
std::size_t number(const std::vector<Hdf5Piece>& pieces)
{
    std::int64_t result = 0;
    for (const Hdf5Piece& piece : pieces)
        result += sum(piece.counts);
    return std::size_t(result);
}

/// Returns whether every type with particles, in all pieces, has the data set.
bool all_have(const std::vector<Hdf5Piece>& pieces, const char* data)
{
    return number(pieces) > 0 &&
           std::all_of(pieces.begin(), pieces.end(),
                       [&](const Hdf5Piece& piece) { return piece.all_have(data); });
}

bool any_has(const std::vector<Hdf5Piece>& pieces, const char* data)
{
    for (const Hdf5Piece& piece : pieces)
        for (std::size_t type = 0; type < 6; ++type)
            if (piece.counts[type] > 0 && piece.type_group(type).has_data(data))
                return true;
    return false;
}

/// Returns the largest relative difference of masses in MassTable and Masses; none if no type has
/// both.
std::optional<double> difference_of_masses(const std::vector<Hdf5Piece>& pieces)
{
    std::optional<double> largest;
    for (const Hdf5Piece& piece : pieces)
        for (std::size_t type = 0; type < 6; ++type)
            if (const Hdf5Group group = piece.type_group(type);
                piece.counts[type] > 0 && piece.mass_table[type] > 0 &&
                group.has_data(hdf5_layout::masses)) {
                group.check_data(hdf5_layout::masses, piece.counts[type], 1, H5T_FLOAT);
                std::vector<double> masses(std::size_t(piece.counts[type]));
                group.read_data(hdf5_layout::masses, masses);
                for (const double mass : masses)
                    largest =
                        std::max(largest.value_or(0), std::abs(mass / piece.mass_table[type] - 1));
            }
    return largest;
}

/// Returns a snapshot with the header data of one piece, without particles.
Snapshot properties_of(const Hdf5Piece& piece)
{
    Snapshot snapshot;
    const Hdf5Group header = piece.group(hdf5_layout::header);
    const Hdf5Group parameters = piece.group(hdf5_layout::parameters);
    const auto header_strings = header.strings();
    const auto code = header_strings.find("Code");
    const bool swift = code != header_strings.end() && code->second == "SWIFT";
    snapshot.format = swift ? "HDF5, SWIFT layout" : "HDF5, GADGET-4 layout";
    snapshot.time = piece.time;
    snapshot.box_size = header.real("BoxSize", 0);
    checked(piece.path, "Header/BoxSize", snapshot.box_size, ranges::side_or_none);
    const double redshift = header.real("Redshift", 0);
    if (redshift <= -1)
        throw bad_input(piece.path, "Header/Redshift", number_text(redshift), "must be above -1");
    // SWIFT keeps the cosmology in a separate group, and the cosmic time in the header.
    const Hdf5Group cosmology = piece.group("Cosmology");
    const auto of_swift = [&](const char* name, double otherwise) {
        return swift ? cosmology.real(name, otherwise) : otherwise;
    };
    const auto parameter = [&](const char* name, const char* of_gizmo, const char* name_of_swift) {
        return of_swift(name_of_swift,
                        parameters.real(name, header.real(name, header.real(of_gizmo, 0))));
    };
    std::optional<bool> comoving;
    for (const Hdf5Group* group : {&header, &parameters})
        if (const char* name = "ComovingIntegrationOn"; group->has_attribute(name))
            comoving = group->real(name, 0) != 0;
    if (const char* name = "Cosmological run"; swift && cosmology.has_attribute(name))
        comoving = cosmology.real(name, 0) != 0;
    recognise_comoving({swift ? 1 / (1 + redshift) : piece.time, redshift,
                        parameter("Omega0", "Omega_Matter", "Omega_m"),
                        parameter("OmegaLambda", "Omega_Lambda", "Omega_lambda"),
                        parameter("HubbleParam", "HubbleParam", "h"), comoving},
                       snapshot);
    const Hdf5Group own = piece.group(hdf5_layout::own);
    if (auto& frame = snapshot.comoving) {
        frame->omega_radiation = own.real(hdf5_layout::omega_radiation, of_swift("Omega_r", 0));
        frame->w0 = own.real(hdf5_layout::w0, of_swift("w_0", -1));
        frame->wa = own.real(hdf5_layout::wa, of_swift("w_a", 0));
        if (swift) {
            snapshot.time = frame->scale_factor;
            snapshot.notes.push_back("uses the scale factor as time, instead of the cosmic time " +
                                     number_text(piece.time));
        }
        frame->physical_softening = own.real(hdf5_layout::physical_softening, 0);
    }
    for (const auto& [key, value] : own.strings())
        if (hdf5_layout::is_provenance(key))
            snapshot.provenance[key] = value;
    read_units(piece, snapshot);
    return snapshot;
}

} // namespace

std::vector<std::filesystem::path> hdf5_pieces(const std::filesystem::path& path)
{
    const Hdf5Quiet quiet;
    const Hdf5Piece first(path);
    std::vector<std::filesystem::path> files = files_of(first);
    if (first.linked != 0)
        files.push_back(path);
    return files;
}

std::shared_ptr<FileRows> open_hdf5_rows(const std::filesystem::path& path)
{
    const Hdf5Quiet quiet;
    std::vector<std::string> notes;
    return std::make_shared<Hdf5Rows>(open_hdf5_pieces(path, max_in_files, notes));
}

Snapshot read_hdf5(const std::filesystem::path& path, std::int64_t max)
{
    const Hdf5Quiet quiet;
    std::vector<std::string> notes;
    const auto rows = std::make_shared<Hdf5Rows>(open_hdf5_pieces(path, max, notes));
    const std::vector<Hdf5Piece>& pieces = rows->pieces();
    Snapshot snapshot = properties_of(pieces[0]);
    snapshot.notes.insert(snapshot.notes.end(), notes.begin(), notes.end());
    for (std::size_t k = 1; k < pieces.size(); ++k)
        check_same(snapshot, properties_of(pieces[k]), pieces[k].path);
    if (pieces.size() > 1)
        snapshot.format += ", " + std::to_string(pieces.size()) + " files";
    snapshot.has_potentials = all_have(pieces, hdf5_layout::potentials);
    snapshot.has_accelerations = all_have(pieces, hdf5_layout::accelerations);

    Particles& particles = snapshot.particles;
    const std::size_t count = number(pieces);
    resize_large(count, particles.id, particles.type, particles.mass);
    if (all_have(pieces, hdf5_layout::softenings))
        particles.softening.resize(count);
    for (const std::string& name : extra_names(pieces[0]))
        particles.extra[name].resize(count);
    std::size_t begin = 0;
    for (std::size_t type = 0; type < 6; ++type)
        for (const Hdf5Piece& piece : pieces) {
            if (piece.counts[type] > 0)
                read_type(piece, type, begin, snapshot);
            begin += std::size_t(piece.counts[type]);
        }
    for (const Hdf5Piece& piece : pieces)
        piece.as_opened.check();
    snapshot.deferred = rows;
    if (!particles.softening.empty())
        set_softenings(pieces[0], snapshot);
    else
        read_softening_classes(pieces[0], snapshot);
    if (particles.softening.empty() && any_has(pieces, hdf5_layout::softenings))
        snapshot.notes.push_back("SofteningLength only for some types: not read");
    if (particles.size() > 0 && !all_have(pieces, hdf5_layout::ids))
        number_particles(snapshot, "ParticleIDs (or not for all types)");
    if (const auto difference = difference_of_masses(pieces))
        snapshot.notes.push_back(
            std::string("masses of a type in both MassTable and Masses") +
            (*difference > 1e-6 ? ", which differ by at most " + number_text(*difference) : "") +
            ": uses the table");
    if (!snapshot.format.starts_with("HDF5, SWIFT"))
        make_velocities_peculiar(snapshot);
    return snapshot;
}

} // namespace chamomile
