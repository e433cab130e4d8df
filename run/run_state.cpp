#include "chamomile/run/run_state.hpp"

#include <algorithm>

#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {

void RunOrigin::exchange(Archive& archive)
{
    archive("run/options", options);
    archive("run/input", input);
    archive("run/version", version);
    archive("run/command", command);
    archive("run/start_time", start_time);
    archive("run/device", forces.device);
    archive("run/instruction_set", forces.instruction_set);
    archive("run/group_size", forces.group_size);
    archive("run/cluster_size", forces.cluster_size);
    archive("run/leaf_size", forces.leaf_size);
    archive("run/files", files);
}

UnitFrame unit_frame_of(CheckpointReader& archive)
{
    UnitFrame frame;
    exchange_units(archive, frame.units);
    frame.has_plain_time = !archive.has("comoving/hubble");
    if (!frame.has_plain_time)
        archive("comoving/hubble", frame.hubble);
    return frame;
}

std::vector<std::string> restore_choices(const RunOrigin& origin, SolverOptions& solver,
                                         bool any_instruction_set)
{
    std::vector<std::string> notes;
    if (origin.version != version)
        notes.push_back("checkpoint of version " + origin.version + ", read by version " + version +
                        ": defaults of this version apply to options not given");
    const SolverOptions& before = origin.forces;
    const std::string device = resolved(solver).device;
    if (device != before.device)
        notes.push_back("device changed from " + before.device + " to " + device +
                        ": bits differ from here on");
    const bool same_kind = (device == "cpu") == (before.device == "cpu");
    if (same_kind && solver.solver == SolverKind::tree && before.group_size == 0)
        throw Error(Fault::restart,
                    "the checkpoint has direct sums, chosen by {resident} in version " +
                        origin.version + "; start from the last snapshot with {solver} direct");
    if (same_kind && !solver.accuracy && solver.solver == SolverKind::tree) {
        solver.group_size = before.group_size;
        solver.cluster_size = before.cluster_size;
        solver.leaf_size = before.leaf_size;
    }
    if (device == "cpu" && before.device == "cpu" && any_instruction_set) {
        const auto& here = instruction_sets();
        if (std::find(here.begin(), here.end(), before.instruction_set) != here.end())
            solver.instruction_set = before.instruction_set;
        else
            notes.push_back("this processor lacks " + before.instruction_set +
                            ": last bits differ from here on");
    }
    return notes;
}

} // namespace chamomile
