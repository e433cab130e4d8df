/// \file  light_cone_NNN.hdf5: particles on the past light cone of an observer, by shells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/files/run_folder.hpp"

namespace chamomile {

/// The part of the sky that an observer sees.
enum class Sky {
    full,
    octant ///< directions without negative components
};

/// A LightConeRequest selects a light cone.
struct LightConeRequest {
    std::vector<double> redshifts; ///< limits between shells, in any order; empty: no light cone
    std::optional<Vec3<double>> observer; ///< default: the origin
    Sky sky = Sky::full;

    bool is_asked() const { return !redshifts.empty(); }
};

/// The files of a light cone. Shell k, from the k-th redshift to the next, is written when all of
/// its particles have crossed. A checkpoint leaves the rows of a shell that is not complete in
/// light_cone_NNN.part, a record of a Crossing each.
class LightConeFiles {
public:
    /// Keeps references. Lets the simulation record crossings from its start on. Throws
    /// Error(usage) if the run cannot have this light cone.
    LightConeFiles(const LightConeRequest& request, const Snapshot& state, Simulation& simulation);

    /// Begins or continues the files in an existing folder. After exchange() has restored a state,
    /// each started shell must still have its rows. Throws Error(restart) otherwise.
    void open(const RunFolder& folder);
    /// Adds the crossings of the last step, and writes each shell that is complete. Throws
    /// Error(output); the next call, also after a restart, tries again.
    void add();
    /// Writes the rows of shells that are not complete to disk, before exchange() refers to them.
    void sync();
    void exchange(Archive& archive);

    /// Returns a line for the log: redshifts, observer, sky and the expected number of particles.
    std::string description() const;
    /// Returns "3 of 5 shells light_cone_NNN.hdf5".
    std::string summary() const;

private:
    std::size_t shells() const { return limits_.size() - 1; }
    double expected(double near, double far) const;
    void require_room(std::size_t shell) const;
    std::string shell_text(std::size_t shell) const;
    std::filesystem::path part(std::size_t shell) const;
    void write_rows(std::size_t shell);
    void finish_shells();
    void write_shell(std::size_t shell) const;
    void require_rows(std::size_t shell) const;

    const LightConeRequest& request_;
    const Snapshot& state_;
    Simulation& simulation_;
    const RunFolder* folder_ = nullptr;
    LightCone cone_;
    std::vector<double> limits_, distances_; ///< redshifts and distances, ascending
    std::vector<std::uint64_t> rows_;        ///< of each shell, in its .part file
    std::uint64_t open_shells_;              ///< number of shells not yet written, the nearest
    std::vector<std::vector<Crossing>>
        held_; ///< of each shell: rows in memory, not yet in its .part file
};

} // namespace chamomile
