#include "chamomile/run/structures/run_analysis.hpp"

#include "chamomile/core/trace.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

Refusal refuse_analysis(const RunAnalysis& analysis, const Snapshot& start)
{
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
        write_halos(snapshot, measured_halos(snapshot, snapshot.particles, request), "halos" + of,
                    file);
        written += ", " + file.filename().string();
    }
    return written;
}

} // namespace chamomile
