/// \file  The folder that a run writes to.
#pragma once

#include <filesystem>
#include <string>

namespace chamomile::app {

/// Creates nothing until create(), so that everything can be checked first.
class RunFolder {
public:
    /// Throws Error(output) if the path is a file, cannot be written to, or holds results of a run
    /// that `overwrite` does not give up; `input` must not be among them.
    RunFolder(std::filesystem::path folder, bool overwrite, const std::filesystem::path& input);

    /// Makes the folder and removes the results of the run before.
    void create() const;

    std::filesystem::path log() const { return folder_ / "run.log"; }
    std::filesystem::path energies() const { return folder_ / "energy.csv"; }
    std::filesystem::path snapshot(int number) const;
    std::filesystem::path frame(int number) const;
    std::string name() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
};

} // namespace chamomile::app
