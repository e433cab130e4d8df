/// \file  The checkpoints in the folder of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/io/checkpoint/checkpoint_file.hpp"

namespace chamomile {

/// Writes checkpoint_000000123.chk, the state at step 123, and keeps it and the one before. Files
/// of later steps, which this run has not written, are left alone.
class Checkpoints {
public:
    explicit Checkpoints(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Older ones are removed when this one is on the disk. Throws Error(output).
    std::filesystem::path write(std::uint64_t step, const std::function<void(Archive&)>& exchange);

    double longest_seconds() const { return longest_; } ///< that a write took; 0 if none

private:
    std::filesystem::path folder_;
    double longest_ = 0;
};

/// Whether the name is one that Checkpoints or set_aside() gives.
bool is_checkpoint_name(const std::string& name);

/// What a run can go on from.
struct RestartPoint {
    std::unique_ptr<CheckpointReader> archive;
    std::vector<std::string> rejected; ///< a line for each newer one that is damaged
};

/// The folder that the checkpoint is in, or itself. Throws Error(restart), which calls it by the
/// setting's name, if there is none.
std::filesystem::path restart_folder(const std::filesystem::path& folder_or_file,
                                     const std::string& setting);

/// The newest checkpoint of the folder that is whole and named by its step, or the file itself.
/// Throws Error(restart) naming what is wrong with each, or two that are not of the same run.
RestartPoint find_restart(const std::filesystem::path& folder_or_file, const std::string& setting);

/// Renames checkpoints newer than the one that is gone on from, so that they are not taken for
/// those of the run that goes on. Throws Error(output).
void set_aside_newer(const std::filesystem::path& checkpoint);

} // namespace chamomile
