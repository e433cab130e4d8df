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

/// Checkpoints writes checkpoint_000000123.chk, the state at step 123, and keeps it and the one
/// before. Files of later steps, which belong to other runs, are left alone.
class Checkpoints {
public:
    explicit Checkpoints(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Writes a checkpoint; older ones are removed when it is on the disk. Throws Error(output).
    std::filesystem::path write(std::uint64_t step, const std::function<void(Archive&)>& exchange);

    double longest_seconds() const { return longest_; } ///< that a write took; 0 if none

private:
    std::filesystem::path folder_;
    double longest_ = 0;
};

/// Returns whether Checkpoints or set_aside_newer() gives such names.
bool is_checkpoint_name(const std::string& name);

/// A RestartPoint is a checkpoint from which a run can be continued.
struct RestartPoint {
    std::unique_ptr<CheckpointReader> archive;
    std::vector<std::string> rejected; ///< a line for each newer checkpoint that is damaged
};

/// Returns the folder, or that of the checkpoint. Throws Error(restart), naming the setting, if it
/// does not exist.
std::filesystem::path restart_folder(const std::filesystem::path& folder_or_file);

/// Returns the newest checkpoint of the folder that is whole and named by its step, or the file
/// itself. Throws Error(restart) with the fault of each, or if two belong to different runs.
RestartPoint find_restart(const std::filesystem::path& folder_or_file);

/// Renames checkpoints newer than this one, so that they are not taken for those of the continued
/// run. Throws Error(output).
void set_aside_newer(const std::filesystem::path& checkpoint);

} // namespace chamomile
