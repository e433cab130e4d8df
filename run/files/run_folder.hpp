/// \file  The output folder of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// What to do with results of an earlier run in the folder.
enum class EarlierResults { refused, replaced, continued };

/// A RunFolder is the output folder of a run. Nothing is created before create(), so that
/// everything can be checked first. No other run can use the folder during its lifetime.
class RunFolder {
public:
    using IsInput = std::function<bool(const std::filesystem::path& file)>;

    /// Throws Error(output) if the path is a file, is not writable, is in use by another run,
    /// contains results to be refused, or contains an input with a name that a run uses.
    RunFolder(std::filesystem::path folder, EarlierResults earlier, IsInput is_input = {});
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    /// Creates the folder and removes earlier results, but not before `bytes` bytes fit on the disk
    /// in addition to them. For a continued run, removes only unfinished files of the interrupted
    /// run. Throws Error(output) on failure or if another run has taken the folder.
    void create(std::int64_t bytes = 0);

    /// Throws Error(output) if the path now names a different folder, so that the results of a run
    /// do not end up in two places.
    void require_same() const;

    std::filesystem::path log() const { return folder_ / "run.log"; }
    std::filesystem::path energies() const { return folder_ / "energy.csv"; }
    std::filesystem::path steps() const { return folder_ / "steps.csv"; }
    std::filesystem::path forces() const { return folder_ / "forces.csv"; }
    std::filesystem::path track() const { return folder_ / "track.csv"; }
    /// Returns the file of a table in ClusterTables.
    std::filesystem::path table(const std::string& name) const { return folder_ / name; }
    std::filesystem::path snapshot(int number) const;
    std::filesystem::path frame(int number) const;
    std::filesystem::path power(int number) const;
    std::filesystem::path halos(int number) const;
    std::filesystem::path mass_function(int number) const;
    std::filesystem::path profile(int number) const;
    std::filesystem::path light_cone(int number) const;
    std::string name() const { return folder_.string(); }

private:
    /// A Handle closes its file or folder at destruction.
    struct Handle {
        Handle() = default;
        ~Handle();
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;
        int descriptor = -1;
    };

    Error refusal(const std::string& what) const;
    void probe(const std::filesystem::path& existing) const;
    void lock();
    void require_no_results() const;
    void require_no_inputs() const;

    std::filesystem::path folder_;
    EarlierResults earlier_;
    IsInput is_input_;
    Handle lock_; ///< on the folder, once it exists
};

} // namespace chamomile
