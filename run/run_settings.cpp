#include "chamomile/run/run_settings.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/particle_types.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/io/files_row.hpp"
#include "chamomile/io/pictures/picture_settings.hpp"
#include "chamomile/run/structures/cosmology_options.hpp"

namespace chamomile {
namespace {

using R = RunSettings;

/// RunNeeds holds the bits of OptionTerms::needs.
enum RunNeeds : unsigned {
    needs_check = 1,
    needs_limit = 2,
    needs_frames = 4,
    needs_power = 8,
    needs_halos = 16,
    needs_spectra_or_halos = 32,
    needs_bound = 64,
    needs_cluster = 128,
    needs_bound_or_cluster = 256,
    needs_track = 512,
    needs_light_cone = 1024
};

/// Returns a picture option as an option of the run's frames.
OptionRow<R> of_frames(const OptionRow<RenderOptions>& picture)
{
    OptionRow<R> row;
    static_cast<OptionTerms&>(row) = picture;
    row.name = "frame-" + picture.name;
    row.setting = "frames." + picture.name;
    row.group = "Output";
    row.needs = needs_frames;
    row.put = [&picture](R& settings, const std::string& option, const std::string& text) {
        picture.put(settings.frame_view, option, text);
    };
    row.text = [&picture](const R& settings) { return picture.text(settings.frame_view); };
    return row;
}

std::vector<OptionRow<R>> rows()
{
    using namespace ranges;
    OptionRows<R> t;
    t.group("Checkpoints, stops and faults");
    t.number("checkpoint-every", &R::checkpoint_every, at_least(1),
             "steps between checkpoints; the first is at the start");
    t.number("checkpoint-walltime", &R::checkpoint_walltime, not_negative,
             "wall-clock time between checkpoints, in seconds or as in 30min; 0: none by time. A "
             "complete run ends with a checkpoint, to continue by {restart} with a later end")
        .in_seconds();
    t.number("max-walltime", &R::max_walltime, positive,
             "end with a checkpoint before this wall-clock time since the start of the program, in "
             "seconds or as in 90min or 2h. SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGHUP, "
             "SIGXCPU and a file 'stop' in the output folder also end the run")
        .in_seconds();
    t.number("max-energy-error", &R::max_energy_error, positive,
             "max error in energy.csv: |dE/E|; in comoving boxes the Layzer-Irvine error; in an "
             "external potential dE over the binding energy of the particles, if less. A larger "
             "error ends the run with a checkpoint and exit status 8. Without this option a run "
             "with an error above 0.01 warns that it cannot be trusted");
    t.choice("on-energy-error", &R::on_energy_error,
             {{"stop", EnergyErrorAction::stop}, {"warn", EnergyErrorAction::warn}},
             "reaction to a larger error: stop, or warn and continue, with exit status 0")
        .only(needs_limit)
        .as_setting("energy-error.action");
    t.group("Output");
    t.number("snapshot-every", &R::snapshot_every, positive,
             "time between snapshots (d ln a for comoving files); default: a tenth of the run")
        .in(dimensions::time);
    t.series("output-times", &R::output_times, any,
             "times of snapshots between start and end, instead of {snapshot-every}; 1:5:1 means "
             "1,2,3,4,5; may change on restart")
        .in(dimensions::time);
    t.append({files_row<R>()});
    t.number("energy-every", &R::energy_every, positive,
             "time between lines of energy.csv; default: ten steps")
        .in(dimensions::time);
    t.number("steps-every", &R::steps_every, at_least(1),
             "steps between lines of steps.csv, with the cost of a step")
        .as_setting("steps.every");
    t.number("check-forces", &R::check_forces, not_negative,
             "number of particles for force errors in forces.csv, against direct sums in double "
             "(Ewald sums in a periodic box); 0: none");
    t.number("check-forces-every", &R::check_forces_every, at_least(1),
             "steps between lines of forces.csv; default 50")
        .as_setting("check-forces.every")
        .only(needs_check);
    t.text("track", &R::track, "ID,...|FILE",
           "also write track.csv: place and velocity of the particles with these ids, or with the "
           "ids in a file, after each step");
    t.number("track-every", &R::track_every, at_least(1), "steps between rows of track.csv")
        .as_setting("track.every")
        .only(needs_track);
    t.number("track-blocks", &R::track_blocks, at_least(1),
             "also rows within whole steps of individual steps, after each N-th block")
        .as_setting("track.blocks")
        .only(needs_track);
    t.flag(
        "power", [](R & r) -> auto& { return r.analysis.power; },
        "also write power_NNN.txt with each snapshot: the power spectrum of 'chamomile power'");
    t.number(
         "power-mesh", [](R & r) -> auto& { return r.analysis.power_mesh; }, between(8, 8192),
         "mesh of the power spectrum; default: as in 'chamomile power'")
        .as_setting("power.mesh")
        .only(needs_power);
    t.flag(
        "halos", [](R & r) -> auto& { return r.analysis.halos; },
        "also write halos_NNN.hdf5 and mass_function_NNN.txt with each snapshot, as 'chamomile "
        "halos'");
    t.number(
         "min-members", [](R & r) -> auto& { return r.analysis.min_members; }, at_least(1),
         "min number of particles in a halo")
        .as_setting("halos.min-members")
        .only(needs_halos);
    t.value(
         "halo-types", "TYPE,...", [](R & r) -> auto& { return r.analysis.halo_types; },
         parse_particle_types,
         "particle types to link; spheres contain all types; default: all types")
        .as_setting("halos.types")
        .only(needs_halos);
    t.flag(
         "fits", [](R & r) -> auto& { return r.analysis.fits.wanted; },
         "add columns of linear theory and published fits to the tables of {power} and {halos}")
        .only(needs_spectra_or_halos);
    t.flag(
        "profile", [](R & r) -> auto& { return r.analysis.profile; },
        "also write profile_NNN.csv with each snapshot, as 'chamomile profile'");
    t.series(
        "light-cone", [](R & r) -> auto& { return r.light_cone.redshifts; }, not_negative,
        "also write light_cone_NNN.hdf5 of a cosmological run: particles as they cross the past "
        "light cone of an observer today, in shells between these redshifts");
    t.value(
         "light-cone-observer", "X,Y,Z", [](R & r) -> auto& { return r.light_cone.observer; },
         parse_vector, "place of the observer in the box; default: 0,0,0")
        .as_setting("light-cone.observer")
        .only(needs_light_cone)
        .dimension = dimensions::length;
    t.choice(
         "light-cone-sky", [](R & r) -> auto& { return r.light_cone.sky; },
         {{"full", Sky::full}, {"octant", Sky::octant}},
         "the whole sky, or the directions without negative components")
        .as_setting("light-cone.sky")
        .only(needs_light_cone);
    t.flag(
        "bound", [](R & r) -> auto& { return r.cluster.bound; },
        "also write bound.csv: the particles bound to their own center, by their own gravity only, "
        "with mass, half-mass and tidal radius, center and velocity");
    t.number(
         "bound-every", [](R & r) -> auto& { return r.cluster.bound_every; }, at_least(1),
         "steps between lines of bound.csv")
        .as_setting("bound.every")
        .only(needs_bound);
    t.text(
         "bound-ids", [](R & r) -> auto& { return r.cluster.ids; }, "FILE",
         "ids of the particles that may be bound, as a text; default: all particles")
        .as_setting("bound.ids")
        .only(needs_bound_or_cluster);
    t.flag(
        "cluster", [](R & r) -> auto& { return r.cluster.cluster; },
        "also write cluster.csv: core, Lagrangian radii and relaxation times of the bound "
        "particles, and escapers.csv");
    t.flag(
         "cluster-binaries", [](R & r) -> auto& { return r.cluster.binaries; },
         "also write binaries.csv: bound pairs of unsoftened particles, with their orbits")
        .also({"binaries"})
        .as_setting("cluster.binaries")
        .only(needs_cluster);
    t.number(
         "encounters", [](R & r) -> auto& { return r.cluster.encounters; }, positive,
         "also write encounters.csv, of {integrator} hermite: unbound pairs of unsoftened "
         "particles that pass within this distance")
        .as_setting("cluster.encounters")
        .in(dimensions::length)
        .only(needs_cluster);
    t.number(
         "cluster-every", [](R & r) -> auto& { return r.cluster.cluster_every; }, at_least(1),
         "steps between lines of cluster.csv, escapers.csv and binaries.csv")
        .as_setting("cluster.every")
        .only(needs_cluster);
    t.numbers(
         "mass-groups", [](R & r) -> auto& { return r.cluster.mass_groups; }, positive,
         "ascending limits between groups of masses, for their Lagrangian radii in cluster.csv")
        .as_setting("cluster.mass-groups")
        .in(dimensions::mass)
        .only(needs_cluster);
    t.flag("frames", &R::frames, "write pictures with snapshots; the first sets view and colours");
    t.number("frames-every", &R::frames_every, positive,
             "time between pictures; default: time between snapshots")
        .as_setting("frames.every")
        .in(dimensions::time)
        .only(needs_frames);
    t.number("frame-size", &R::frame_size, between(16, 16384),
             "side of square pictures in pixels; default 800")
        .as_setting("frames.size")
        .only(needs_frames);
    std::vector<OptionRow<R>> all = t.take();
    for (const OptionRow<RenderOptions>& row : picture_settings())
        all.push_back(of_frames(row));
    return all;
}

} // namespace

const std::vector<OptionRow<R>>& run_options()
{
    static const std::vector<OptionRow<R>> all = rows();
    return all;
}

Refusal refuse_idle_settings(const R& settings, const GivenOptions& given)
{
    std::vector<Unmet> unmet;
    const auto need = [&](bool met, unsigned bit, const char* because) {
        if (!met)
            unmet.push_back({bit, because});
    };
    need(settings.check_forces > 0, needs_check, "needs {check-forces}");
    need(settings.max_energy_error.has_value(), needs_limit, "needs {max-energy-error}");
    need(settings.frames, needs_frames, "needs {frames}");
    need(!settings.track.empty(), needs_track, "needs {track}");
    need(settings.light_cone.is_asked(), needs_light_cone, "needs {light-cone}");
    need(settings.analysis.power, needs_power, "needs {power}");
    need(settings.analysis.halos, needs_halos, "needs {halos}");
    need(settings.analysis.power || settings.analysis.halos, needs_spectra_or_halos,
         "needs {power} or {halos}");
    const ClusterRequest& cluster = settings.cluster;
    need(cluster.bound, needs_bound, "needs {bound}");
    need(cluster.bound || cluster.cluster, needs_bound_or_cluster, "needs {bound} or {cluster}");
    need(cluster.cluster, needs_cluster, "needs {cluster}");
    for (const char* name : {"frame-width", "frame-height"})
        if (given.contains(name) && given.contains("frame-size"))
            return "{" + std::string(name) + "}: contradicts {frame-size}; give one";
    if (settings.light_cone.is_asked() && !settings.cosmology.asked)
        return "{light-cone}: needs a cosmological run";
    if (settings.cosmology.asked && given.contains("output-times"))
        return "{output-times}: needs plain time; give {outputs-z} or {outputs-a} in a "
               "cosmological run";
    if (given.contains("output-times") && given.contains("snapshot-every"))
        return "{snapshot-every}: contradicts {output-times}; give one";
    if (given.contains("snapshot-every") && !listed_outputs(settings.cosmology).empty())
        return "{snapshot-every}: contradicts " +
               std::string(settings.cosmology.output_redshifts.empty() ? "{outputs-a}"
                                                                       : "{outputs-z}") +
               "; give one";
    return refuse_idle_rows(run_options(), given, unmet);
}

std::vector<double> listed_outputs(const R& settings)
{
    return settings.cosmology.asked ? listed_outputs(settings.cosmology) : settings.output_times;
}

Refusal refuse_outputs(const R& settings, double start, double end)
{
    const double rounding = 1e-9 * std::max({std::abs(start), std::abs(end), end - start});
    for (double time : settings.output_times)
        if (time < start - rounding || time > end + rounding)
            return "{output-times}: " + number_text(time) + ": must be between the start at " +
                   number_text(start) + " and the end at " + number_text(end);
    return {};
}

const Spelling& command_line_spelling()
{
    static const PlainNames names = [] {
        PlainNames settings;
        add_setting_names(settings, force_options());
        add_setting_names(settings, rank_options());
        add_setting_names(settings, scheme_options());
        add_setting_names(settings, cosmology_options());
        add_setting_names(settings, run_options());
        return settings;
    }();
    static const Spelling spelling{.names = &names, .has_dashes = true};
    return spelling;
}

const std::vector<std::string>& changeable_options()
{
    static const std::vector<std::string> names = {"t-end",
                                                   "duration",
                                                   "a-end",
                                                   "z-end",
                                                   "output-times",
                                                   "outputs-a",
                                                   "outputs-z",
                                                   "checkpoint-every",
                                                   "checkpoint-walltime",
                                                   "max-walltime",
                                                   "steps-every",
                                                   "device",
                                                   "on-device-error",
                                                   "max-energy-error",
                                                   "on-energy-error",
                                                   "batch-size",
                                                   "tree",
                                                   "config",
                                                   "threads",
                                                   "ranks",
                                                   "share-gpu",
                                                   "peer-timeout",
                                                   "quiet",
                                                   "verbose",
                                                   "restart",
                                                   "output",
                                                   "view"};
    return names;
}

} // namespace chamomile
