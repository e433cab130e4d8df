/// \file  `chamomile bench`: time, errors and cost of one force evaluation, setting by setting.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "app/bench_tables.hpp"
#include "app/built_in_model.hpp"
#include "app/command.hpp"
#include "app/output_file.hpp"
#include "app/pair_ceiling.hpp"
#include "app/solver_options.hpp"
#include "app/tuning.hpp"
#include "core/error.hpp"
#include "force/force_errors.hpp"
#include "force/threads.hpp"
#include "io/models/plummer.hpp"
#include "io/particle_check.hpp"
#include "version.hpp"

namespace chamomile::app {
namespace {

struct BenchOptions {
    std::string file, model = "plummer";
    std::uint64_t seed = 1;
    std::vector<std::uint64_t> particles = {100000, 1000000};
    SolverOptions solver;
    SolverSweep sweep;
    std::vector<int> threads = {thread_count()};
    int repeat = 5, sample = 1000;
    bool potential = false, phases = false, ceiling = false, tune = false;
    Output csv;

    Quantities quantities() const
    {
        return potential ? Quantities::acceleration_potential : Quantities::acceleration;
    }
};

void add_bench_options(Options& options, BenchOptions& bench)
{
    options.positional("FILE", bench.file, "a snapshot; a built-in model if none", Need::optional);
    options.group("Particles without a FILE");
    options.text("model", "MODEL", bench.model, "one of " + built_in_model_names());
    options.numbers("particles,n", bench.particles, between(1, 4294967294), "their numbers");
    options.number("seed", bench.seed, not_negative, "of its random numbers");
    add_swept_solver_options(options, bench.solver, bench.sweep);
    add_tune(options, bench.tune);
    options.numbers("threads", bench.threads, between(1, 4096), "of the host");
    options.group("Measurement");
    options.number("repeat", bench.repeat, between(1, 1000), "counted evaluations");
    options.flag("potential", bench.potential, "potentials as well as accelerations");
    options.number("sample", bench.sample, not_negative,
                   "targets whose errors are measured against the direct sum in double; 0: none");
    options.flag("phases", bench.phases, "a second table: the phases of the median evaluation");
    options.flag("ceiling", bench.ceiling,
                 "before each row on a CPU, how fast its pair loop runs alone");
    options.text("csv", "FILE", bench.csv.file, "write all there is as comma-separated values");
    options.flag("overwrite", bench.csv.overwrite, "replace a file of that name");
}

void require_consistent(const Options& options, const BenchOptions& bench)
{
    for (const char* option : {"model", "particles", "seed"})
        if (!bench.file.empty() && options.given(option))
            throw Error(Fault::usage, std::string("--") + option + ": contradicts the file " +
                                          bench.file + "; give one");
    require_tunable(options, bench.tune, bench.solver);
    if (!bench.csv.file.empty())
        require_writable(options.command(), bench.csv);
}

/// The errors of the sampled targets; the long sum is done once for a set of particles.
class Sample {
public:
    Sample(const Particles& particles, const BenchOptions& bench)
        : targets_(sample_targets(particles.size(), std::size_t(bench.sample)))
    {
        if (bench.sample > 0)
            reference_ = reference_sum(particles, targets_, bench.solver.softening,
                                       bench.solver.gravitational_constant);
    }

    std::optional<Percentiles> errors(Particles& particles) const
    {
        if (reference_.acceleration.empty())
            return {};
        particles.potential.resize(particles.size());
        return force_errors(particles, reference_, targets_).acceleration;
    }

private:
    std::vector<Index> targets_;
    ReferenceSums reference_;
};

BenchRow measure(Particles& particles, SolverOptions setting, const Sample& sample,
                 const BenchOptions& bench)
{
    BenchRow row;
    if (bench.tune)
        setting = tuned(setting, particles, bench.quantities()).solver;
    row.tuned = bench.tune;
    const auto solver = make_solver(setting);
    row.particles = particles.size();
    row.threads = thread_count();
    row.machine = solver->device();
    if (bench.ceiling && solver->options().device == "cpu")
        row.ceiling = pair_ceiling(solver->options(), bench.quantities());
    solver->solve(particles, bench.quantities()); // grows every buffer, and chooses where it may
    row.setting = solver->options();
    std::vector<std::pair<double, ForceStatistics>> runs;
    for (int r = 0; r < bench.repeat; ++r) {
        const double start = wall_clock_seconds();
        const std::clock_t processor_start = std::clock();
        ForceStatistics statistics = solver->solve(particles, bench.quantities());
        const double spent = double(std::clock() - processor_start) / CLOCKS_PER_SEC;
        row.processor_seconds = r == 0 ? spent : std::min(row.processor_seconds, spent);
        runs.emplace_back(wall_clock_seconds() - start, std::move(statistics));
    }
    std::sort(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    row.median = runs[runs.size() / 2].second;
    for (const auto& run : runs)
        row.seconds.push_back(run.first);
    row.errors = sample.errors(particles);
    return row;
}

void measure_all(std::vector<BenchRow>& rows, Particles& particles,
                 const std::vector<SolverOptions>& settings, const BenchOptions& bench)
{
    const Sample sample(particles, bench);
    for (int threads : bench.threads) {
        use_threads(threads);
        for (const SolverOptions& setting : settings)
            rows.push_back(measure(particles, setting, sample, bench));
    }
}

Snapshot make_particles(const BenchOptions& bench, std::uint64_t n)
{
    if (bench.model == "plummer") // without the energy of all pairs
        return make_plummer({.particles = n, .seed = bench.seed, .exact_energy_limit = 0});
    return make_built_in_model(bench.model, n, bench.seed);
}

void write_csv(const BenchOptions& bench, const std::vector<BenchRow>& rows)
{
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%F", std::localtime(&now));
    const std::string source = bench.file.empty() ? bench.model : bench.file;
    write_text(
        bench.csv,
        everything_table(rows, {source, describe(bench.solver.softening), version, date}).csv());
}

} // namespace

int bench(const std::vector<std::string>& arguments)
{
    BenchOptions bench;
    bench.solver.softening.length = 1e-3;
    Options options("bench",
                    "Times one force evaluation, from positions in host memory to accelerations "
                    "in host memory with the tree build included: the median, least and largest "
                    "of the repetitions, errors |da|/|a|, pairs and expanded far cells per "
                    "particle, pairs per second of the whole time. Options that take lists are "
                    "measured in every combination, on the same particles.");
    add_bench_options(options, bench);
    if (!options.parse(arguments))
        return 0;
    require_consistent(options, bench);

    std::vector<BenchRow> rows;
    if (!bench.file.empty()) {
        Snapshot snapshot = read_snapshot(bench.file);
        require_particles(snapshot.particles, bench.file);
        take_from_file(bench.solver, snapshot, options);
        measure_all(rows, snapshot.particles, swept(bench.solver, bench.sweep, options), bench);
    } else {
        const std::vector<SolverOptions> settings = swept(bench.solver, bench.sweep, options);
        for (std::uint64_t n : bench.particles) {
            Snapshot model = make_particles(bench, n);
            measure_all(rows, model.particles, settings, bench);
        }
    }
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("chamomile %s; %s; softening %s; %s\n", version,
                    bench.file.empty() ? bench.model.c_str() : bench.file.c_str(),
                    describe(bench.solver.softening).c_str(), rows.front().machine.c_str());
        print_tables(rows, bench.phases);
    }
    if (!bench.csv.file.empty())
        write_csv(bench, rows);
    return 0;
}

} // namespace chamomile::app
