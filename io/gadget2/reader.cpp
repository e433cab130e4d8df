// Reads GADGET-2 binary snapshots of formats 1 and 2, either byte order, single or double
// precision, 4- or 8-byte ids, in one file or several.
#include <algorithm>
#include <bit>
#include <memory>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/gadget2/blocks.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

/// Gadget2Rows reads the particles of all pieces, piece by piece.
class Gadget2Rows final : public FileRows {
public:
    explicit Gadget2Rows(std::vector<std::unique_ptr<Gadget2Piece>> pieces)
        : pieces_(std::move(pieces))
    {}

    const std::vector<std::unique_ptr<Gadget2Piece>>& pieces() const { return pieces_; }

private:
    std::vector<const UnchangedFile*> files() const override
    {
        std::vector<const UnchangedFile*> files;
        for (const auto& piece : pieces_)
            files.push_back(&piece->as_opened);
        return files;
    }

    void read_numbers(Column value, std::size_t begin, std::span<double> numbers) override
    {
        constexpr const char* labels[] = {"POS ", "VEL ", "ACCE", "POT "};
        const std::size_t columns = is_vector(value) ? 3 : 1;
        std::size_t skipped = begin;
        for (const auto& piece : pieces_) {
            const auto count = std::size_t(piece->count());
            const std::size_t from = std::min(skipped, count),
                              here = std::min(count - from, numbers.size() / columns);
            skipped -= from;
            if (here == 0)
                continue;
            const Gadget2Block& block = piece->block(labels[std::size_t(value)]);
            const int width = piece->width(block, std::int64_t(columns * count));
            piece->file.read_reals(block.offset + std::int64_t(from * columns) * width, width,
                                   piece->order, numbers.first(here * columns));
            piece->as_opened.check();
            numbers = numbers.subspan(here * columns);
        }
    }

    std::vector<std::unique_ptr<Gadget2Piece>> pieces_;
};

void read_masses(const Gadget2Piece& piece, std::int64_t begin, Particles& particles)
{
    std::int64_t offset = 0;
    int width = 0;
    if (piece.masses() > 0) {
        const Gadget2Block& block = piece.block("MASS");
        width = piece.width(block, piece.masses());
        offset = block.offset;
    }
    for (std::uint8_t type = 0; type < 6; ++type) {
        const std::size_t count = piece.header.count[type];
        const std::span<double> masses(particles.mass.data() + begin, count);
        if (piece.header.mass[type] > 0)
            std::fill(masses.begin(), masses.end(), piece.header.mass[type]);
        else {
            piece.file.read_reals(offset, width, piece.order, masses);
            offset += std::int64_t(count) * width;
        }
        std::fill_n(particles.type.begin() + begin, count, type);
        begin += std::int64_t(count);
    }
}

/// Reads ids and masses. Positions, velocities, accelerations and potentials stay in the file.
void read_piece(const Gadget2Piece& piece, std::int64_t begin, Particles& particles)
{
    if (piece.count() == 0)
        return;
    if (const Gadget2Block* ids = piece.find("ID  "))
        piece.file.read_integers(ids->offset, piece.width(*ids, piece.count()), piece.order,
                                 {particles.id.data() + begin, std::size_t(piece.count())});
    read_masses(piece, begin, particles);
}

/// Opens all pieces, which may have up to `max` particles, and checks their consistency. Adds
/// notes.
std::vector<std::unique_ptr<Gadget2Piece>> open_gadget2_pieces(const std::filesystem::path& path,
                                                               std::int64_t max,
                                                               std::vector<std::string>& notes)
{
    std::vector<std::unique_ptr<Gadget2Piece>> pieces;
    const std::int32_t files = Gadget2Piece(path).header.files;
    TypeCounts found{};
    for (const auto& name : piece_paths(path, files)) {
        pieces.push_back(std::make_unique<Gadget2Piece>(name));
        const Gadget2Header& header = pieces.back()->header;
        if (header.files != files || header.time != pieces[0]->header.time)
            throw bad_input(name, "number of files and time",
                            std::to_string(header.files) + ", " + number_text(header.time),
                            "must be equal to the other pieces");
        for (std::size_t type = 0; type < 6; ++type)
            found[type] += header.count[type];
    }
    check_counts(found, path, max);
    for (const auto& piece : pieces) {
        const TypeTotals stated = piece->totals();
        if (stated.low == TypeCounts{} && pieces.size() == 1)
            continue; // not stated
        if (const std::string note = check_totals(found, stated, piece->file.path()); !note.empty())
            notes.push_back(note);
    }
    return pieces;
}

std::string description(const Gadget2Piece& piece, std::size_t pieces)
{
    std::string text = "GADGET-2 binary, format " + std::to_string(piece.format);
    const bool little =
        (std::endian::native == std::endian::little) == (piece.order == ByteOrder::host);
    text += little ? ", little endian" : ", big endian";
    if (piece.count() > 0) {
        text += piece.width(piece.block("POS "), 3 * piece.count()) == 4 ? ", single precision"
                                                                         : ", double precision";
        const Gadget2Block* ids = piece.find("ID  ");
        text += !ids                                    ? ", no ids"
                : piece.width(*ids, piece.count()) == 4 ? ", 4-byte ids"
                                                        : ", 8-byte ids";
    }
    return pieces > 1 ? text + ", " + std::to_string(pieces) + " files" : text;
}

void set_units(const Gadget2Header& header, Snapshot& snapshot)
{
    if (header.has_units()) {
        snapshot.units = header.units();
        if (header.gravitational_constant != snapshot.units.gravitational_constant())
            snapshot.gravitational_constant = header.gravitational_constant;
        return;
    }
    snapshot.units = Units::gadget(snapshot.comoving || header.hubble != 1);
    snapshot.has_stated_units = false;
}

/// Returns a snapshot with the header data of one piece, without particles.
Snapshot properties_of(const Gadget2Piece& piece)
{
    const Gadget2Header& header = piece.header;
    Snapshot snapshot;
    snapshot.time = header.time;
    snapshot.box_size = header.box_size;
    recognise_comoving({header.time, header.redshift, header.omega_matter, header.omega_lambda,
                        header.hubble, header.states_comoving()},
                       snapshot);
    set_units(header, snapshot);
    return snapshot;
}

void record_deviations(const Gadget2Piece& piece, Snapshot& snapshot)
{
    if (!piece.label_note.empty())
        snapshot.notes.push_back(piece.label_note);
    if (piece.format == 2 && piece.count() > 0 && piece.masses() == 0 && piece.find("MASS"))
        snapshot.notes.push_back("masses of a type in both header and block MASS: uses the header");
}

} // namespace

std::vector<std::filesystem::path> gadget2_pieces(const std::filesystem::path& path)
{
    return piece_paths(path, Gadget2Piece(path).header.files);
}

std::shared_ptr<FileRows> open_gadget2_rows(const std::filesystem::path& path)
{
    std::vector<std::string> notes;
    return std::make_shared<Gadget2Rows>(open_gadget2_pieces(path, max_in_files, notes));
}

Snapshot read_gadget2(const std::filesystem::path& path, std::int64_t max)
{
    std::vector<std::string> notes;
    const auto rows = std::make_shared<Gadget2Rows>(open_gadget2_pieces(path, max, notes));
    const auto& pieces = rows->pieces();
    Snapshot snapshot = properties_of(*pieces[0]);
    snapshot.notes.insert(snapshot.notes.end(), notes.begin(), notes.end());
    snapshot.format = description(*pieces[0], pieces.size());
    for (const auto& piece : pieces)
        check_same(snapshot, properties_of(*piece), piece->file.path());
    record_deviations(*pieces[0], snapshot);

    snapshot.has_accelerations = snapshot.has_potentials = true;
    bool has_ids = true;
    std::int64_t total = 0;
    for (const auto& piece : pieces)
        if (piece->count() > 0) {
            total += piece->count();
            snapshot.has_accelerations &= piece->find("ACCE") != nullptr;
            snapshot.has_potentials &= piece->find("POT ") != nullptr;
            has_ids &= piece->find("ID  ") != nullptr;
        }
    snapshot.has_accelerations &= total > 0;
    snapshot.has_potentials &= total > 0;
    snapshot.particles.id.resize(std::size_t(total));
    snapshot.particles.type.resize(std::size_t(total));
    snapshot.particles.mass.resize(std::size_t(total));
    std::int64_t begin = 0;
    for (const auto& piece : pieces) {
        read_piece(*piece, begin, snapshot.particles);
        piece->as_opened.check();
        begin += piece->count();
    }
    if (!has_ids)
        number_particles(snapshot, "block ID");
    snapshot.deferred = rows;
    make_velocities_peculiar(snapshot);
    return snapshot;
}

} // namespace chamomile
