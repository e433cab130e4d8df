#include "chamomile/run/structures/run_analysis.hpp"

#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/trace.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/mass_function_file.hpp"
#include "chamomile/run/structures/radial_profile.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile {

Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start)
{
    constexpr std::size_t fewest = 100; // the first of 100 radii must not be 0
    if (analysis.profile && start.box_size > 0)
        return "{profile}: needs isolated particles; use 'chamomile profile {center} x,y,z' in a "
               "periodic box";
    if (analysis.profile && start.particles.size() < fewest)
        return "{profile}: needs at least " + std::to_string(fewest) + " particles, not " +
               std::to_string(start.particles.size());
    if (!analysis.halo_types.empty() && !has_types(start.particles, analysis.halo_types))
        return "{halo-types}: " + types_text(analysis.halo_types) + ": no such particles, but " +
               types_of(start.particles);
    if (analysis.fits.wanted)
        if (Refusal line = refused_by([&] { Theory(analysis.fits, start); }))
            return line;
    if (!(analysis.power || analysis.halos) || start.box_size > 0)
        return {};
    return std::string(analysis.power ? "{power}" : "{halos}") +
           ": needs initial conditions in a periodic box";
}

void record_analysis(const RunAnalysis& analysis, Snapshot& start)
{
    if (analysis.halos)
        add_note(start, friends_note(start.particles, analysis.halo_types));
    make_theory(analysis.fits, start);
}

std::string write_analysis(const RunAnalysis& analysis, const Snapshot& snapshot,
                           const RunFolder& folder, int number, const SolverOptions& forces,
                           LedParticles* led)
{
    std::string written;
    const std::string of = " of " + folder.snapshot(number).filename().string();
    std::unique_ptr<Theory> fits;
    if (analysis.fits.wanted)
        fits = std::make_unique<Theory>(analysis.fits, snapshot);
    std::optional<MatterOnRanks> ranks;
    if (led)
        ranks.emplace(*led);
    if (analysis.power) {
        const TraceRange range("power spectrum");
        PowerRequest request;
        request.mesh = analysis.power_mesh;
        const std::filesystem::path file = folder.power(number);
        write_text(file, power_table(snapshot,
                                     measured_power(snapshot, request, ranks ? &*ranks : nullptr),
                                     fits.get(), "power spectrum" + of));
        written += ", " + file.filename().string();
    }
    if (analysis.halos) {
        const TraceRange range("halos");
        HaloRequest request;
        request.min_members = analysis.min_members;
        const std::filesystem::path file = folder.halos(number);
        Snapshot chosen;
        if (!analysis.halo_types.empty()) {
            chosen = snapshot;
            keep_types(chosen, analysis.halo_types);
        }
        const Snapshot& friends = analysis.halo_types.empty() ? snapshot : chosen;
        std::string note = friends_note(snapshot.particles, analysis.halo_types);
        if (!note.empty())
            note = "\n# note: " + note;
        if (ranks) {
            ranks->types = analysis.halo_types;
            if (snapshot.comoving) // ranks have momenta
                ranks->velocity_factor = 1 / snapshot.comoving->scale_factor;
        }
        const auto measured_on = [&](const std::string& device) {
            request.device = device;
            return measured_halos(friends, snapshot.particles, request, ranks ? &*ranks : nullptr);
        };
        HaloCatalogue catalogue;
        try {
            const int gpu = first_gpu(of_first_rank(forces).device);
            catalogue = measured_on(gpu < 0 ? "cpu" : name_of_gpus({gpu}));
        } catch (const OutOfDeviceMemory&) {
            catalogue = measured_on("cpu");
        }
        constexpr int bins_per_decade = 5;
        write_text(folder.mass_function(number),
                   mass_function_table(friends, catalogue, fits.get(), bins_per_decade,
                                       "mass function of halos" + of + note));
        write_halos(friends, std::move(catalogue), "halos" + of, file);
        written += ", " + file.filename().string() + ", " +
                   folder.mass_function(number).filename().string();
    }
    if (analysis.profile) {
        const TraceRange range("profile");
        const std::filesystem::path file = folder.profile(number);
        write_text(file, profile_table(snapshot, {}, led));
        written += ", " + file.filename().string();
    }
    return written;
}

} // namespace chamomile
