/// \file  track.csv: orbits of chosen particles during a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/files/line_file.hpp"

namespace chamomile {

/// A TrackFile writes one row for each chosen particle and time.
class TrackFile {
public:
    /// `every`: steps between rows.
    explicit TrackFile(std::uint64_t every) : every_(every) {}

    /// Returns whether the text names a file, not ids.
    static bool is_file(const std::string& text)
    {
        return text.find_first_not_of("0123456789,") != text.npos;
    }

    /// Chooses particles by a list of ids such as 1,5,9, or by a file of ids separated by spaces,
    /// commas or lines, where # begins a comment. Throws Error(usage) and Error(input) for what is
    /// no id of a particle, and for an id given twice.
    void choose(const std::string& text, const Particles& particles);

    /// Creates or continues the file, see LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, bool is_comoving, const Units& units);

    /// Writes the rows of the present step if due, after rows from note(). Throws Error(output).
    void add(Simulation& simulation);
    /// Keeps rows of a time within a whole step until add(), which a failed step does not reach.
    void note(Simulation& simulation, double time);

    double seconds() const { return seconds_; } ///< wall-clock time of all rows

    void sync() { file_.sync(); }
    void exchange(Archive& archive);

private:
    std::string rows_at(Simulation& simulation, double time);

    std::uint64_t every_;
    std::vector<std::uint64_t> ids_;
    std::vector<GlobalIndex> which_;
    std::vector<PhasePoint> points_;
    std::string noted_; ///< rows within the present step
    bool is_comoving_ = false;
    double seconds_ = 0;
    LineFile file_;
};

} // namespace chamomile
