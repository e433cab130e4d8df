/// \file  Snapshots: particles at one time, with units and provenance, and the files that hold
/// them.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_rows.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/core/units.hpp"
#include "chamomile/io/particle_check.hpp"

namespace chamomile {

class FileRows;

/// A ComovingFrame is the background of a snapshot in comoving coordinates. Positions are then
/// comoving and velocities peculiar (a dx/dt): readers and writers convert from and to GADGET's u =
/// v / sqrt(a).
struct ComovingFrame {
    double scale_factor = 1;
    double omega_matter = 0, omega_lambda = 0, hubble = 0; ///< hubble: H0 in 100 km/s/Mpc
    double omega_radiation = 0, w0 = -1, wa = 0;           ///< w = w0 + wa (1 - a) of Lambda
    double physical_softening = 0;                         ///< the largest allowed; 0: no limit
};

/// SnapshotFacts are what a snapshot says beside its particles.
struct SnapshotFacts {
    double time = 0; ///< in a comoving file as stated, usually the scale factor
    Units units;
    bool has_stated_units = true;                 ///< else those usual for the format
    std::string units_note;                       ///< the note that says which were assumed
    std::optional<double> gravitational_constant; ///< where the file states it
    std::optional<Softening> softening;           ///< where the file states one for all particles
    std::optional<ComovingFrame> comoving;        ///< absent: plain coordinates
    double box_size = 0;                          ///< 0: isolated
    bool has_accelerations = false, has_potentials = false;
    std::string format; ///< of the file it was read from, such as "GADGET-2 binary, format 1, ..."
    std::map<std::string, std::string> provenance; ///< key and value: version, command, theta, ...
    std::vector<std::string> notes;                ///< what the reader assumed or left out

    /// Returns the file's own G, or that of its units.
    double G() const { return gravitational_constant.value_or(units.gravitational_constant()); }
};

/// A Snapshot holds particles at one time, with their units and how they were made.
struct Snapshot : SnapshotFacts {
    Particles particles;
    /// Where set, what moves of the particles is not in their arrays, but read from the file a
    /// block of rows after another.
    std::shared_ptr<FileRows> moving;
};

/// Reads HDF5 (GADGET-4 layout), GADGET-2 binary, NEMO, Tipsy or text columns; the content of the
/// file decides which, never its name. Any piece of a snapshot in several files may be named. The
/// result passes check_particles(); it may hold no particles at all (see require_particles()).
/// Throws Error with Fault::input: one line that names file, field and value.
Snapshot read_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed);

/// Does so, but leaves what moves in a file of HDF5 or GADGET-2, once it is checked there.
Snapshot open_snapshot(const std::filesystem::path& path, Masses masses = Masses::needed);

/// Reads what the snapshot has left in its file into the arrays.
void bring(Snapshot& snapshot);

/// Returns the rows of the snapshot's particles, wherever they are. They keep a reference.
std::shared_ptr<ParticleRows> rows_of(const Snapshot& snapshot);

/// Writes the format that the extension names: .hdf5 or .h5, .gadget2, .tipsy or .bin, .txt or
/// .dat; docs/reference/formats.md tells what each of them can hold. The file appears under its
/// name only when it is complete, and replaces a file of that name. Throws Error with
/// Fault::output, for an unknown extension with Fault::usage.
void write_snapshot(const Snapshot& snapshot, const std::filesystem::path& path);

/// Writes HDF5 in the same way, whatever the extension, of a snapshot whose particles need not have
/// in memory what moves: the rows give it, a block after another.
void write_snapshot(const Snapshot& snapshot, ParticleRows& rows,
                    const std::filesystem::path& path);

/// Returns what of the snapshot the format of that extension cannot hold, one phrase each; it is
/// empty when the format holds everything. Throws Error with Fault::usage for an unknown extension.
std::vector<std::string> left_out(const Snapshot& snapshot, const std::filesystem::path& path);

} // namespace chamomile
