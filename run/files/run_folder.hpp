/// \file  The folder that a run writes to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// EarlierResults states what happens to the results of a run in the folder.
enum class EarlierResults { refused, replaced, continued };

/// A RunFolder is the folder of a run. Nothing is created until create(), so that everything can be
/// checked first. While it lives, no other run can use the folder.
class RunFolder {
public:
    using IsInput = std::function<bool(const std::filesystem::path& file)>;

    /// Throws Error(output) if the path is a file, cannot be written to, is in use by another run,
    /// holds results of a run that are refused, or an input under a name that a run uses.
    RunFolder(std::filesystem::path folder, EarlierResults earlier, IsInput is_input = {});
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    /// Creates the folder. Then it removes the results of the run before, if there is room for so
    /// many bytes beside them, or, for a continued run, the files that were unfinished when it
    /// died. Throws Error(output) if that fails, or if another run took the folder meanwhile.
    void create(std::int64_t bytes = 0);

    /// Throws Error(output) if another folder has the name by now, so that the results of a run do
    /// not end up in two places.
    void require_same() const;

    std::filesystem::path log() const { return folder_ / "run.log"; }
    std::filesystem::path energies() const { return folder_ / "energy.csv"; }
    std::filesystem::path steps() const { return folder_ / "steps.csv"; }
    std::filesystem::path forces() const { return folder_ / "forces.csv"; }
    std::filesystem::path snapshot(int number) const;
    std::filesystem::path frame(int number) const;
    std::filesystem::path power(int number) const;
    std::filesystem::path halos(int number) const;
    std::filesystem::path mass_function(int number) const;
    std::filesystem::path profile(int number) const;
    std::string name() const { return folder_.string(); }

private:
    /// A Handle is an open file or folder, which is closed at the end.
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
    Handle lock_; ///< of the folder, once it exists
};

} // namespace chamomile
