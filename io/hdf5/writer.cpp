// Writes HDF5 snapshots in GADGET-4's layout, with the attributes that SWIFT, yt and pynbody need.
#include <array>
#include <cmath>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <span>

#include "chamomile/core/bytes.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/facts_archive.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/hdf5/output.hpp"
#include "chamomile/io/hdf5/pieces.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/io/shared_files.hpp"
#include "chamomile/io/type_order.hpp"

namespace chamomile {
namespace {

using namespace hdf5_layout;

/// Returns the units to state for other programs. N-body units have no scale. They are stated as
/// centimeter, gram and the velocity for G = 1, so that other programs compute G = 1.
Units stated_units(const Units& units)
{
    if (units.physical)
        return units;
    Units cgs{1, 1, 1, true, false};
    cgs.velocity_in_cm_per_s = std::sqrt(cgs.gravitational_constant());
    return cgs;
}

constexpr double seconds_per_Gyr = 1e9 * 365.25 * 86400;

/// A Scaling holds the exponents of scale factor, h and units in a quantity, as GADGET-4 states
/// them.
struct Scaling {
    double a = 0, h = 0, length = 0, mass = 0, velocity = 0;
};

constexpr Scaling position_scaling{1, -1, 1, 0, 0}, velocity_scaling{0.5, 0, 0, 0, 1},
    mass_scaling{0, -1, 0, 1, 0}, potential_scaling{-1, 0, 0, 0, 2},
    acceleration_scaling{-2, 1, -1, 0, 2};

/// A FilePart is the part of a snapshot in one file: piece `number` of `pieces`, which hold nearly
/// equal runs of each type, or the master, which links all rows.
struct FilePart {
    const WholeSnapshot& whole;
    const std::filesystem::path& path; ///< of the snapshot and its master
    int number, pieces;

    bool is_master() const { return number == pieces; }
    std::filesystem::path file() const
    {
        return is_master() || pieces == 1 ? path : piece_path(path, std::size_t(number));
    }

    /// Returns the first row of a type in this piece; of the master: the number of rows.
    std::size_t first_row(int type) const
    {
        return whole.counts[type] * std::size_t(number) / std::size_t(pieces);
    }
    /// Returns the number of rows of a type in this file.
    std::size_t count(int type) const
    {
        return is_master() ? whole.counts[type]
                           : piece(number + 1).first_row(type) - first_row(type);
    }
    FilePart piece(int k) const { return {whole, path, k, pieces}; }

    /// Returns the max number of bytes: the columns, 1 % and 4 KiB each for check sums and indices,
    /// and the header; in a master 70 per link, and the names of file and data set.
    std::int64_t max_bytes() const
    {
        const std::size_t numbers = 2 + std::size_t(whole.has_softenings) + whole.extra.size() +
                                    std::size_t(whole.facts.has_potentials),
                          vectors = 2 + std::size_t(whole.facts.has_accelerations),
                          link = path.filename().string().size() + 160;
        double bytes = 1 << 17;
        for (int type = 0; type < 6; ++type)
            if (const std::size_t rows = count(type))
                bytes += is_master() ? double(std::size_t(pieces) * (numbers + vectors) * link)
                                     : double(Hdf5Output::stored_rows(rows)) *
                                               double(8 * numbers + 24 * vectors) * 1.01 +
                                           double(numbers + vectors) * 4096;
        return std::int64_t(bytes);
    }
};

/// An Hdf5Writer writes the groups of a snapshot's file.
class Hdf5Writer {
public:
    Hdf5Writer(const FilePart& part, RowsByType& rows, PendingFile& file)
        : whole_(part.whole), snapshot_(whole_.facts), rows_(rows), part_(part),
          units_(stated_units(snapshot_.units)),
          by_gadget_(snapshot_.units.physical ? units_by_gadget(snapshot_) : units_), out_(file)
    {}

    void write()
    {
        write_header();
        write_units();
        write_parameters();
        write_own();
        for (int type = 0; type < 6; ++type)
            if (part_.count(type) > 0)
                write_type(type);
        out_.close();
    }

private:
    void write_header()
    {
        const Hdf5Handle group = out_.group(header);
        std::array<std::uint64_t, 6> counts, totals; // 64 bits: the high words are 0
        for (int type = 0; type < 6; ++type) {
            counts[type] = part_.count(type);
            totals[type] = whole_.counts[type];
        }
        out_.attribute(group, "NumPart_ThisFile", counts);
        out_.attribute(group, "NumPart_Total", totals);
        out_.attribute(group, "NumPart_Total_HighWord", std::array<std::uint32_t, 6>{});
        out_.attribute(group, "MassTable", std::array<double, 6>{});
        out_.attribute(group, "Flag_Entropy_ICs", std::array<std::int32_t, 6>{});
        out_.attribute(group, "NumFilesPerSnapshot",
                       std::int32_t(part_.is_master() ? 1 : part_.pieces));
        out_.attribute(group, "Time", snapshot_.time);
        out_.attribute(group, "BoxSize", snapshot_.box_size);
        const auto& frame = snapshot_.comoving;
        out_.attribute(group, "Redshift", frame ? 1 / frame->scale_factor - 1 : 0.0);
        write_cosmology(group);
    }

    void write_cosmology(const Hdf5Handle& group)
    {
        if (const auto& frame = snapshot_.comoving) {
            out_.attribute(group, "Omega0", frame->omega_matter);
            out_.attribute(group, "OmegaLambda", frame->omega_lambda);
            out_.attribute(group, "HubbleParam", frame->hubble);
        }
    }

    void write_gadget_units(const Hdf5Handle& group)
    {
        out_.attribute(group, "UnitLength_in_cm", by_gadget_.length_in_cm);
        out_.attribute(group, "UnitMass_in_g", by_gadget_.mass_in_g);
        out_.attribute(group, "UnitVelocity_in_cm_per_s", by_gadget_.velocity_in_cm_per_s);
    }

    void write_units()
    {
        const Hdf5Handle group = out_.group(hdf5_layout::units);
        write_gadget_units(group);
        out_.attribute(group, "UnitTime_in_s",
                       by_gadget_.length_in_cm / by_gadget_.velocity_in_cm_per_s);
        out_.attribute(group, "Unit length in cgs (U_L)", units_.length_in_cm);
        out_.attribute(group, "Unit mass in cgs (U_M)", units_.mass_in_g);
        out_.attribute(group, "Unit time in cgs (U_t)",
                       units_.length_in_cm / units_.velocity_in_cm_per_s);
        out_.attribute(group, "Unit current in cgs (U_I)", 1.0);
        out_.attribute(group, "Unit temperature in cgs (U_T)", 1.0);
    }

    void write_parameters()
    {
        const Hdf5Handle group = out_.group(parameters);
        write_gadget_units(group);
        out_.attribute(group, "ComovingIntegrationOn", std::int32_t(snapshot_.comoving ? 1 : 0));
        write_cosmology(group);
        if (snapshot_.box_size > 0)
            out_.attribute(group, "BoxSize", snapshot_.box_size);
        if (!snapshot_.comoving) // without a time pynbody shows the age of the universe
            out_.attribute(group, "Time_GYR",
                           snapshot_.time * units_.length_in_cm / units_.velocity_in_cm_per_s /
                               seconds_per_Gyr);
        if (snapshot_.softening)
            write_softening_classes(group);
    }

    /// Writes GADGET-4's softening classes, one per softening length. Writes none if particles of
    /// one type differ in length.
    void write_softening_classes(const Hdf5Handle& group)
    {
        const std::vector<double>& of_type = whole_.softenings;
        if (of_type.empty())
            return;
        std::vector<double> lengths;
        for (const double length : of_type)
            if (std::find(lengths.begin(), lengths.end(), length) == lengths.end())
                lengths.push_back(length);
        for (int type = 0; type < 6; ++type)
            out_.attribute(group, "SofteningClassOfPartType" + std::to_string(type),
                           std::int32_t(std::find(lengths.begin(), lengths.end(), of_type[type]) -
                                        lengths.begin()));
        const bool limited = snapshot_.comoving && snapshot_.comoving->physical_softening > 0;
        for (std::size_t k = 0; k < lengths.size(); ++k) {
            const std::string number = std::to_string(k);
            out_.attribute(group, "SofteningComovingClass" + number, lengths[k]);
            out_.attribute(group, "SofteningMaxPhysClass" + number,
                           limited ? snapshot_.comoving->physical_softening : lengths[k]);
        }
    }

    void write_own()
    {
        const Hdf5Handle group = out_.group(own);
        const Units& units = snapshot_.units;
        const char* system = !units.physical    ? nbody_units
                             : units.per_hubble ? physical_units_per_h
                                                : physical_units;
        for (const auto& [key, value] : snapshot_.provenance)
            if (is_provenance(key))
                out_.attribute(group, key, value);
        out_.attribute(group, unit_system, std::string(system));
        std::string names;
        for (const std::string& name : whole_.extra)
            names += (names.empty() ? "" : ",") + name;
        if (!names.empty())
            out_.attribute(group, extra_columns, names);
        if (part_.is_master())
            out_.attribute(group, pieces, std::int32_t(part_.pieces));
        out_.attribute(group, gravitational_constant, snapshot_.G());
        if (const auto& frame = snapshot_.comoving) {
            out_.attribute(group, omega_radiation, frame->omega_radiation);
            out_.attribute(group, w0, frame->w0);
            out_.attribute(group, wa, frame->wa);
            out_.attribute(group, physical_softening, frame->physical_softening);
        }
        if (snapshot_.softening) {
            out_.attribute(group, softening_kind,
                           std::string(form_of(snapshot_.softening->kind).word));
            out_.attribute(group, softening_length, snapshot_.softening->length);
            if (whole_.has_softenings)
                out_.attribute(group, softening_rule,
                               std::string(snapshot_.softening->rule == SofteningRule::larger
                                               ? larger
                                               : root_of_squares));
        }
    }

    void write_type(int type)
    {
        const Hdf5Handle group = out_.group("PartType" + std::to_string(type));
        sources_.clear();
        for (int k = 0; part_.is_master() && k < part_.pieces; ++k)
            if (const FilePart piece = part_.piece(k); piece.count(type) > 0)
                sources_.push_back({piece.file().filename(), piece.count(type)});
        write_vectors(group, positions, {Column::position, type}, 1, position_scaling);
        write_vectors(group, velocities, {Column::velocity, type}, velocity_factor(snapshot_),
                      velocity_scaling);
        write_reals(group, masses, {Column::mass, type}, mass_scaling);
        write_rows<std::uint64_t>(group, ids, {Column::id, type}, std::identity());
        if (whole_.has_softenings)
            write_reals(group, softenings, {Column::softening, type}, position_scaling);
        for (std::uint32_t k = 0; k < whole_.extra.size(); ++k)
            write_rows<double>(group, whole_.extra[k].c_str(), {Column::extra, type, k},
                               std::identity());
        if (snapshot_.has_potentials)
            write_reals(group, potentials, {Column::potential, type}, potential_scaling);
        if (snapshot_.has_accelerations)
            write_vectors(group, accelerations, {Column::acceleration, type}, 1,
                          acceleration_scaling);
    }

    /// Writes convert(value) for the values of a column, or links the rows if this is the master.
    template <class T, class Convert>
    Hdf5Handle write_rows(const Hdf5Handle& group, const char* name, RowRange range,
                          const Convert& convert)
    {
        if (part_.is_master())
            return out_.links(group, name, row_type(T{}), sources_);
        const std::size_t begin_here = part_.first_row(range.type);
        std::span<const T> part;
        std::size_t first = 0;
        const auto row = [&](std::size_t k) -> T { return convert(part[k - first]); };
        const auto fetch = [&](std::size_t begin, std::size_t end) {
            range.begin = begin_here + begin;
            range.end = begin_here + end;
            part = rows_.read<T>(range);
            first = begin;
        };
        return out_.data(group, name, part_.count(range.type), row,
                         Hdf5Output::RowsInParts{rows_.max(), fetch});
    }

    void write_vectors(const Hdf5Handle& group, const char* name, const RowRange& range,
                       double divisor, const Scaling& scaling)
    {
        const auto divided = [divisor](const Vec3<double>& v) {
            return Vec3<double>{v.x / divisor, v.y / divisor, v.z / divisor};
        };
        write_scaling(write_rows<Vec3<double>>(group, name, range, divided), scaling);
    }

    void write_reals(const Hdf5Handle& group, const char* name, const RowRange& range,
                     const Scaling& scaling)
    {
        write_scaling(write_rows<double>(group, name, range, std::identity()), scaling);
    }

    void write_scaling(const Hdf5Handle& data, const Scaling& scaling)
    {
        out_.attribute(data, "a_scaling", scaling.a);
        out_.attribute(data, "h_scaling", scaling.h);
        out_.attribute(data, "length_scaling", scaling.length);
        out_.attribute(data, "mass_scaling", scaling.mass);
        out_.attribute(data, "velocity_scaling", scaling.velocity);
        out_.attribute(data, "to_cgs",
                       std::pow(by_gadget_.length_in_cm, scaling.length) *
                           std::pow(by_gadget_.mass_in_g, scaling.mass) *
                           std::pow(by_gadget_.velocity_in_cm_per_s, scaling.velocity));
    }

    const WholeSnapshot& whole_;
    const SnapshotFacts& snapshot_;
    RowsByType& rows_;
    FilePart part_;
    std::vector<Hdf5Output::Source> sources_; ///< pieces with rows of the present type
    Units units_, by_gadget_;                 ///< units of the data; units stated for GADGET
    Hdf5Output out_;
};

/// Rows that one rank reads from memory, from a file or from other ranks.
class OwnRows final : public RowsByType {
public:
    OwnRows(const Snapshot& snapshot, ParticleReader& rows)
        : particles_(snapshot.particles), rows_(rows), types_(snapshot.particles)
    {}

    std::size_t max() const override { return rows_.max(); }

private:
    std::span<const std::byte> read_bytes_of(const RowRange& range) override
    {
        const std::span<const Index> indices{
            types_.order.data() + types_.begin[range.type] + range.begin, range.end - range.begin};
        if (range.column == Column::mass)
            return gathered(particles_.mass, indices);
        if (range.column == Column::softening)
            return gathered(particles_.softening, indices);
        if (range.column == Column::extra)
            return gathered(std::next(particles_.extra.begin(), range.extra)->second, indices);
        const RowSelection asked(indices);
        if (range.column == Column::id)
            return particles_.id.empty() ? std::as_bytes(rows_.read_ids(asked))
                                         : gathered(particles_.id, indices);
        return is_vector(range.column) ? std::as_bytes(rows_.read_vectors(range.column, asked))
                                       : std::as_bytes(rows_.read_scalars(range.column, asked));
    }

    template <class T>
    std::span<const std::byte> gathered(const std::vector<T>& all, std::span<const Index> indices)
    {
        gathered_.resize(indices.size() * sizeof(T));
        T* const to = reinterpret_cast<T*>(gathered_.data());
#pragma omp parallel for if (indices.size() > worth_threads) schedule(static)
        for (std::size_t k = 0; k < indices.size(); ++k)
            to[k] = all[indices[k]];
        return gathered_;
    }

    const Particles& particles_;
    ParticleReader& rows_;
    TypeOrder types_;
    std::vector<std::byte> gathered_;
};

/// Returns the softening length per type; empty if particles of one type differ in length.
std::vector<double> softenings_of_types(const Snapshot& snapshot)
{
    if (!snapshot.softening)
        return {};
    const Particles& particles = snapshot.particles;
    std::vector<double> of_type(6, snapshot.softening->length);
    std::array<bool, 6> has_type{};
    for (std::size_t i = 0; i < particles.softening.size(); ++i) {
        const std::uint8_t type = particles.type[i];
        if (has_type[type] && particles.softening[i] != of_type[type])
            return {};
        of_type[type] = particles.softening[i];
        has_type[type] = true;
    }
    return of_type;
}

} // namespace

WholeSnapshot::WholeSnapshot(const Snapshot& snapshot)
    : facts(snapshot), counts(6), has_softenings(!snapshot.particles.softening.empty()),
      softenings(softenings_of_types(snapshot))
{
    const std::vector<std::uint8_t>& types = snapshot.particles.type;
    auto* const of_type = counts.data();
#pragma omp parallel for if (types.size() > worth_threads) reduction(+ : of_type[:6])
    for (std::size_t i = 0; i < types.size(); ++i)
        ++of_type[types[i]];
    for (const auto& [name, values] : snapshot.particles.extra)
        extra.push_back(name);
}

void WholeSnapshot::exchange(Archive& archive)
{
    exchange_facts(archive, facts);
    archive("snapshot/counts", counts);
    archive("snapshot/extra", extra);
    archive("snapshot/has_softenings", has_softenings);
    archive("snapshot/softenings", softenings);
}

bool write_pieces(const WholeSnapshot& whole, RowsByType& rows, const std::filesystem::path& path,
                  int pieces, Communicator& ranks)
{
    const int rank = ranks.rank(), begin = int(ranks.first_of_run(std::uint64_t(pieces), rank)),
              end = int(ranks.first_of_run(std::uint64_t(pieces), rank + 1));
    const auto part = [&](int k) { return FilePart{whole, path, k, pieces}; };
    std::deque<PendingFile> files; // every file on rank 0, else own pieces
    const auto targets = [&] {
        std::vector<std::filesystem::path> targets;
        for (int k = 0; k < (pieces > 1 ? pieces + 1 : 1); ++k)
            targets.push_back(part(k).file());
        return targets;
    };
    if (!create_on_ranks(targets, std::size_t(begin), std::size_t(end), ranks, files))
        return false;

    // HDF5 failures while closing cannot be repaired, so all files reserve their room first. HDF5
    // truncates them.
    const auto own = [&](int k) -> PendingFile& {
        return files[std::size_t(rank == 0 ? k : k - begin)];
    };
    ranks.run_and_agree([&] {
        for (int k = begin; k < end; ++k)
            own(k).reserve_space(part(k).max_bytes());
        if (rank == 0 && pieces > 1)
            files.back().reserve_space(part(pieces).max_bytes());
    });
    const auto write = [&](int k) {
        const Hdf5Quiet quiet;
        Hdf5Writer(part(k), rows, own(k)).write();
    };
    std::exception_ptr failure;
    try {
        for (int k = begin; k < end; ++k)
            write(k);
    } catch (const PeerFailed&) {
        throw;
    } catch (const Error& error) {
        if (error.fault() != Fault::output) // other ranks do not wait for requests
            throw;
        failure = std::current_exception();
    }
    rows.finish();
    const auto finish = [&] {
        if (failure)
            std::rethrow_exception(failure);
        if (rank == 0 && pieces > 1)
            write(pieces);
        for (PendingFile& file : files)
            file.finish();
    };
    ranks.run_and_agree(finish, Timeout::endless); // a slow disk is no failure
    ranks.run_and_agree([&] {
        if (rank == 0)
            commit_together(files);
    });
    return true;
}

void write_hdf5(const Snapshot& snapshot, ParticleReader& rows, const std::filesystem::path& path,
                int pieces)
{
    OwnRows own(snapshot, rows);
    Communicator alone;
    write_pieces(WholeSnapshot(snapshot), own, path, pieces, alone);
}

} // namespace chamomile
