/// \file  `chamomile fluid`: molecular dynamics for a Lennard-Jones fluid such as argon.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "app/options/solver_options.hpp"
#include "app/pairs/fluid_job.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/run/files/file_lock.hpp"

namespace chamomile::app {
namespace {

/// Max relative energy drift in a trusted run; good runs have far less.
constexpr double trusted_drift = 0.01;

void add_fluid_options(Options& options, FluidRun& run)
{
    FluidOptions& fluid = run.fluid;
    options.group("Fluid, in units of sigma, epsilon and the atom's mass");
    options.number("n,n", fluid.n, between(2, 1e9), "atoms");
    options.number("density", fluid.density, positive, "atoms per sigma^3");
    options.number("temperature", fluid.temperature, positive, "k T / epsilon after equilibration");
    options.number("cutoff", fluid.cutoff, positive, "radius at which the potential has ended");
    options.number("switch", fluid.switch_from, not_negative,
                   "radius from which it is smoothly switched off");
    options.number("seed", fluid.seed, not_negative, "of the first velocities");
    options.group("Time");
    options.number("step", fluid.step, positive, "length of a step, in sigma (m / epsilon)^1/2");
    options.number("steps", run.steps, at_least(1), "at constant energy, which are measured");
    options.number("equilibrate", run.equilibrate, not_negative,
                   "steps before, in which velocities are scaled to the temperature");
    add_machine_options(options, fluid);
    options.group("Checkpoints and stops");
    options.text("checkpoint", "FILE.chk", run.checkpoint,
                 "write the state there by time, at the end, and when SIGINT, SIGTERM, SIGUSR1, "
                 "SIGUSR2 or a file 'stop' beside it ends the run");
    options.seconds(
        "checkpoint-walltime", run.checkpoint_walltime, not_negative,
        "seconds of wall-clock time between checkpoints, or as in 30min; 0: none by time");
    options.seconds(
        "max-walltime", run.max_walltime, positive,
        "end with a checkpoint before this time on the clock has passed, in seconds or as in 2h");
    options.text("restart", "FILE.chk", run.restart,
                 "go on from that checkpoint with the options that the run began with, but for "
                 "--steps, --device and those of output and checkpoints");
    options.group("Output");
    options.number("every", run.every, at_least(1), "steps between measurements");
    options.flag("argon", run.argon,
                 "also print the means for argon: epsilon / k = 119.8 K, sigma = 0.3405 nm, "
                 "m = 39.948 u");
    options.text("output,o", "FILE.csv", run.output.file,
                 "each measurement: step, time, potential, kinetic and total energy per atom, "
                 "temperature, pressure");
    options.flag("overwrite", run.output.overwrite, "replace a file of that name");
}

/// Options that may change on restart.
const std::vector<std::string> changeable{
    "steps",    "device",  "argon", "output",  "checkpoint", "checkpoint-walltime",
    "config",   "threads", "quiet", "verbose", "restart",    "max-walltime",
    "overwrite"};

std::map<std::string, std::string> kept_options(const Options& options)
{
    std::map<std::string, std::string> kept = options.given_values();
    for (const char* name :
         {"config", "threads", "quiet", "verbose", "restart", "overwrite", "checkpoint"})
        kept.erase(name);
    return kept;
}

/// Records all files except the table. A run may replace the checkpoint it continues from.
void record_files(const FluidRun& run)
{
    std::vector<std::string> written;
    if (!run.checkpoint.empty()) {
        const std::filesystem::path folder = std::filesystem::path(run.checkpoint).parent_path();
        written = {run.checkpoint, earlier_checkpoint(run.checkpoint), lock_of(run.checkpoint),
                   folder / StopRequests::stop_name, folder / StopRequests::checkpoint_name};
    }
    const std::string earlier = earlier_checkpoint(run.checkpoint);
    if (!run.restart.empty() && !is_same_file(run.restart, run.checkpoint)) {
        if (!is_same_file(run.restart, earlier))
            record_input(run.restart);
        record_input(earlier_checkpoint(run.restart));
    }
    for (const std::string& file : written)
        record_output(file, "--checkpoint");
}

void require_place_for_checkpoints(const FluidRun& run)
{
    if (run.checkpoint.empty())
        return;
    const bool continues = !run.restart.empty() && is_same_file(run.checkpoint, run.restart);
    std::error_code none; // the probe reports write errors
    for (const std::string& file : {run.checkpoint, earlier_checkpoint(run.checkpoint)})
        if (!continues && std::filesystem::exists(file, none) && !run.output.overwrite)
            throw Error(Fault::output, "--checkpoint: " + file +
                                           ": exists: give --overwrite to replace it or --restart "
                                           "to go on from it");
    PendingFile probe(run.checkpoint); // leaves no file behind
}

void print_results(const Fluid& fluid, const FluidAverages& averages, bool argon)
{
    // k_B / (1 nm)^3 is in MPa/K, k_B N_A in kJ/mol/K; argon is Rahman's (Phys. Rev. 136, A405,
    // 1964).
    constexpr double kelvin = 119.8, nm = 0.3405, boltzmann = 1.380649e-23, mole = 6.02214076e23;
    const double megapascal = boltzmann * kelvin / (nm * nm * nm * 1e-27) * 1e-6,
                 kilojoule = boltzmann * mole * kelvin * 1e-3;
    std::vector<std::string> headings{"", "mean", "error"};
    if (argon)
        headings.insert(headings.end(), {"argon", "unit"});
    Table table(headings);
    const auto add = [&](const char* name, const FluidAverages::Mean& mean, double unit,
                         const char* unit_name) {
        std::vector<std::string> row{name, formatted("%.5f", mean.value),
                                     formatted("%.5f", mean.error)};
        if (argon)
            row.insert(row.end(), {formatted("%.5g", mean.value * unit), unit_name});
        table.add(row);
    };
    const double u = fluid.long_range_energy(), density = fluid.options().density;
    add("temperature", averages.temperature(), kelvin, "K");
    add("potential energy per atom", averages.potential(), kilojoule, "kJ/mol");
    add("total energy per atom", averages.total(), kilojoule, "kJ/mol");
    add("pressure", averages.pressure(), megapascal, "MPa");
    std::fputs(table.text().c_str(), stdout);
    std::printf("of these beyond the cut-off: energy %.5f, pressure %.5f\n", u, density * u);
}

/// Opens the checkpoint. If it is damaged, opens the previous one and returns the error.
std::string read_checkpoint(const std::string& file, std::optional<CheckpointReader>& archive)
{
    try {
        archive.emplace(file);
        return "";
    } catch (const Error& error) {
        const std::string fault = error.line();
        try {
            archive.emplace(earlier_checkpoint(file));
        } catch (const Error&) {
            throw Error(Fault::restart, "--restart: " + fault);
        }
        return fault;
    }
}

} // namespace

int fluid(const std::vector<std::string>& arguments)
{
    FluidRun run;
    Options options("fluid", "Evolves a Lennard-Jones fluid in a periodic box at constant energy "
                             "and measures temperature, energy and pressure.");
    add_fluid_options(options, run);
    if (!options.parse(arguments))
        return 0;
    std::optional<CheckpointReader> archive;
    std::string rejected;
    std::optional<FileLock> lock;
    if (!run.restart.empty()) {
        if (run.checkpoint.empty())
            run.checkpoint = run.restart;
        std::error_code none;
        if (std::filesystem::is_regular_file(run.restart, none) ||
            std::filesystem::is_regular_file(earlier_checkpoint(run.restart), none))
            lock.emplace(run.checkpoint); // before another run writes a newer one
        rejected = read_checkpoint(run.restart, archive);
        std::map<std::string, std::string> earlier;
        (*archive)("fluid/options", earlier);
        earlier.erase("checkpoint"); // path of the restart file, which may have moved
        options.adopt(earlier, changeable);
    }
    if (!options.given("switch"))
        run.fluid.switch_from = 5 * run.fluid.cutoff / 6;
    if (!run.output.file.empty())
        require_writable("fluid", run.output);
    record_files(run);
    const bool keeps = !run.checkpoint.empty();
    refuse_idle(
        options,
        {{!keeps, "max-walltime checkpoint-walltime", "needs --checkpoint FILE.chk"},
         {!keeps && run.output.file.empty(), "overwrite", "needs --output or --checkpoint"}});
    require_place_for_checkpoints(run);
    if (!run.checkpoint.empty() && !lock)
        lock.emplace(run.checkpoint);
    FluidJob job(run, kept_options(options));
    const Fluid& fluid = job.fluid();
    if (archive)
        job.restore(*archive);
    const bool quiet = options.verbosity() == Verbosity::quiet;
    if (!quiet)
        std::printf("%llu atoms, density %s, in a box of %.6g; cut-off %s, switched from %.6g; "
                    "steps of %s; %s, %s\n",
                    (unsigned long long)run.fluid.n, shortest(run.fluid.density).c_str(),
                    fluid.side(), shortest(run.fluid.cutoff).c_str(), run.fluid.switch_from,
                    shortest(run.fluid.step).c_str(), fluid.device().c_str(),
                    run.fluid.precision == Precision::single_precision ? "float" : "double");
    if (!rejected.empty() && !quiet)
        std::printf("rejected %s\n", rejected.c_str());
    if (archive && !quiet)
        std::printf("restarted from %s: step %llu\n", archive->path().c_str(),
                    (unsigned long long)job.step());
    const std::uint64_t begin = std::max(job.step(), run.equilibrate);
    double start = wall_clock_seconds(), last_told = start;
    const std::string stopped = job.execute([&] {
        if (job.step() == run.equilibrate) // timing begins
            start = wall_clock_seconds();
        if (options.verbosity() == Verbosity::verbose && job.step() > run.equilibrate &&
            wall_clock_seconds() - last_told > 10) {
            last_told = wall_clock_seconds();
            std::printf("step %llu: %s\n", (unsigned long long)(job.step() - run.equilibrate),
                        job.averages().drift_text().c_str());
            std::fflush(stdout);
        }
    });
    const double seconds = wall_clock_seconds() - start;
    if (!stopped.empty()) {
        if (!quiet)
            std::printf("stopped by %s: step %llu, in %s\n'chamomile fluid --restart %s' goes on "
                        "from there\n",
                        stopped.c_str(), (unsigned long long)job.step(), run.checkpoint.c_str(),
                        run.checkpoint.c_str());
        return 0;
    }
    const FluidAverages& averages = job.averages();
    const std::uint64_t steps = run.equilibrate + run.steps - begin;
    print_results(fluid, averages, run.argon);
    std::printf("%s\n", averages.drift_text().c_str());
    if (averages.drift() > trusted_drift)
        warn(averages.drift_text() + ": above 1 %: this run cannot be trusted");
    if (!quiet)
        std::printf("%llu steps in %s, %.3g steps/s, %.3g pairs/s\n", (unsigned long long)steps,
                    duration_text(seconds).c_str(), double(steps) / seconds,
                    double(steps) * double(fluid.last_pairs()) / seconds);
    if (!run.output.file.empty())
        write_text(run.output, averages.csv());
    return 0;
}

} // namespace chamomile::app
