/// \file  The files of a command: all that it reads are its inputs, and no output replaces one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Whether two names are of one file, by whatever link or path, or will be.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Notes a file that this command reads or will read; "" stands for none. Throws Error(output) if
/// it is one of those that it will write.
void note_input(const std::filesystem::path& file);

/// Notes a file that this command will write, as the option says. Throws Error(output) if it is an
/// input, Error(usage) if it is the file of another option.
void note_output(const std::filesystem::path& file, const std::string& option);

/// Whether the file is an input by now.
bool is_input(const std::filesystem::path& file);

/// Throws Error(output) if it is.
void require_no_input(const std::filesystem::path& file);

/// Notes all pieces of a snapshot. Throws Error(input) for what is none, as far as its header
/// tells.
void note_snapshot(const std::string& file);

/// note_snapshot() and read_snapshot().
Snapshot read_particles(const std::string& file);

/// "note: ..." on standard output, unless --quiet: what every command tells of a file it reads.
void print_notes(const Options& options, const Snapshot& snapshot);

/// The one file that a command writes: named by an option, refused in time, with provenance.
struct Output {
    std::string file;
    bool overwrite = false;
    std::string option = "--output"; ///< that names it
};

/// Adds --output FILE and --overwrite.
void add_output(Options& options, Output& output);

/// Throws Error(usage) without a file name or for that of another output, Error(output) if the file
/// exists and is not to be overwritten, is an input, or cannot be written.
void require_writable(const std::string& command, const Output& output);

/// Throws Error(output) if the file exists by now and is not to be overwritten, or has become an
/// input: before what took long is written.
void require_still_writable(const Output& output);

/// Makes the snapshot once the file is known to be writable, records how, and says what was
/// written.
int write_output(const Options& options, const Output& output,
                 const std::function<Snapshot()>& make);

/// Writes a text file, complete or not at all. Throws Error(output).
void write_text(const Output& output, const std::string& text);

} // namespace chamomile::app
