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

/// Checkpoints writes checkpoint_000000123.chk (the state at step 123) and keeps the last two. On
/// several ranks parts checkpoint_000000123.chk.G.K hold the rows of rank K. Files of later steps
/// belong to other runs and stay untouched.
class Checkpoints {
public:
    explicit Checkpoints(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Writes a checkpoint, then removes older ones. `write_parts` writes its parts, if any,
    /// before. Throws Error(output).
    std::filesystem::path
    write(std::uint64_t step, const std::function<void(Archive&)>& exchange,
          const std::function<CheckpointParts(const std::filesystem::path&)>& write_parts = {});

    double longest_seconds() const { return longest_; } ///< max seconds of a write; 0: none yet

private:
    std::filesystem::path folder_;
    double longest_ = 0;
};

/// Returns whether Checkpoints or set_aside_newer() could have created this name.
bool is_checkpoint_name(const std::string& name);

/// A RestartPoint is a checkpoint to continue a run from.
struct RestartPoint {
    std::unique_ptr<CheckpointReader> archive;
    std::vector<std::string> rejected; ///< one line per newer but damaged checkpoint
};

/// Returns the folder, or the folder that contains the checkpoint file. Throws Error(restart) if
/// the path does not exist.
std::filesystem::path restart_folder(const std::filesystem::path& folder_or_file);

/// Returns the given file, or the newest intact checkpoint in the folder. Its name must match its
/// step. Throws Error(restart) naming all faults, or if two belong to different runs.
RestartPoint find_restart(const std::filesystem::path& folder_or_file);

/// Renames checkpoints newer than this one, so that the continued run does not mistake them for its
/// checkpoints. Throws Error(output).
void set_aside_newer(const std::filesystem::path& checkpoint);

} // namespace chamomile
