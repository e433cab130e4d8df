/// \file  Power spectra and halos of each snapshot of a run.
#pragma once

#include <string>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/structures/halo_file.hpp"
#include "chamomile/run/structures/power_file.hpp"

namespace chamomile {

/// A RunAnalysis states what is measured with each snapshot.
struct RunAnalysis {
    bool power = false, halos = false;
    bool is_asked() const { return power || halos; }
    std::optional<int> power_mesh;
    std::uint64_t min_members = HaloRequest{}.min_members;
};

/// Returns a refusal if there is something to analyse but the box is not periodic.
Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start);

/// Writes power_NNN.txt and halos_NNN.hdf5 of a snapshot with peculiar velocities, as requested.
/// Returns the written files, such as ", power_007.txt".
std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number);

} // namespace chamomile
