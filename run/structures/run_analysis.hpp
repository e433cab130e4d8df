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
    std::optional<int> power_mesh;
    std::uint64_t min_members = HaloRequest{}.min_members;

    bool is_asked() const { return power || halos || profile; }
};

/// Returns a refusal if spectra or halos are asked for but the box is not periodic, or profiles of
/// a periodic box or of too few particles.
Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start);

/// Writes power_NNN.txt, halos_NNN.hdf5 with mass_function_NNN.txt, and profile_NNN.csv of a
/// snapshot with peculiar velocities, as requested.
/// Returns the written files, such as ", power_007.txt".
std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number);

} // namespace chamomile
