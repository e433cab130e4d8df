/// \file  `chamomile accuracy`: tree against direct sum on a sample of the particles.
#include <cstdio>

#include "app/command.hpp"
#include "app/force_cost.hpp"
#include "app/output_file.hpp"
#include "app/solver_options.hpp"
#include "app/solver_sweep.hpp"
#include "app/table.hpp"
#include "core/error.hpp"
#include "force/force_errors.hpp"
#include "io/particle_check.hpp"

namespace chamomile::app {
namespace {

/// One setting: its errors, what it costs.
struct Row {
    SolverOptions setting;
    ForceErrors errors;
    double momentum;
    ForceCost cost;
    double seconds;
};

Row measure(Particles& particles, const SolverOptions& setting, const ReferenceSums& reference,
            const std::vector<Index>& targets)
{
    const auto solver = make_solver(setting);
    const double start = wall_clock_seconds();
    const ForceStatistics statistics = solver->solve(particles, Quantities::acceleration_potential);
    const double seconds = wall_clock_seconds() - start;
    return {solver->options(), force_errors(particles, reference, targets),
            momentum_residue(particles), ForceCost(statistics), seconds};
}

Table table_of(const std::vector<Row>& rows)
{
    std::vector<std::string> headings;
    for (const SettingColumn& column : setting_columns())
        headings.emplace_back(column.heading);
    for (const char* heading : {"rms", "median", "90 %", "99 %", "99.9 %", "max", "scaled 99 %",
                                "phi 99 %", "|sum m a|", "particles", "cells", "far", "seconds"})
        headings.emplace_back(heading);
    Table table(headings);
    for (const Row& row : rows) {
        std::vector<std::string> words;
        for (const SettingColumn& column : setting_columns())
            words.push_back(column.text(row.setting));
        const Percentiles& a = row.errors.acceleration;
        for (double x : {a.rms, a.median, a.p90, a.p99, a.p999, a.max, row.errors.scaled.p99,
                         row.errors.potential.p99, row.momentum})
            words.push_back(formatted("%.2e", x));
        words.push_back(formatted("%.0f", row.cost.particles));
        words.push_back(formatted("%.0f", row.cost.cells));
        words.push_back(formatted("%.3g", row.cost.far_cells));
        words.push_back(formatted("%.3f", row.seconds));
        table.add(words);
    }
    return table;
}

void print_worst(const Particles& particles, const Row& row)
{
    const Index i = row.errors.worst;
    const Vec3<double>& x = particles.position[i];
    std::printf("worst at %s: particle %u, id %llu, at (%.6g, %.6g, %.6g)\n",
                method_text(row.setting).c_str(), i,
                static_cast<unsigned long long>(particles.id[i]), x.x, x.y, x.z);
}

} // namespace

int accuracy(const std::vector<std::string>& arguments)
{
    std::string file;
    SolverOptions setting;
    SolverSweep sweep;
    sweep.tolerances = {0.003, 0.001, 0.0003};
    int sample = 5000;
    Output csv;
    Options options("accuracy", "Compares accelerations and potentials with the direct sum in "
                                "double precision. Options that take lists are compared in "
                                "every combination. Errors are |da|/|a| of the sampled "
                                "particles; particles and cells are pairs per particle, far the "
                                "cells expanded per particle.");
    options.positional("FILE", file, "the snapshot");
    add_swept_solver_options(options, setting, sweep);
    options.group("Measurement");
    options.number("sample", sample, at_least(1), "particles that are compared");
    options.text("csv", "FILE", csv.file, "write the table as comma-separated values too");
    options.flag("overwrite", csv.overwrite, "replace a file of that name");
    if (!options.parse(arguments))
        return 0;
    if (!csv.file.empty())
        require_writable(options.command(), csv);

    Snapshot snapshot = read_snapshot(file);
    Particles& particles = snapshot.particles;
    require_particles(particles, file);
    take_from_file(setting, snapshot, options);
    const std::vector<SolverOptions> settings = swept(setting, sweep, options);
    const std::vector<Index> targets = sample_targets(particles.size(), std::size_t(sample));
    const ReferenceSums reference =
        reference_sum(particles, targets, setting.softening, setting.gravitational_constant);
    std::vector<Row> rows;
    for (const SolverOptions& one : settings)
        rows.push_back(measure(particles, one, reference, targets));

    const Table table = table_of(rows);
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("%s: %zu particles, %zu sampled, %s, %s\n", file.c_str(), particles.size(),
                    targets.size(), describe(setting.softening).c_str(),
                    make_solver(settings.front())->device().c_str());
        Table shown = table;
        std::printf("%s\n", shown.take_constant_columns(0, setting_columns().size()).c_str());
        shown.print();
        for (const Row& row : rows)
            print_worst(particles, row);
    }
    if (!csv.file.empty())
        write_text(csv, table.csv());
    for (const Row& row : rows)
        if (!row.errors.all_finite)
            throw Error(Fault::numeric,
                        file + ": acceleration: not finite at " + method_text(row.setting));
    return 0;
}

} // namespace chamomile::app
