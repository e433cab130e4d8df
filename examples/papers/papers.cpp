#include "examples/papers/papers.hpp"

#include <cstdio>
#include <numeric>

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_coulomb.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/run/journal.hpp"
#include "examples/papers/field_table.hpp"
#include "examples/papers/law_timing.hpp"

namespace chamomile::app {
namespace {

/// Settings for measurements on a device, and the device's speed limit for a law.
struct Bench {
    PairOptions pairs;
    int repeat;
    Journal& journal;

    /// Shows which measurement is running.
    void begin(const std::string& what, std::size_t n) const
    {
        journal.show_work("measuring " + what + ", " + std::to_string(n) + " particles");
    }

    bool on_gpu() const { return choose_gpu(pairs.device) >= 0; }

    /// Returns pairs per second if every issue slot of the GPU served a law with `slots` per pair.
    double issue_limit(int slots) const
    {
        const GpuDescription gpu = list_gpus().at(std::size_t(choose_gpu(pairs.device)));
        return double(gpu.multiprocessors) * 128 * gpu.clock / slots;
    }

    /// Returns the percentage of issue slots filled by a kernel's law; "-" if unknown.
    std::string part_of_limit(const LawTiming& timing, int slots) const
    {
        const bool precise = pairs.precision == Precision::double_precision;
        return timing.busy > 0 && !precise
                   ? formatted("%.0f %%", 100 * timing.kernel_rate() / issue_limit(slots))
                   : "-";
    }
};

Particles sphere(std::size_t n)
{
    PlummerOptions options;
    options.particles = n;
    options.exact_energy_limit = 0;
    return make_plummer(options).particles;
}

/// Records holds a law's records of particles, and the source index of each target.
template <class Law>
struct Records {
    std::vector<typename Law::template Target<double>> targets;
    std::vector<typename Law::template Source<double>> sources;
    std::vector<std::uint32_t> self;
};

template <class Law>
Records<Law> records_of(const Particles& p)
{
    Records<Law> records;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if constexpr (requires { records.targets[0].velocity; }) {
            records.targets.push_back({p.position[i], p.velocity[i]});
            records.sources.push_back({p.position[i], p.velocity[i], p.mass[i]});
        } else {
            records.targets.push_back({p.position[i]});
            records.sources.push_back({p.position[i], p.mass[i]});
        }
        records.self.push_back(std::uint32_t(i));
    }
    return records;
}

template <class Law>
LawTiming timed(const Bench& bench, const Law& law, std::size_t n, bool self)
{
    bench.begin(law_code<Law>().name, n);
    const Records<Law> records = records_of<Law>(sphere(n));
    return time_law(law, bench.pairs, records.targets, records.sources,
                    self ? std::span<const std::uint32_t>(records.self)
                         : std::span<const std::uint32_t>(),
                    bench.repeat);
}

/// Returns the table for Hamada & Iitaka (2007), tables 2 and 3: the whole library call, on a
/// GeForce 8800 GTX.
Table cunbody_table(const Bench& bench)
{
    struct Row {
        std::size_t n;
        double error, seconds, gflops;
    };
    constexpr Row published[] = {{2048, 5.4e-7, 9.21e-4, 173}, {4096, 3.3e-7, 2.99e-3, 213},
                                 {8192, 5.0e-7, 1.08e-2, 235}, {16384, 4.3e-7, 4.14e-2, 246},
                                 {32768, 6.8e-7, 0.162, 251},  {65536, 1.0e-6, 0.642, 254},
                                 {131072, 1.5e-6, 2.548, 256}};
    Table table({"law", "N", "paper: ms", "ours: ms", "paper: pairs/s", "ours: pairs/s", "ratio",
                 "paper: Gflop/s (38)", "ours: Gflop/s (38)", "kernel: of issue limit",
                 "paper: largest error", "ours: largest error"});
    const double eps = 1.0 / 256;
    for (const Row& row : published) {
        const LawTiming t = timed(bench, GravityAcceleration{eps}, row.n, false);
        const double paper = double(row.n) * double(row.n) / row.seconds;
        table.add({"force", std::to_string(row.n), formatted("%.3g", 1e3 * row.seconds),
                   formatted("%.3g", 1e3 * t.seconds), formatted("%.3g", paper),
                   formatted("%.3g", t.rate()), formatted("%.3g", t.rate() / paper),
                   formatted("%.0f", row.gflops), formatted("%.0f", 38e-9 * t.rate()),
                   bench.part_of_limit(t, GravityAcceleration::issue_slots),
                   formatted("%.1e", row.error), formatted("%.1e", t.worst_error)});
    }
    const LawTiming t = timed(bench, GravityJerk{eps}, 131072, false);
    table.add({"force, jerk, potential", "131072", "-", formatted("%.3g", 1e3 * t.seconds), "-",
               formatted("%.3g", t.rate()), "-", "179, its own count", "-",
               bench.part_of_limit(t, GravityJerk::issue_slots), "-",
               formatted("%.1e", t.worst_error)});
    return table;
}

/// Returns steps per second of the leapfrog, resident on a GPU if available.
double steps_per_second(const Bench& bench, std::size_t n)
{
    bench.begin("steps of the leapfrog", n);
    Particles particles = sphere(n);
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.device = bench.pairs.device;
    options.instruction_set = bench.pairs.instruction_set;
    options.precision = bench.pairs.precision;
    options.softening.length = 0.01;
    const TimeStep step{TimeStepKind::fixed, 1e-5};
    options.solver = SolverKind::direct;
    const auto solver = make_solver(options);
    const auto integrator =
        std::make_unique<Leapfrog>(*solver, step, Clock::newtonian(), Residence::where_solved);
    integrator->start(particles, Quantities::acceleration, {});
    const int steps = bench.on_gpu() ? 1000 : 10;
    std::vector<double> seconds;
    for (int r = 0; r < bench.repeat; ++r) {
        const double start = wall_clock_seconds();
        for (int s = 0; s < steps; ++s)
            integrator->step(particles, step.length, Quantities::acceleration, {});
        integrator->fetch(particles);
        seconds.push_back(wall_clock_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    return steps / seconds[seconds.size() / 2];
}

/// Returns the seconds of a tree. The chapter expects less than half a second for 2^18 bodies.
double tree_seconds(const Bench& bench, std::size_t n)
{
    bench.begin("the tree", n);
    Particles particles = sphere(n);
    SolverOptions options;
    options.device = bench.pairs.device;
    options.instruction_set = bench.pairs.instruction_set;
    options.softening.length = 0.01;
    const auto solver = make_solver(options);
    std::vector<double> seconds;
    for (int r = 0; r <= bench.repeat; ++r) {
        const double start = wall_clock_seconds();
        solver->solve(particles, Quantities::acceleration);
        if (r > 0)
            seconds.push_back(wall_clock_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

/// Returns the table for Nyland, Harris & Prins (2007): a whole simulation on a GeForce 8800 GTX.
Table gems_table(const Bench& bench)
{
    Table table(
        {"what", "N", "paper", "ours", "ratio", "paper: Gflop/s (20)", "ours: Gflop/s (20)"});
    for (const std::size_t n : {1024ul, 2048ul, 4096ul, 8192ul, 16384ul, 32768ul}) {
        const double steps = steps_per_second(bench, n), pairs = steps * double(n) * double(n);
        const bool published = n == 16384;
        table.add({bench.on_gpu() ? "leapfrog on the GPU: steps/s" : "leapfrog: steps/s",
                   std::to_string(n), published ? "38" : "-", formatted("%.4g", steps),
                   published ? formatted("%.3g", steps / 38) : "-", published ? "204" : "-",
                   formatted("%.0f", 20e-9 * pairs)});
    }
    const LawTiming t = timed(bench, GravityAcceleration{0.01}, 16384, false);
    table.add({"all pairs: pairs/s", "16384", "1e+10", formatted("%.3g", t.rate()),
               formatted("%.3g", t.rate() / 1e10), "200", formatted("%.0f", 20e-9 * t.rate())});
    const double tree = tree_seconds(bench, 1 << 18);
    table.add({"hierarchical, one evaluation: ms", "262144", "below 500",
               formatted("%.3g", 1e3 * tree), "-", "-", "-"});
    return table;
}

/// Times a law for atoms as in a liquid: on a lattice of about two sigma, slightly displaced, with
/// charges of both signs.
template <class Law>
LawTiming timed_liquid(const Bench& bench, const Law& law, std::size_t n)
{
    bench.begin(law_code<Law>().name, n);
    const std::size_t side = std::size_t(std::ceil(std::cbrt(double(n))));
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> part(0, 1);
    std::vector<MolecularAtom<double>> atoms;
    std::vector<std::uint32_t> self;
    for (std::size_t i = 0; i < n; ++i) {
        const auto near = [&](std::size_t k) { return double(k) + 0.1 * part(random); };
        const Vec3<double> place{near(i % side), near(i / side % side), near(i / side / side)};
        atoms.push_back(molecular_atom<LorentzBerthelot>(place, (i % 2 ? 0.5 : -0.5) * part(random),
                                                         0.7 + 0.2 * part(random),
                                                         0.2 + part(random)));
        self.push_back(std::uint32_t(i));
    }
    return time_law(law, bench.pairs, atoms, atoms, self, bench.repeat);
}

/// Returns the table for Elsen et al. (2006), table of kernels: an ATI X1900XTX under BrookGPU. On
/// a GPU it adds particle numbers large enough for kernel time to dominate.
Table brook_table(const Bench& bench)
{
    Table table({"law", "N", "paper: Gpairs/s", "ours: Gpairs/s", "kernel alone", "ratio", "flop",
                 "paper: Gflop/s", "ours: Gflop/s", "kernel: of issue limit", "median error",
                 "largest error"});
    struct Published {
        const char* law;
        std::size_t n;
        double rate;
        int flop;
        double flops;
    };
    const auto add = [&](const Published& paper, int slots, const auto& measure) {
        for (const std::size_t n : {paper.n, std::size_t(262144)}) {
            const bool published = n == paper.n;
            if (!published && !bench.on_gpu())
                continue;
            const LawTiming t = measure(n);
            table.add(
                {paper.law, std::to_string(n), published ? formatted("%.2f", paper.rate) : "-",
                 formatted("%.4g", 1e-9 * t.rate()),
                 t.busy > 0 ? formatted("%.4g", 1e-9 * t.kernel_rate()) : "-",
                 published ? formatted("%.3g", 1e-9 * t.rate() / paper.rate) : "-",
                 std::to_string(paper.flop), published ? formatted("%.1f", paper.flops) : "-",
                 formatted("%.0f", 1e-9 * paper.flop * t.rate()), bench.part_of_limit(t, slots),
                 formatted("%.0e", t.median_error), formatted("%.0e", t.worst_error)});
        }
    };
    const double eps = 0.01;
    add({"gravity", 65536, 4.97, 19, 94.3}, GravityAcceleration::issue_slots,
        [&](std::size_t n) { return timed(bench, GravityAcceleration{eps}, n, true); });
    add({"gravity and jerk", 65536, 1.27, 42, 53.5}, GravityJerk::issue_slots,
        [&](std::size_t n) { return timed(bench, GravityJerk{eps}, n, true); });
    add({"Lennard-Jones + Coulomb, constant", 4096, 2.59, 30, 77.6}, MolecularForce::issue_slots,
        [&](std::size_t n) { return timed_liquid(bench, MolecularForce{}, n); });
    add({"Lennard-Jones + Coulomb, linear", 4096, 2.65, 30, 79.5},
        MolecularForceLinear::issue_slots,
        [&](std::size_t n) { return timed_liquid(bench, MolecularForceLinear{}, n); });
    MolecularForceSigmoidal sigmoidal;
    sigmoidal.dielectric = {-1e-7, 1e-5, 1e-3, 0.1};
    add({"Lennard-Jones + Coulomb, sigmoidal", 4096, 2.10, 43, 90.3},
        MolecularForceSigmoidal::issue_slots,
        [&](std::size_t n) { return timed_liquid(bench, sigmoidal, n); });
    return table;
}

/// Returns pairs per second as a function of the number of targets.
Table targets_table(const Bench& bench)
{
    Table table({"targets", "sources", "us", "kernel: us", "pairs/s", "kernel: pairs/s"});
    for (const std::size_t m : {1000ul, 10000ul, 100000ul, 1000000ul}) {
        bench.begin("few and many targets", m);
        const Particles p = sphere(m);
        const Records<GravityAcceleration> all = records_of<GravityAcceleration>(p);
        for (std::size_t n = 1; n <= std::min<std::size_t>(m, 16384); n *= 4) {
            const std::vector targets(all.targets.begin(), all.targets.begin() + long(n));
            const LawTiming t = time_law(GravityAcceleration{0.01}, bench.pairs, targets,
                                         all.sources, {}, bench.repeat);
            table.add({std::to_string(n), std::to_string(m), formatted("%.4g", 1e6 * t.seconds),
                       t.busy > 0 ? formatted("%.4g", 1e6 * t.busy) : "-",
                       formatted("%.3g", t.rate()),
                       t.busy > 0 ? formatted("%.3g", t.kernel_rate()) : "-"});
        }
    }
    return table;
}

/// Reads the options of a table, prints the device, measures and prints the table.
int measured(const std::vector<std::string>& arguments, const char* name, const char* title,
             Table (*measure)(const Bench& bench))
{
    PairOptions pairs;
    struct Counted {
        int repeat = 5;
    } counted;
    Output csv;
    Options options(name, title);
    add_machine_options(options, pairs);
    OptionRows<Counted> t;
    t.number("repeat", &Counted::repeat, ranges::between(1, 1000),
             "timed evaluations; the table has their median");
    options.add(t.take(), counted);
    options.add(output_rows("csv", "FILE", "write the table as comma-separated values"), csv);
    if (!options.parse(arguments))
        return 0;
    refuse_idle(options, {{csv.file.empty(), "overwrite", "needs --csv FILE"}});
    if (!csv.file.empty())
        require_writable(name, csv);
    const bool quiet = options.verbosity() == Verbosity::quiet;
    const auto device = make_pair_solver(GravityAcceleration{1}, pairs)->device();
    if (!quiet) {
        std::printf("chamomile %s; %s, %s\n%s\n", version, device.c_str(),
                    pairs.precision == Precision::double_precision ? "double" : "float", title);
        std::fflush(stdout);
    }
    Journal journal({.stream = stdout, .verbosity = options.verbosity()});
    const Table table = measure(Bench{pairs, counted.repeat, journal});
    if (!quiet)
        std::fputs(table.text().c_str(), stdout);
    if (!csv.file.empty())
        write_text(csv, table.csv());
    return 0;
}

Table measured_field(const Bench& bench)
{
    SolverOptions solver;
    solver.softening.length = 1e-3;
    solver.precision = bench.pairs.precision;
    solver.device = bench.pairs.device;
    solver.instruction_set = bench.pairs.instruction_set;
    return field_table(solver, bench.repeat, bench.journal);
}

} // namespace

int cunbody(const std::vector<std::string>& arguments)
{
    return measured(arguments, "cunbody",
                    "Hamada & Iitaka (2007), tables 2 and 3: GeForce 8800 GTX, the whole call",
                    cunbody_table);
}

int gems(const std::vector<std::string>& arguments)
{
    return measured(arguments, "gems",
                    "Nyland, Harris & Prins (2007), GPU Gems 3, chapter 31: GeForce 8800 GTX",
                    gems_table);
}

int brook(const std::vector<std::string>& arguments)
{
    return measured(arguments, "brook", "Elsen et al. (2006): ATI X1900XTX", brook_table);
}

int targets(const std::vector<std::string>& arguments)
{
    return measured(arguments, "targets",
                    "Pairs per second over the number of targets, gravity, copies included",
                    targets_table);
}

int field(const std::vector<std::string>& arguments)
{
    return measured(arguments, "field",
                    "A field that is kept: Plummer sphere, default tolerance, accelerations and "
                    "potentials",
                    measured_field);
}

} // namespace chamomile::app
