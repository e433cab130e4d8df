#include "chamomile/run/structures/run_analysis.hpp"

#include "chamomile/core/trace.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/run/structures/mass_function_file.hpp"
#include "chamomile/run/structures/radial_profile.hpp"

namespace chamomile {

Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start)
{
    constexpr std::size_t fewest = 100; // the first of 100 radii is not 0
    if (analysis.profile && start.box_size > 0)
        return "--profile: needs isolated particles: a periodic box has no centre; 'chamomile "
               "profile --center x,y,z' measures about a place";
    if (analysis.profile && start.particles.size() < fewest)
        return "--profile: needs at least " + std::to_string(fewest) + " particles; there are " +
               std::to_string(start.particles.size());
    if (!(analysis.power || analysis.halos) || start.box_size > 0)
        return {};
    return std::string(analysis.power ? "--power" : "--halos") +
           ": needs initial conditions in a periodic box";
}

std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number)
{
    std::string written;
    const std::string of = " of " + folder.snapshot(number).filename().string();
    if (analysis.power) {
        const TraceRange range("power spectrum");
        PowerRequest request;
        request.mesh = analysis.power_mesh;
        const std::filesystem::path file = folder.power(number);
        write_text(file, power_table(snapshot, measured_power(snapshot, request), nullptr,
                                     "power spectrum" + of));
        written += ", " + file.filename().string();
    }
    if (analysis.halos) {
        const TraceRange range("halos");
        HaloRequest request;
        request.min_members = analysis.min_members;
        const std::filesystem::path file = folder.halos(number);
        const HaloCatalogue catalogue = measured_halos(snapshot, snapshot.particles, request);
        write_halos(snapshot, catalogue, "halos" + of, file);
        written += ", " + file.filename().string();
        constexpr int bins_per_decade = 5;
        write_text(folder.mass_function(number),
                   mass_function_table(snapshot, catalogue, nullptr, bins_per_decade,
                                       "mass function of halos" + of));
        written += ", " + folder.mass_function(number).filename().string();
    }
    if (analysis.profile) {
        const TraceRange range("profile");
        const std::filesystem::path file = folder.profile(number);
        write_text(file, profile_table(snapshot, {}));
        written += ", " + file.filename().string();
    }
    return written;
}

} // namespace chamomile
