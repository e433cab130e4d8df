/// \file  The one file that a command writes: named by an option, refused in time, with provenance.
#pragma once

#include <functional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

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
