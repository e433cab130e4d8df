/// \file  Snapshots: particles at one time, with units and provenance, and their files.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/core/units.hpp"
#include "chamomile/io/particle_check.hpp"

namespace chamomile {

class FileRows;

/// A ComovingFrame is the background of a snapshot in comoving coordinates. Positions are comoving
/// and velocities peculiar (a dx/dt). Readers and writers convert from and to GADGET's u = v /
/// sqrt(a).
struct ComovingFrame {
    double scale_factor = 1;
    double omega_matter = 0, omega_lambda = 0, hubble = 0; ///< hubble: H0 in 100 km/s/Mpc
    double omega_radiation = 0, w0 = -1, wa = 0;           ///< w = w0 + wa (1 - a) of Lambda
    double physical_softening = 0;                         ///< max physical length; 0: no limit
};

/// SnapshotFacts holds all properties of a snapshot except its particles.
struct SnapshotFacts {
    double time = 0; ///< as stated; in comoving files usually the scale factor
    Units units;
    bool has_stated_units = true;                 ///< false: units are assumed
    std::string units_note;                       ///< note about the assumed units
    std::optional<double> gravitational_constant; ///< set if the file states it
    std::optional<Softening> softening;           ///< set if the file states one for all particles
    std::optional<ComovingFrame> comoving;        ///< unset: plain coordinates
    double box_size = 0;                          ///< 0: isolated
    bool has_accelerations = false, has_potentials = false;
    std::string format; ///< of the input file, such as "GADGET-2 binary, format 1, ..."
    std::map<std::string, std::string> provenance; ///< key and value: version, command, theta, ...
    std::vector<std::string> notes;                ///< assumptions and omissions of the reader

    /// Returns the stated G, otherwise the G of the units.
    double G() const { return gravitational_constant.value_or(units.gravitational_constant()); }
};

/// A Snapshot holds particles at one time, with units and provenance.
struct Snapshot : SnapshotFacts {
    Particles particles;
    /// If set, the deferred columns (positions, velocities, accelerations, potentials) are not in
    /// `particles` but are read from the file in blocks of rows.
    std::shared_ptr<FileRows> deferred;
};

/// Reads HDF5 (GADGET-4 layout), GADGET-2 binary, NEMO, Tipsy or text columns. The format is
/// detected from the content, never from the name. `path` may be any piece of a snapshot in several
/// files. There must be fewer than 2^32 particles. The result passes check_particles(), but may be
/// empty (see require_particles()). Throws Error with Fault::input: one line that names file, field
/// and value.
Snapshot read_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed);

/// When deferred positions and velocities are checked.
enum class MovingCheck { now, later };

/// Like read_snapshot(), but leaves the deferred columns of HDF5 and GADGET-2 in the file, and also
/// opens files with more particles than one rank can have. With MovingCheck::later the caller
/// checks the deferred columns, by check_moving().
Snapshot open_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed,
                       MovingCheck moving = MovingCheck::now);

/// Checks positions and velocities, also deferred ones. Throws like read_snapshot().
void check_moving(const Snapshot& snapshot, const std::filesystem::path& path);

/// Loads the deferred columns from the file into the arrays of `particles`. Accelerations and
/// potentials that the file lacks stay empty.
void load_deferred(Snapshot& snapshot);

/// Returns the particle rows, in memory or in the file. The result keeps a reference to `snapshot`.
std::shared_ptr<ParticleReader> rows_of(const Snapshot& snapshot);

/// Writes the format of the extension: .hdf5 or .h5, .gadget2, .tipsy or .bin, .txt or .dat.
/// docs/reference/formats.md lists the content of each format. The file appears only when complete,
/// and replaces an existing file. Several pieces and their master appear together. Throws Error
/// with Fault::output, or Fault::usage for an unknown extension or pieces of a format other than
/// HDF5.
void write_snapshot(const Snapshot& snapshot, const std::filesystem::path& path, int pieces = 1);

/// Writes HDF5, whatever the extension. Reads the deferred columns from `rows` in blocks, so they
/// need not be in memory.
void write_snapshot(const Snapshot& snapshot, ParticleReader& rows,
                    const std::filesystem::path& path, int pieces = 1);

/// Returns the files that write_snapshot() would write. Throws like it for several pieces.
std::vector<std::filesystem::path> output_files(const std::filesystem::path& path, int pieces);

inline constexpr int max_pieces = 512; ///< limit for writers: a reader opens all pieces at once

/// Returns one phrase for each property that the format of this extension cannot hold; empty if
/// none. Throws Error with Fault::usage for an unknown extension.
std::vector<std::string> left_out(const Snapshot& snapshot, const std::filesystem::path& path);

} // namespace chamomile
