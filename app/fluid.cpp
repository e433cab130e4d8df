/// \file  `chamomile fluid`: molecular dynamics of a Lennard-Jones fluid, such as argon.
#include "integrate/fluid.hpp"

#include <cmath>
#include <cstdio>

#include "app/command.hpp"
#include "app/fluid_averages.hpp"
#include "app/options.hpp"
#include "app/output_file.hpp"
#include "app/solver_options.hpp"
#include "app/table.hpp"
#include "core/error.hpp"
#include "core/profile.hpp"

namespace chamomile::app {
namespace {

struct FluidRun {
    FluidOptions fluid;
    std::uint64_t steps = 10000, equilibrate = 5000, every = 10;
    bool argon = false;
    Output output;
};

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
    options.group("Forces");
    options.choice(
        "precision", fluid.precision,
        {{"float", Precision::single_precision}, {"double", Precision::double_precision}},
        precision_help);
    options.text("device", "auto|cpu|gpu[:n]", fluid.device, device_help);
    std::vector<std::pair<std::string, std::string>> words;
    for (const std::string& word : instruction_set_words)
        words.emplace_back(word, word);
    options.choice("instruction-set", fluid.instruction_set, words, instruction_set_help);
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

/// Scales velocities every few steps; in the end such that the mean kinetic energy will be that of
/// the temperature, not the one of that moment.
void equilibrate(Fluid& fluid, std::uint64_t steps)
{
    constexpr std::uint64_t between = 10;
    double potential = 0;
    std::uint64_t counted = 0;
    for (std::uint64_t k = 1; k <= steps; ++k) {
        fluid.step();
        if (k % between != 0)
            continue;
        if (2 * k > steps) {
            potential += fluid.state().potential;
            ++counted;
        }
        fluid.rescale(fluid.kinetic_wanted());
    }
    if (counted == 0)
        return;
    const double kinetic =
        fluid.kinetic_wanted() + potential / double(counted) - fluid.state().potential;
    if (kinetic > 0)
        fluid.rescale(kinetic);
}

void print_results(const Fluid& fluid, const FluidAverages& averages, bool argon)
{
    // k_B / (1 nm)^3 in MPa/K, k_B N_A in kJ/mol/K; Rahman's argon (Phys. Rev. 136, A405, 1964).
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
    table.print();
    std::printf("of these beyond the cut-off: energy %.5f, pressure %.5f\n", u, density * u);
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
    if (!options.given("switch"))
        run.fluid.switch_from = 5 * run.fluid.cutoff / 6;
    if (!run.output.file.empty())
        require_writable("fluid", run.output);
    Fluid fluid(run.fluid);
    const bool quiet = options.verbosity() == Verbosity::quiet;
    if (!quiet)
        std::printf("%llu atoms, density %s, in a box of %.6g; cut-off %s, switched from %.6g; "
                    "steps of %s; %s, %s\n",
                    (unsigned long long)run.fluid.n, shortest(run.fluid.density).c_str(),
                    fluid.side(), shortest(run.fluid.cutoff).c_str(), run.fluid.switch_from,
                    shortest(run.fluid.step).c_str(), fluid.device().c_str(),
                    run.fluid.precision == Precision::single_precision ? "float" : "double");
    equilibrate(fluid, run.equilibrate);

    FluidAverages averages(fluid);
    const double start = wall_clock_seconds();
    double last_told = start;
    for (std::uint64_t k = 1; k <= run.steps; ++k) {
        fluid.step();
        if (k % run.every == 0 || k == run.steps)
            averages.add(k, fluid.state());
        if (options.verbosity() == Verbosity::verbose && wall_clock_seconds() - last_told > 10) {
            last_told = wall_clock_seconds();
            std::printf("step %llu: %s\n", (unsigned long long)k, averages.drift_text().c_str());
            std::fflush(stdout);
        }
    }
    const double seconds = wall_clock_seconds() - start;
    print_results(fluid, averages, run.argon);
    std::printf("%s\n", averages.drift_text().c_str());
    if (!quiet)
        std::printf("%llu steps in %s, %.3g steps/s, %.3g pairs/s\n", (unsigned long long)run.steps,
                    duration_text(seconds).c_str(), double(run.steps) / seconds,
                    double(run.steps) * double(fluid.last_pairs()) / seconds);
    if (!run.output.file.empty())
        write_text(run.output, averages.csv());
    return 0;
}

} // namespace chamomile::app
