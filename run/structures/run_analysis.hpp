/// \file  Power spectra, halos and profiles of each snapshot of a run.
#pragma once

#include <string>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/power_file.hpp"

namespace chamomile {

/// A RunAnalysis states what is measured with each snapshot.
struct RunAnalysis {
    bool power = false, halos = false, profile = false;
    TheoryRequest fits; ///< in the tables of spectra and halos
    std::optional<int> power_mesh;
    std::uint64_t min_members = HaloRequest{}.min_members;
    std::vector<int> halo_types; ///< of friends, 0..5; empty: all

    bool is_asked() const { return power || halos || profile; }
};

/// Returns a refusal if spectra or halos are asked for but the box is not periodic, or profiles of
/// a periodic box or of too few particles, or halos of types that are not there.
Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start);

/// Notes halos of several masses, and what linear theory assumes. Throws Error(usage) for fits
/// without a comoving background.
void note_analysis(const RunAnalysis& analysis, Snapshot& start);

/// Writes power_NNN.txt, halos_NNN.hdf5 with mass_function_NNN.txt, and profile_NNN.csv of a
/// snapshot with peculiar velocities, as requested.
/// Returns the written files, such as ", power_007.txt".
std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number);

} // namespace chamomile
