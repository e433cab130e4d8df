/// \file  `chamomile bench`: time per phase and pairs per second of one force evaluation.
#include <algorithm>
#include <cstdio>

#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/solver_options.hpp"
#include "app/table.hpp"
#include "force/force_errors.hpp"
#include "io/models/plummer.hpp"
#include "io/particle_check.hpp"

namespace chamomile::app {
namespace {

struct Settings {
    std::vector<std::uint64_t> particles = {100000, 1000000};
    SolverSweep sweep;
    int repeat = 5, sample = 0;
    bool potential = false;
};

/// One setting, measured.
struct Measurement {
    std::size_t particles;
    SolverOptions solver;
    std::vector<double> seconds; ///< of each repetition, ascending
    ForceStatistics median;      ///< of the repetition with the median time
    std::vector<double> errors;  ///< |da|/|a| at 90 and 99 %; empty if not sampled
};

Measurement measure(Particles& particles, const SolverOptions& options, const Settings& settings)
{
    const auto solver = make_solver(options);
    const Quantities quantities =
        settings.potential ? Quantities::acceleration_potential : Quantities::acceleration;
    solver->solve(particles, quantities); // warms up and grows every buffer
    std::vector<std::pair<double, ForceStatistics>> runs;
    for (int r = 0; r < settings.repeat; ++r) {
        const double start = wall_clock_seconds();
        ForceStatistics statistics = solver->solve(particles, quantities);
        runs.emplace_back(wall_clock_seconds() - start, std::move(statistics));
    }
    std::sort(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    Measurement m{particles.size(), solver->options(), {}, runs[runs.size() / 2].second, {}};
    for (const auto& run : runs)
        m.seconds.push_back(run.first);
    if (settings.sample > 0) {
        particles.potential.resize(particles.size());
        const auto targets = sample_targets(particles.size(), std::size_t(settings.sample));
        const ForceErrors errors = force_errors(
            particles,
            reference_sum(particles, targets, options.softening, options.gravitational_constant),
            targets);
        m.errors = {errors.acceleration.p90, errors.acceleration.p99};
    }
    return m;
}

Table table_of(const std::vector<Measurement>& measurements)
{
    std::vector<std::string> headings = {"N",  "solver", "tolerance", "theta", "order",     "group", "leaf",
                                         "ms", "min",    "max",   "particles", "cells", "pairs/s"};
    for (const char* error : {"90 % error", "99 % error"})
        headings.push_back(error);
    for (const Profile::Phase& phase : measurements[0].median.profile.phases())
        headings.push_back(phase.name + " ms");
    Table table(headings);
    const auto milliseconds = [](double seconds) { return formatted("%.3f", 1e3 * seconds); };
    for (const Measurement& m : measurements) {
        const double n = double(m.median.targets);
        const double pairs = double(m.median.particle_particle) + double(m.median.particle_cell);
        const double median = m.seconds[m.seconds.size() / 2];
        std::vector<std::string> row = {std::to_string(m.particles),
                                        describe(m.solver)["solver"],
                                        tolerance_text(m.solver),
                                        theta_text(m.solver),
                                        order_text(m.solver),
                                        std::to_string(m.solver.group_size),
                                        std::to_string(m.solver.leaf_size),
                                        milliseconds(median),
                                        milliseconds(m.seconds.front()),
                                        milliseconds(m.seconds.back()),
                                        formatted("%.0f", double(m.median.particle_particle) / n),
                                        formatted("%.0f", double(m.median.particle_cell) / n),
                                        formatted("%.3e", pairs / median)};
        for (std::size_t e = 0; e < 2; ++e)
            row.push_back(m.errors.empty() ? "-" : formatted("%.2e", m.errors[e]));
        for (const Profile::Phase& phase : m.median.profile.phases())
            row.push_back(milliseconds(phase.seconds));
        table.add(row);
    }
    return table;
}

} // namespace

int bench(const std::vector<std::string>& arguments)
{
    std::string file;
    SolverOptions solver;
    solver.softening.length = 1e-3;
    Settings settings;
    Output csv;
    Options options("bench",
                    "Times one force evaluation, from positions in host memory to accelerations "
                    "in host memory with the tree build included: the median, least and largest "
                    "of the repetitions, the phases of the median one (\"walk\" includes the "
                    "pairs on a CPU), interactions per particle and pairs per second.");
    options.positional("FILE", file, "a snapshot; a Plummer sphere in N-body units if none",
                       Need::optional);
    add_swept_solver_options(options, solver, settings.sweep);
    options.group("Measurement");
    options.numbers("particles,n", settings.particles, between(1, 4e9),
                    "of the Plummer spheres, r < 22.8 a");
    options.number("repeat", settings.repeat, between(1, 1000), "counted evaluations");
    options.flag("potential", settings.potential, "potentials as well as accelerations");
    options.number("sample", settings.sample, not_negative,
                   "targets whose errors are measured against the direct sum; 0: none");
    options.text("csv", "FILE", csv.file, "write the table as comma-separated values too");
    options.flag("overwrite", csv.overwrite, "replace a file of that name");
    if (!options.parse(arguments))
        return 0;
    if (!csv.file.empty())
        require_writable(options.command(), csv);

    std::vector<Measurement> measurements;
    const auto measure_all = [&](Particles& particles) {
        for (const SolverOptions& setting : swept(solver, settings.sweep, options))
            measurements.push_back(measure(particles, setting, settings));
    };
    if (!file.empty()) {
        Snapshot snapshot = read_snapshot(file);
        require_particles(snapshot.particles, file);
        take_from_file(solver, snapshot, options);
        measure_all(snapshot.particles);
    } else {
        for (std::uint64_t n : settings.particles) {
            Snapshot sphere = make_plummer({.particles = n, .exact_energy_limit = 0});
            measure_all(sphere.particles);
        }
    }
    const Table table = table_of(measurements);
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("%s; %s\n", make_solver(solver)->device().c_str(),
                    describe(solver.softening).c_str());
        table.print();
    }
    if (!csv.file.empty())
        write_text(csv, table.csv());
    return 0;
}

} // namespace chamomile::app
