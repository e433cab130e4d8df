/// \file  Input and output files of a command. No output may replace an input.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {
class LedParticles;
}

namespace chamomile::app {

/// Records an input file; "" means none. Throws Error(output) if the file is also a recorded
/// output.
void record_input(const std::filesystem::path& file);

/// Returns whether the file is a recorded input.
bool is_input(const std::filesystem::path& file);

/// Throws Error(output) if the file is a recorded input.
void require_no_input(const std::filesystem::path& file);

/// Records all pieces of a snapshot. Throws Error(input) for a file without a snapshot header.
void record_snapshot(const std::string& file);

/// Calls record_snapshot() for each file. Drops files that are a piece of an earlier one, or whose
/// pieces are there: snapshot_*.hdf5 matches a snapshot in pieces several times.
void record_snapshots(std::vector<std::string>& files);

/// Calls record_snapshot() and read_snapshot().
Snapshot read_particles(const std::string& file, Masses masses = Masses::needed);

/// Calls record_snapshot() and open_snapshot().
Snapshot open_particles(const std::string& file, Masses masses = Masses::needed,
                        MovingCheck moving = MovingCheck::now);

/// Prints each of the snapshot's notes once as "note: ...", unless --quiet. Pass standard error as
/// `stream` if standard output holds a table.
void print_notes(const Options& options, const Snapshot& snapshot, std::FILE* stream = stdout);

/// An Output is the output file of a command, checked before work starts and written with
/// provenance.
struct Output {
    std::string file;
    bool overwrite = false;
    std::string option = "--output"; ///< option with the file name
    int files = 1;                   ///< pieces of a snapshot
};

/// Returns --overwrite.
OptionRow<Output> overwrite_row();
/// Returns the option that names the file, and --overwrite.
std::vector<OptionRow<Output>> output_rows(const std::string& name, const std::string& metavar,
                                           const std::string& help);
/// Returns --ids FILE, which chooses particles.
template <class Request>
std::vector<OptionRow<Request>> ids_rows(const std::string& use = "keeps the particles with ")
{
    OptionRows<Request> rows;
    rows.text("ids", &Request::ids, "FILE", use + "the ids in this text");
    return rows.take();
}
/// Returns --particles and --seed of a model.
template <class Model>
std::vector<OptionRow<Model>> number_and_seed_rows()
{
    OptionRows<Model> rows;
    rows.group("Model");
    rows.number("particles,n", &Model::particles, ranges::at_least(1), "number of particles");
    rows.number("seed", &Model::seed, ranges::not_negative,
                "same seed, same bytes, for any number of threads");
    return rows.take();
}

/// Adds --output FILE of a snapshot, --overwrite and --files.
void add_output(Options& options, Output& output);

/// Throws Error(usage) if the name is empty or another output has it. Throws Error(output) if the
/// file exists and must not be overwritten, is an input, or cannot be written.
void require_writable(const std::string& command, const Output& output);

/// Repeats the checks after long work, before the result is written: throws Error(output) if the
/// file now exists and must not be overwritten, or is an input.
void require_still_writable(const Output& output);

/// Checks the file, calls `make`, records provenance, writes the snapshot, and prints a summary. If
/// `led` has positions and velocities, the file must be HDF5.
int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make, LedParticles* led = nullptr);

/// Writes a text file atomically. Throws Error(output).
void write_text(const Output& output, const std::string& text);

} // namespace chamomile::app
