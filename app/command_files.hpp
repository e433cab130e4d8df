/// \file  Input and output files of a command. No output may replace an input.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Returns whether two names refer to one file, through any link or path, now or once created.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Records an input file; "" means none. Throws Error(output) if the file is also a recorded
/// output.
void record_input(const std::filesystem::path& file);

/// Records an output file with its option. Throws Error(output) if the file is an input,
/// Error(usage) if another option writes it.
void record_output(const std::filesystem::path& file, const std::string& option);

/// Returns whether the file is a recorded input.
bool is_input(const std::filesystem::path& file);

/// Throws Error(output) if the file is a recorded input.
void require_no_input(const std::filesystem::path& file);

/// Records all pieces of a snapshot. Throws Error(input) for a file without a snapshot header.
void record_snapshot(const std::string& file);

/// Calls record_snapshot() and read_snapshot().
Snapshot read_particles(const std::string& file, Masses masses = Masses::needed);

/// Calls record_snapshot() and open_snapshot().
Snapshot open_particles(const std::string& file);

/// Prints each of the snapshot's notes once as "note: ...", unless --quiet. Pass standard error as
/// `stream` if standard output holds a table.
void print_notes(const Options& options, const Snapshot& snapshot, std::FILE* stream = stdout);

/// An Output is the output file of a command, checked before work starts and written with
/// provenance.
struct Output {
    std::string file;
    bool overwrite = false;
    std::string option = "--output"; ///< option with the file name
};

/// Adds --output FILE and --overwrite.
void add_output(Options& options, Output& output);

/// Throws Error(usage) if the name is empty or another output has it. Throws Error(output) if the
/// file exists and must not be overwritten, is an input, or cannot be written.
void require_writable(const std::string& command, const Output& output);

/// Repeats the checks after long work, before the result is written: throws Error(output) if the
/// file now exists and must not be overwritten, or is an input.
void require_still_writable(const Output& output);

/// Checks the file, calls `make`, records provenance, writes the snapshot, and prints a summary.
int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make);

/// Writes a text file atomically. Throws Error(output).
void write_text(const Output& output, const std::string& text);

} // namespace chamomile::app
