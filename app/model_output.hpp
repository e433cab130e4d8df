/// \file  What all models of `chamomile model` do with their particles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "io/snapshot.hpp"

namespace chamomile::app {

struct Output {
    std::string file;
    bool overwrite = false;
};

/// Adds --output FILE and --overwrite.
void add_output(Options& options, Output& output);

/// Throws Error(usage) without a file name, Error(output) if the file exists and is not to be
/// overwritten or its folder does not exist.
void require_writable(const std::string& command, const Output& output);

/// Makes the model once the file is known to be writable, records how, and says what was written.
int write_model(const Options& options, const Output& output,
                const std::function<Snapshot()>& make);

int model_galaxy(const std::vector<std::string>& arguments);
int model_merger(const std::vector<std::string>& arguments);

} // namespace chamomile::app
