/// \file  The files of a command: all that it reads are its inputs, and no output replaces one.
#pragma once

#include <filesystem>
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

} // namespace chamomile::app
