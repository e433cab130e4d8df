/// \file  `chamomile bench`: measures time, errors and cost of one force evaluation, per setting.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/measure/bench_tables.hpp"
#include "app/measure/pair_ceiling.hpp"
#include "app/measure/reference.hpp"
#include "app/measure/tuning.hpp"
#include "app/models/particle_source.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "app/options/rank_options.hpp"
#include "app/options/solver_options.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

struct BenchOptions {
    ParticleSource source;
    SolverOptions solver;
    SolverSweep sweep;
    std::vector<int> threads = {thread_count()};
    int repeat = 5;
    ReferenceRequest reference{.sample = 1000};
    bool potential = false, phases = false, ceiling = false, tune = false;
    Output csv;

    Quantities quantities() const
    {
        return potential ? Quantities::acceleration_potential : Quantities::acceleration;
    }
};

void add_bench_options(Options& options, BenchOptions& bench)
{
    OptionRows<BenchOptions> t;
    add_particle_source(options, bench.source);
    add_swept_solver_options(options, bench.solver, bench.sweep);
    options.add(tune_row(), bench.tune);
    options.add(rank_options(), bench.solver);
    t.group("Forces");
    t.numbers("threads", &BenchOptions::threads, ranges::between(1, max_threads), "of the host");
    t.group("Measurement");
    t.number("repeat", &BenchOptions::repeat, ranges::between(1, 1000), "counted evaluations");
    t.flag("potential", &BenchOptions::potential, "potentials as well as accelerations");
    options.add(t.take(), bench);
    options.add(reference_rows(ranges::not_negative), bench.reference);
    t.flag("phases", &BenchOptions::phases,
           "a second table: the phases of the median evaluation, on a GPU bytes copied and "
           "batches of lists, each of up to four launches");
    t.flag("ceiling", &BenchOptions::ceiling,
           "before each row on a CPU, how fast its pair loop runs alone");
    options.add(t.take(), bench);
    options.add(output_rows("csv", "FILE", "write all there is as comma-separated values"),
                bench.csv);
}

void require_consistent(const Options& options, BenchOptions& bench)
{
    require_one_source(options, bench.source);
    resolve_sweep(options, bench.sweep, bench.solver);
    resolve_ranks(options, bench.solver, bench.sweep.lists.at("device"));
    refuse_idle(options, {{bench.reference.sample == 0, "reference", "needs --sample"},
                          {bench.csv.file.empty(), "overwrite", "needs --csv FILE"}});
    const auto& solvers = bench.sweep.lists.at("solver");
    const bool direct = std::find(solvers.begin(), solvers.end(), "direct") != solvers.end();
    require_tunable(options, bench.tune, direct);
    if (!bench.csv.file.empty())
        require_writable(options.command(), bench.csv);
}

BenchRow measure(Particles& particles, SolverOptions setting, Reference& reference,
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
    solver->solve(particles, bench.quantities()); // grows buffers; a goal chooses here
    row.setting = solver->options();
    if (asks_ranks(setting) && row.setting.device != "cpu")
        row.setting.device = setting.device; // GPUs used by any rank
    std::vector<std::pair<double, ForceStatistics>> runs;
    for (int r = 0; r < bench.repeat; ++r) {
        const double start = wall_clock_seconds();
        const std::clock_t processor_start = std::clock();
        ForceStatistics statistics = solver->solve(particles, bench.quantities());
        const double spent = double(std::clock() - processor_start) / CLOCKS_PER_SEC;
        row.processor_seconds = r == 0 ? spent : std::min(row.processor_seconds, spent);
        runs.emplace_back(wall_clock_seconds() - start, std::move(statistics));
    }
    row.softening = softening_jump_text(row.setting, runs[0].second.softening_jump.value_or(0));
    std::sort(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    row.median = runs[runs.size() / 2].second;
    for (const auto& run : runs)
        row.seconds.push_back(run.first);
    if (bench.reference.sample > 0) {
        particles.potential.resize(particles.size());
        const TargetErrors errors =
            target_errors(particles, reference.sums(setting.softening), reference.targets());
        row.errors = force_errors(errors, reference.targets()).acceleration;
        row.excess = excess_text(row.setting, errors.acceleration);
    }
    return row;
}

void measure_all(std::vector<BenchRow>& rows, const std::string& source, Particles& particles,
                 const std::vector<SolverOptions>& settings, const BenchOptions& bench,
                 const Options& options)
{
    Reference reference(
        particles, sample_targets(particles.size(), std::size_t(bench.reference.sample)),
        bench.solver.gravitational_constant, bench.reference.device, bench.solver.box);
    for (const SolverOptions& setting : settings) // before the measured sums
        if (bench.reference.sample > 0)
            reference.sums(setting.softening);
    for (int threads : bench.threads) {
        use_threads(threads);
        for (const SolverOptions& setting : settings) {
            const ThreadsInUse few(threads_for(options, setting));
            rows.push_back(measure(particles, setting, reference, bench));
            rows.back().source = source;
        }
    }
}

void write_csv(const BenchOptions& bench, const std::vector<BenchRow>& rows)
{
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%F", std::localtime(&now));
    write_text(bench.csv, everything_table(rows, version, date).csv());
}

} // namespace

int bench(const std::vector<std::string>& arguments)
{
    BenchOptions bench;
    bench.source.numbers = {100000, 1000000};
    bench.solver.softening.length = 1e-3;
    bench.sweep.lists["eps"] = {"0.001"};
    Options options("bench",
                    "Times one force evaluation, from positions in host memory to accelerations "
                    "in host memory with the tree build included: the median, least and largest "
                    "of the repetitions, errors |da|/|a|, pairs and expanded far cells per "
                    "particle, pairs per second of the whole time. Options that take lists are "
                    "measured in every combination, on the same particles. The tables of "
                    "papers are those of the program papers (docs/explanation/papers.md).");
    add_bench_options(options, bench);
    options.common({"model", "particles", "solver", "eps", "tolerance", "order", "precision",
                    "device", "threads", "repeat", "phases", "csv", "overwrite"});
    if (!options.parse(arguments))
        return 0;
    require_consistent(options, bench);

    std::vector<BenchRow> rows;
    if (bench.source.file.empty())
        swept(bench.solver, bench.sweep, options); // fails before long work starts
    visit_particles(bench.source, [&](const std::string& source, Snapshot& snapshot) {
        set_from_file(bench.solver, snapshot, options);
        require_reference(options, bench.reference.device, bench.solver.box > 0);
        warn_of_suspicious_inputs(snapshot, bench.solver);
        if (!bench.source.file.empty()) {
            print_box(options, snapshot, known_forces(bench.solver, snapshot));
            print_notes(options, snapshot);
        }
        measure_all(rows, source, snapshot.particles, swept(bench.solver, bench.sweep, options),
                    bench, options);
    });
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("chamomile %s; %s\n", version, rows.front().machine.c_str());
        print_tables(rows, bench.phases);
        if (bench.ceiling &&
            std::none_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.ceiling; }))
            std::printf("note: --ceiling: nothing uses it: no row is of a processor\n");
    }
    for (const BenchRow& row : rows)
        for (const std::string& line : {row.excess, row.softening})
            if (!line.empty())
                warn(row.source + ", " + method_text(row.setting) + ": " + line);
    if (!bench.csv.file.empty())
        write_csv(bench, rows);
    return 0;
}

} // namespace chamomile::app
