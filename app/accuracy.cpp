/// \file  `chamomile accuracy`: tree and direct sums against the sum in double, on a sample.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/measure/accuracy_table.hpp"
#include "app/measure/comparison.hpp"
#include "app/measure/gradient_errors.hpp"
#include "app/measure/reference.hpp"
#include "app/measure/solver_sweep.hpp"
#include "app/models/particle_source.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/periodic_options.hpp"
#include "app/options/solver_options.hpp"
#include "app/options/unit_options.hpp"
#include "app/plot_script.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/texts/accuracy_text.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

/// Above this number of particles, direct sums are computed for sampled targets only.
constexpr std::size_t max_direct_targets = 1 << 18;

/// Longer tables omit their worst particles unless --verbose is given.
constexpr std::size_t max_worst_lines = 8;

struct AccuracyOptions {
    ParticleSource source;
    SolverOptions solver;
    SolverSweep sweep;
    ReferenceRequest reference{.sample = 5000};
    FileUnits units;
    std::vector<std::string> compared;
    std::string scan;
    int repeat = 1;
    bool gradient = false;
    Output csv, hdf5;
    PlotRequest drawing;
};

void add_accuracy_options(Options& options, AccuracyOptions& accuracy)
{
    OptionRows<AccuracyOptions> t;
    add_particle_source(options, accuracy.source);
    add_file_units(options, accuracy.units, "Units of FILE");
    add_swept_solver_options(options, accuracy.solver, accuracy.sweep);
    t.group("Measurement");
    options.add(reference_rows(ranges::at_least(1)), accuracy.reference);
    t.number("repeat", &AccuracyOptions::repeat, ranges::between(1, 1000),
             "timed evaluations; from 2 on after an untimed evaluation");
    t.flag("gradient", &AccuracyOptions::gradient,
           "errors of the gradient of sum a^2: |dg|/|g| for positions and, as phi, for masses");
    t.texts("compare", &AccuracyOptions::compared, "OTHER,...",
            "judge the forces of another code: snapshots, GADGET's forcetest.txt, SWIFT's "
            "gravity_checks, text, .npy or .npz; own forces are measured only if force options are "
            "given");
    t.choice("scan", &AccuracyOptions::scan,
             {{"theta", "theta"}, {"tolerance", "tolerance"}, {"order", "order"}},
             "error against cost for usual values, to FILE_theta.csv, .hdf5 and figures");
    t.group("Output");
    options.add(t.take(), accuracy);
    options.add(output_rows("csv", "FILE", "everything as comma-separated values"), accuracy.csv);
    t.group("Output");
    t.text(
        "hdf5", [](AccuracyOptions & o) -> auto& { return o.hdf5.file; }, "FILE",
        "the same and the errors of every sampled particle");
    options.add(t.take(), accuracy);
    options.add(drawing_rows(), accuracy.drawing);
}

/// Sets the lists and files of --scan unless they are given.
void resolve_scan(const Options& options, AccuracyOptions& accuracy)
{
    if (accuracy.scan.empty())
        return;
    const auto use = [&](const char* name, std::vector<std::string> values) {
        if (!options.given(name))
            accuracy.sweep.lists[name] = std::move(values);
    };
    if (accuracy.scan == "theta") {
        use("criterion", {"geometric"});
        use("theta", {"0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"});
    } else {
        use("tolerance", {"0.03", "0.01", "0.003", "0.001", "3e-4", "1e-4", "3e-5"});
        if (accuracy.scan == "order")
            use("order", {"0", "2", "3", "4"});
    }
    const std::string stem = accuracy.source.file.empty()
                                 ? joined(accuracy.source.models, '_')
                                 : std::filesystem::path(accuracy.source.file).stem().string();
    if (accuracy.csv.file.empty())
        accuracy.csv.file = stem + "_" + accuracy.scan + ".csv";
    if (accuracy.hdf5.file.empty())
        accuracy.hdf5.file = stem + "_" + accuracy.scan + ".hdf5";
    if (!options.given("repeat"))
        accuracy.repeat = 3;
    require_python(accuracy.drawing.python);
}

void require_consistent(const Options& options, AccuracyOptions& accuracy)
{
    accuracy.csv.option = "--csv";
    accuracy.hdf5 = {accuracy.hdf5.file, accuracy.csv.overwrite, "--hdf5"};
    if (accuracy.source.file.empty() && !options.given("model"))
        throw Error(Fault::usage, "accuracy: missing: FILE or --model MODEL");
    require_one_source(options, accuracy.source);
    refuse_idle(options,
                {{accuracy.source.file.empty(), "compare units box-length h", "needs FILE"}});
    refuse_idle(options, {{accuracy.gradient, "compare", "contradicts --gradient"},
                          {accuracy.gradient, "accuracy",
                           "must be left out for --gradient; give --tolerance"}});
    refuse_idle(options, {{accuracy.scan.empty(), "format python", "needs --scan"},
                          {!accuracy.scan.empty(), "accuracy",
                           "contradicts --scan, whose values are compared"}});
    resolve_scan(options, accuracy);
    resolve_sweep(options, accuracy.sweep, accuracy.solver);
    refuse_idle(options, {{accuracy.csv.file.empty() && accuracy.hdf5.file.empty(), "overwrite",
                           "needs --csv FILE or --hdf5 FILE"}});
    for (const Output* output : {&accuracy.csv, &accuracy.hdf5})
        if (!output->file.empty())
            require_writable(options.command(), *output);
}

/// Returns the median of the seconds that `repeat` evaluations take.
template <class Evaluate>
double median_seconds(int repeat, const Evaluate& evaluate)
{
    const auto timed = [&] {
        const double start = wall_clock_seconds();
        evaluate();
        return wall_clock_seconds() - start;
    };
    if (repeat > 1)
        timed(); // warms up and grows every buffer
    std::vector<double> seconds;
    for (int r = 0; r < repeat; ++r)
        seconds.push_back(timed());
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
}

/// Measures the gradient of sum a^2.
AccuracyRow measure_gradient(const Particles& particles, const SolverOptions& setting,
                             const Reference& reference, int repeat)
{
    const GradientOfForces gradient(particles, setting, reference.device());
    AccuracyRow row;
    ForceStatistics statistics;
    row.seconds = median_seconds(repeat, [&] { statistics = gradient.evaluate(); });
    const ForceCost cost(statistics);
    row.setting = gradient.options();
    row.machine = gradient.device();
    row.errors = gradient.errors(reference.targets());
    row.statistics = force_errors(row.errors, reference.targets());
    row.targets = particles.size();
    row.particles = cost.particles;
    row.cells = cost.cells;
    row.far_cells = cost.far_cells;
    row.evaluations = repeat;
    return row;
}

AccuracyRow measure(Particles& particles, const SolverOptions& setting, Reference& reference,
                    int repeat)
{
    const ReferenceSums& sums = reference.sums(setting.softening); // before the solver: both may
                                                                   // use a GPU
    const auto solver = make_solver(setting);
    const bool all = setting.solver == SolverKind::tree || particles.size() <= max_direct_targets;
    const std::span<const Index> active =
        all ? std::span<const Index>() : std::span(reference.targets());
    ForceStatistics statistics;
    const double seconds = median_seconds(repeat, [&] {
        statistics = solver->solve(particles, Quantities::acceleration_potential, active);
    });

    const ForceCost cost(statistics);
    AccuracyRow row;
    row.setting = solver->options();
    row.machine = solver->device();
    row.errors = target_errors(particles, sums, reference.targets());
    row.statistics = force_errors(row.errors, reference.targets());
    if (all)
        row.momentum = momentum_residue(particles);
    row.targets = all ? particles.size() : active.size();
    row.particles = cost.particles;
    row.cells = cost.cells;
    row.far_cells = cost.far_cells;
    row.seconds = seconds;
    row.evaluations = repeat;
    row.softening = softening_jump_text(row.setting, statistics.softening_jump.value_or(0));
    return row;
}

/// Returns the number of the sample with these targets, adding it unless it exists.
std::size_t sample_of(const std::string& source, const Particles& particles,
                      const std::vector<Index>& targets, const std::string& reference,
                      Samples& samples)
{
    for (std::size_t k = 0; k < samples.size(); ++k)
        if (samples[k].source == source && samples[k].particles == particles.size() &&
            std::equal(targets.begin(), targets.end(), samples[k].index.begin(),
                       samples[k].index.end()))
            return k;
    AccuracySample& sample = samples.emplace_back();
    sample.reference = reference;
    sample.source = source;
    sample.particles = particles.size();
    sample.radius = radii_of(particles, targets);
    for (Index i : targets) {
        sample.index.push_back(i);
        sample.id.push_back(particles.id[i]);
        sample.position.push_back(particles.position[i]);
    }
    return samples.size() - 1;
}

void print_worst(const Samples& samples, const AccuracyRow& row)
{
    const AccuracySample& sample = samples[row.sample];
    const auto place = std::find(sample.index.begin(), sample.index.end(), row.statistics.worst);
    const std::size_t k = std::size_t(place - sample.index.begin());
    const Vec3<double>& x = sample.position[k];
    std::printf("worst of %s at %s: particle %llu, id %llu, at (%.6g, %.6g, %.6g)\n",
                sample.source.c_str(), row.method().c_str(),
                static_cast<unsigned long long>(*place),
                static_cast<unsigned long long>(sample.id[k]), x.x, x.y, x.z);
}

void warn_of_excess(const Samples& samples, const AccuracyRows& rows)
{
    for (const AccuracyRow& row : rows)
        for (const std::string& line :
             {excess_text(row.setting, row.errors.acceleration), row.softening})
            if (!line.empty())
                warn(samples[row.sample].source + ", " + row.method() + ": " + line);
}

void require_finite(const Samples& samples, const AccuracyRows& rows)
{
    for (const AccuracyRow& row : rows)
        if (!row.statistics.all_finite)
            throw Error(Fault::numeric, samples[row.sample].source +
                                            ": acceleration: not finite at " + row.method());
}

/// Force options that ask for own forces beside compared ones.
constexpr const char* own_forces = "solver tolerance theta criterion order local-order accuracy "
                                   "precision group-size leaf-size tree instruction-set";

JudgeRequest judge_request(const Options& options, const AccuracyOptions& accuracy,
                           const SolverOptions& stated, std::size_t particles)
{
    JudgeRequest request;
    request.physics = stated;
    request.knows_softening = !given_of(options, "eps softening eps-type").empty();
    request.knows_gravity = options.given("G");
    constexpr double quick = 5e8; // pairs; a few seconds
    request.sample = std::size_t(accuracy.reference.sample);
    if (!options.given("sample"))
        request.sample = std::max(request.sample, std::size_t(quick / double(particles)));
    return request;
}

} // namespace

int accuracy(const std::vector<std::string>& arguments)
{
    AccuracyOptions accuracy;
    accuracy.sweep.lists["tolerance"] = {"0.003", "0.001", "0.0003"};
    Options options("accuracy", "Compares accelerations and potentials with the direct sum in "
                                "double precision. Options that take lists are compared in "
                                "every combination. Errors are |da|/|a| of the sampled "
                                "particles, scaled ones |da| / sum_j G m_j/r_ij^2, phi those of "
                                "potentials; particles and cells are pairs per particle, far the "
                                "cells expanded per particle.");
    add_accuracy_options(options, accuracy);
    options.common({"model", "particles", "solver", "eps", "criterion", "tolerance", "order",
                    "precision", "device", "accuracy", "sample", "compare", "scan", "csv",
                    "overwrite"});
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_consistent(options, accuracy);
    if (accuracy.source.file.empty())
        swept(accuracy.solver, accuracy.sweep, options); // fails before long work starts

    Samples samples;
    AccuracyRows rows;
    std::vector<Comparison> comparisons;
    visit_particles(accuracy.source, [&](const std::string& source, Snapshot& snapshot) {
        Particles& particles = snapshot.particles;
        SolverOptions solver = accuracy.solver;
        set_file_units(accuracy.units, snapshot);
        options.set_units(unit_frame_of(snapshot));
        print_quantities(options);
        set_from_file(solver, snapshot, options);
        require_reference(options, accuracy.reference.device, solver.box > 0);
        warn_of_suspicious_inputs(snapshot, solver);
        if (!accuracy.source.file.empty()) {
            print_box(options, snapshot, known_forces(solver, snapshot));
            print_notes(options, snapshot);
        }
        const auto settings = swept(solver, accuracy.sweep, options);
        for (const std::string& other : accuracy.compared) {
            Comparison& one = comparisons.emplace_back(
                compare(other, snapshot,
                        judge_request(options, accuracy, settings.front(), particles.size()),
                        accuracy.reference.device));
            const std::size_t sample =
                sample_of(source, particles, one.judgement.targets, one.reference, samples);
            for (AccuracyRow& row : one.rows) {
                row.sample = sample;
                rows.push_back(row);
            }
        }
        if (!comparisons.empty() && accuracy.scan.empty() && given_of(options, own_forces).empty())
            return;
        const std::size_t wanted =
            comparisons.empty() ? std::size_t(accuracy.reference.sample)
                                : judge_request(options, accuracy, solver, particles.size()).sample;
        Reference reference(particles, sample_targets(particles.size(), wanted),
                            solver.gravitational_constant, accuracy.reference.device, solver.box);
        const std::size_t first_row = rows.size();
        for (const SolverOptions& setting : settings) {
            const ThreadsInUse threads(threads_for(options, setting));
            rows.push_back(accuracy.gradient
                               ? measure_gradient(particles, setting, reference, accuracy.repeat)
                               : measure(particles, setting, reference, accuracy.repeat));
        }
        const std::size_t sample = sample_of(
            source, particles, reference.targets(),
            accuracy.gradient ? "gradients by direct sums in double" : reference.text(), samples);
        for (std::size_t row = first_row; row < rows.size(); ++row)
            rows[row].sample = sample;
    });

    const bool writes = !accuracy.csv.file.empty() || !accuracy.hdf5.file.empty();
    if (options.verbosity() != Verbosity::quiet || !writes) {
        std::string last;
        for (const AccuracySample& sample : samples)
            if (const std::string line =
                    formatted("%s: %zu particles; reference: %s\n", sample.source.c_str(),
                              sample.particles, sample.reference.c_str());
                line != last) {
                std::fputs(line.c_str(), stdout);
                last = line;
            }
        print_accuracy(samples, rows);
        for (const Comparison& comparison : comparisons)
            print_comparison(comparison);
        if (rows.size() <= max_worst_lines || options.verbosity() == Verbosity::verbose)
            for (const AccuracyRow& row : rows)
                if (row.other.empty())
                    print_worst(samples, row);
    }
    if (!accuracy.csv.file.empty())
        write_text(accuracy.csv, accuracy_table(samples, rows).csv());
    if (!accuracy.hdf5.file.empty()) {
        require_still_writable(accuracy.hdf5);
        write_data_file(accuracy.hdf5.file, accuracy_data(samples, rows, options.command_line()));
    }
    require_finite(samples, rows);
    warn_of_excess(samples, rows);
    if (accuracy.scan.empty())
        return 0;
    accuracy.drawing.folders = {accuracy.hdf5.file};
    accuracy.drawing.output.overwrite = accuracy.hdf5.overwrite;
    return draw(accuracy.drawing, options.verbosity() == Verbosity::quiet);
}

} // namespace chamomile::app
