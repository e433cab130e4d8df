/// \file  Power spectra, halos and profiles of each snapshot of a run.
#pragma once

#include <string>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/power_file.hpp"

namespace chamomile {

/// A RunAnalysis selects the measurements for each snapshot.
struct RunAnalysis {
    bool power = false, halos = false, profile = false;
    TheoryRequest fits; ///< for tables of spectra and halos
    std::optional<int> power_mesh;
    std::uint64_t min_members = HaloRequest{}.min_members;
    std::vector<int> halo_types; ///< of friends, 0..5; empty: all

    /// Returns whether a measurement reads all particles; `on_ranks`: ranks keep them.
    bool needs_particles(bool on_ranks) const { return (profile || halos || power) && !on_ranks; }
};

/// Refuses spectra or halos without a periodic box, profiles of a periodic box or of too few
/// particles, and halos of missing types.
Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start);

/// Adds notes on halos with several particle masses and on assumptions of linear theory. Throws
/// Error(usage) for fits without a comoving background.
void record_analysis(const RunAnalysis& analysis, Snapshot& start);

/// Writes the requested files for a snapshot with peculiar velocities: power_NNN.txt,
/// halos_NNN.hdf5 with mass_function_NNN.txt, and profile_NNN.csv. The first GPU of `forces` links
/// particles if they fit in its memory. `led`: the particles of a run on ranks, else null. Returns
/// the written files, such as ", power_007.txt".
std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number, const SolverOptions& forces,
                           LedParticles* led);

} // namespace chamomile
