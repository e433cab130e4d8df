// Writes HDF5 snapshots in GADGET-4's layout, with the attributes that SWIFT, yt and pynbody need.
#include <array>
#include <cmath>
#include <deque>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/hdf5/output.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/pending_file.hpp"
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
    const std::filesystem::path& whole; ///< name of the snapshot and its master
    int number, pieces;

    bool is_master() const { return number == pieces; }
    std::filesystem::path file() const
    {
        return is_master() || pieces == 1 ? whole : piece_path(whole, std::size_t(number));
    }
};

/// An Hdf5Writer writes the groups of a snapshot's file.
class Hdf5Writer {
public:
    Hdf5Writer(const Snapshot& snapshot, ParticleReader& rows, const TypeOrder& types,
               const FilePart& part, PendingFile& file)
        : snapshot_(snapshot), particles_(snapshot.particles), rows_(rows), types_(types),
          part_(part), units_(stated_units(snapshot.units)),
          by_gadget_(snapshot.units.physical ? units_by_gadget(snapshot) : units_),
          out_(probed(file))
    {}

    void write()
    {
        write_header();
        write_units();
        write_parameters();
        write_own();
        for (int type = 0; type < 6; ++type)
            if (!indices_of(type).empty())
                write_type(type);
        out_.close();
    }

private:
    /// Returns the file, for which the disk has room. HDF5 failures while closing cannot be
    /// repaired, so the disk space is probed first: max 120 bytes per particle and 8 per extra
    /// column, 1 % for check sums and indices, and the header.
    PendingFile& probed(PendingFile& file) const
    {
        std::size_t count = 0;
        for (int type = 0; type < 6 && !part_.is_master(); ++type)
            count += indices_of(type).size();
        file.require_space(
            std::int64_t(double(count * (120 + 8 * particles_.extra.size())) * 1.01) + (1 << 17));
        return file;
    }

    /// Returns the particles of a type in piece `number`.
    std::span<const Index> indices_in(int number, int type) const
    {
        const auto before = [&](int piece) {
            return types_.count(type) * std::size_t(piece) / std::size_t(part_.pieces);
        };
        return {types_.order.data() + types_.begin[type] + before(number),
                before(number + 1) - before(number)};
    }

    /// Returns the particles of a type in this file.
    std::span<const Index> indices_of(int type) const
    {
        if (!part_.is_master())
            return indices_in(part_.number, type);
        return {types_.order.data() + types_.begin[type], types_.count(type)};
    }

    void write_header()
    {
        const Hdf5Handle group = out_.group(header);
        std::array<std::uint64_t, 6> counts, totals; // 64 bits: the high words are 0
        for (int type = 0; type < 6; ++type) {
            counts[type] = indices_of(type).size();
            totals[type] = types_.count(type);
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
        std::array<double, 6> of_type;
        of_type.fill(snapshot_.softening->length);
        std::vector<double> lengths;
        for (int type = 0; type < 6; ++type) {
            for (std::size_t k = types_.begin[type]; k < types_.begin[type + 1]; ++k) {
                if (particles_.softening.empty())
                    break;
                const double own = particles_.softening[types_.order[k]];
                if (k > types_.begin[type] && own != of_type[type])
                    return;
                of_type[type] = own;
            }
            if (std::find(lengths.begin(), lengths.end(), of_type[type]) == lengths.end())
                lengths.push_back(of_type[type]);
        }
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
        for (const auto& [name, values] : particles_.extra)
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
            if (!particles_.softening.empty())
                out_.attribute(group, softening_rule,
                               std::string(snapshot_.softening->rule == SofteningRule::larger
                                               ? larger
                                               : root_of_squares));
        }
    }

    void write_type(int type)
    {
        const Hdf5Handle group = out_.group("PartType" + std::to_string(type));
        const std::span<const Index> indices = indices_of(type);
        sources_.clear();
        for (int k = 0; part_.is_master() && k < part_.pieces; ++k)
            if (const std::size_t count = indices_in(k, type).size())
                sources_.push_back(
                    {FilePart{part_.whole, k, part_.pieces}.file().filename(), count});
        write_vectors(group, positions, indices, Column::position, 1, position_scaling);
        write_vectors(group, velocities, indices, Column::velocity, velocity_factor(snapshot_),
                      velocity_scaling);
        write_reals(group, masses, indices, particles_.mass, mass_scaling);
        write_data(group, ids, indices,
                   [&](std::size_t k) { return std::uint64_t(particles_.id[indices[k]]); });
        if (!particles_.softening.empty())
            write_reals(group, softenings, indices, particles_.softening, position_scaling);
        for (const auto& [name, values] : particles_.extra)
            write_data(group, name.c_str(), indices,
                       [&](std::size_t k) { return values[indices[k]]; });
        if (snapshot_.has_potentials)
            write_potentials(group, indices);
        if (snapshot_.has_accelerations)
            write_vectors(group, accelerations, indices, Column::acceleration, 1,
                          acceleration_scaling);
    }

    /// Writes the rows, or links them if this is the master.
    template <class Row, class... Parts>
    Hdf5Handle write_data(const Hdf5Handle& group, const char* name, std::span<const Index> indices,
                          const Row& row, const Parts&... parts)
    {
        if (part_.is_master())
            return out_.links(group, name,
                              row_type(std::invoke_result_t<const Row&, std::size_t>{}), sources_);
        return out_.data(group, name, indices.size(), row, parts...);
    }

    void write_vectors(const Hdf5Handle& group, const char* name, std::span<const Index> indices,
                       Column value, double divisor, const Scaling& scaling)
    {
        std::span<const Vec3<double>> part;
        std::size_t first = 0;
        const auto row = [&](std::size_t k) {
            const Vec3<double>& v = part[k - first];
            return Vec3<double>{v.x / divisor, v.y / divisor, v.z / divisor};
        };
        const auto fetch = [&](std::size_t begin, std::size_t end) {
            part = rows_.read_vectors(value, RowSelection(indices.subspan(begin, end - begin)));
            first = begin;
        };
        write_scaling(
            write_data(group, name, indices, row, Hdf5Output::RowsInParts{rows_.max(), fetch}),
            scaling);
    }

    void write_potentials(const Hdf5Handle& group, std::span<const Index> indices)
    {
        std::span<const double> part;
        std::size_t first = 0;
        const auto row = [&](std::size_t k) { return part[k - first]; };
        const auto fetch = [&](std::size_t begin, std::size_t end) {
            const RowSelection asked(indices.subspan(begin, end - begin));
            part = rows_.read_scalars(Column::potential, asked);
            first = begin;
        };
        write_scaling(write_data(group, potentials, indices, row,
                                 Hdf5Output::RowsInParts{rows_.max(), fetch}),
                      potential_scaling);
    }

    void write_reals(const Hdf5Handle& group, const char* name, std::span<const Index> indices,
                     const std::vector<double>& reals, const Scaling& scaling)
    {
        const auto row = [&](std::size_t k) { return reals[indices[k]]; };
        write_scaling(write_data(group, name, indices, row), scaling);
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

    const Snapshot& snapshot_;
    const Particles& particles_;
    ParticleReader& rows_;
    const TypeOrder& types_;
    FilePart part_;
    std::vector<Hdf5Output::Source> sources_; ///< pieces with rows of the present type
    Units units_, by_gadget_;                 ///< units of the data; units stated for GADGET
    Hdf5Output out_;
};

} // namespace

void write_hdf5(const Snapshot& snapshot, ParticleReader& rows, const std::filesystem::path& path,
                int pieces)
{
    const TypeOrder types(snapshot.particles);
    std::deque<PendingFile> files;
    for (int k = 0; k < (pieces > 1 ? pieces + 1 : 1); ++k) {
        const Hdf5Quiet quiet;
        const FilePart part{path, k, pieces};
        Hdf5Writer(snapshot, rows, types, part, files.emplace_back(part.file())).write();
    }
    commit_together(files);
}

} // namespace chamomile
