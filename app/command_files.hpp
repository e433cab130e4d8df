/// \file  The files of a command: all that it reads are its inputs, and no output replaces an
/// input.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Records a file that this command reads or will read; "" means none. Throws Error(output) if it
/// is also one of those that it will write.
void note_input(const std::filesystem::path& file);

/// Returns whether the file has been recorded as an input.
bool is_input(const std::filesystem::path& file);

/// Throws Error(output) if the file has been recorded as an input.
void require_no_input(const std::filesystem::path& file);

/// Records all pieces of a snapshot. Throws Error(input) for a file whose header is not that of a
/// snapshot.
void note_snapshot(const std::string& file);

/// Calls note_snapshot() and read_snapshot().
Snapshot read_particles(const std::string& file, Masses masses = Masses::needed);

/// Calls note_snapshot() and open_snapshot().
Snapshot open_particles(const std::string& file);

/// Prints "note: ...", unless --quiet: the notes of a file that was read, each of them once.
/// `stream` is standard error where standard output is a table.
void print_notes(const Options& options, const Snapshot& snapshot, std::FILE* stream = stdout);

/// An Output is the one file that a command writes: named by an option, refused early, with
/// provenance.
struct Output {
    std::string file;
    bool overwrite = false;
    std::string option = "--output"; ///< the option that names it
};

/// Adds --output FILE and --overwrite.
void add_output(Options& options, Output& output);

/// Throws Error(usage) without a file name or for that of another output, Error(output) if the file
/// exists and must not be overwritten, is an input, or cannot be written.
void require_writable(const std::string& command, const Output& output);

/// Throws Error(output) if the file exists by now and must not be overwritten, or has become an
/// input. It is called after long work, before its result is written.
void require_still_writable(const Output& output);

/// Makes the snapshot once the file is known to be writable, records its provenance, and prints
/// what was written.
int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make);

/// Writes a text file that is complete or does not appear. Throws Error(output).
void write_text(const Output& output, const std::string& text);

} // namespace chamomile::app
