// Equilibrates a Lennard-Jones fluid and measures temperature, energies and pressure.
//   fluid [n=4096] [density=0.82] [temperature=0.85] [cutoff=4] [step=0.002] [steps=10000] ...
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "fluid.hpp"

namespace {

constexpr std::uint64_t every = 10; ///< steps between measurements and between scalings

struct Row {
    double time, potential, kinetic, total, temperature, pressure; ///< energies per atom
};

struct Mean {
    double value = 0, error = 0; ///< standard error, from the means of ten parts of the run
};

Mean mean_of(const std::vector<Row>& rows, double Row::*field)
{
    Mean mean;
    for (const Row& row : rows)
        mean.value += row.*field / double(rows.size());
    const std::size_t parts = std::min<std::size_t>(10, rows.size());
    double squares = 0;
    for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t begin = rows.size() * p / parts, end = rows.size() * (p + 1) / parts;
        double part = 0;
        for (std::size_t k = begin; k < end; ++k)
            part += rows[k].*field / double(end - begin);
        squares += (part - mean.value) * (part - mean.value);
    }
    mean.error = parts > 1 ? std::sqrt(squares / double(parts * (parts - 1))) : 0;
    return mean;
}

/// Scales velocities every few steps. The last scaling makes the mean kinetic energy, not the
/// momentary one, that of the temperature.
void equilibrate(Fluid& fluid, std::uint64_t steps)
{
    double potential = 0, count = 0;
    for (std::uint64_t k = 1; k <= steps; ++k) {
        fluid.step();
        if (k % every != 0)
            continue;
        if (2 * k > steps) {
            potential += fluid.state().potential;
            ++count;
        }
        fluid.rescale(fluid.kinetic_wanted());
    }
    const double kinetic =
        fluid.kinetic_wanted() + potential / std::max(count, 1.0) - fluid.state().potential;
    if (count > 0 && kinetic > 0)
        fluid.rescale(kinetic);
}

void print(const std::vector<Row>& rows)
{
    // k_B / (1 nm)^3 in MPa/K, k_B N_A in kJ/mol/K; argon: Rahman, Phys. Rev. 136, A405 (1964).
    constexpr double kelvin = 119.8, nm = 0.3405, boltzmann = 1.380649e-23, mole = 6.02214076e23;
    constexpr double megapascal = boltzmann * kelvin / (nm * nm * nm * 1e-27) * 1e-6,
                     kilojoule = boltzmann * mole * kelvin * 1e-3;
    std::printf("%-26s %10s %10s %10s\n", "", "mean", "error", "argon");
    const auto line = [&](const char* name, double Row::*field, double unit, const char* in) {
        const Mean mean = mean_of(rows, field);
        std::printf("%-26s %10.5f %10.5f %10.5g %s\n", name, mean.value, mean.error,
                    mean.value * unit, in);
    };
    line("temperature", &Row::temperature, kelvin, "K");
    line("potential energy per atom", &Row::potential, kilojoule, "kJ/mol");
    line("total energy per atom", &Row::total, kilojoule, "kJ/mol");
    line("pressure", &Row::pressure, megapascal, "MPa");
}

void write(const std::string& name, const std::vector<Row>& rows)
{
    std::FILE* const file = std::fopen(name.c_str(), "w");
    if (!file)
        throw std::runtime_error("output: " + name + ": cannot be written");
    std::fputs("time,potential,kinetic,total,temperature,pressure\n", file);
    for (const Row& row : rows)
        std::fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", row.time, row.potential,
                     row.kinetic, row.total, row.temperature, row.pressure);
    if (std::fclose(file) != 0)
        throw std::runtime_error("output: " + name + ": cannot be written");
}

/// Sets the options from words such as "n=500".
void read(int count, char** words, std::map<std::string, double*>& numbers,
          std::map<std::string, std::string*>& texts)
{
    for (int k = 1; k < count; ++k) {
        const std::string word = words[k], name = word.substr(0, word.find('=')),
                          value = word.substr(std::min(word.size(), name.size() + 1));
        if (texts.count(name)) {
            *texts[name] = value;
            continue;
        }
        char* end = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        if (!numbers.count(name) || value.empty() || *end != 0 || !(number >= 0))
            throw std::runtime_error(word + ": must be OPTION=VALUE, as in the first lines of "
                                            "main.cpp");
        *numbers[name] = number;
    }
}

int run(int count, char** words)
{
    FluidOptions options;
    double n = double(options.n), seed = 1, steps = 10000, equilibration = 5000, from = 0;
    std::string output;
    std::map<std::string, double*> numbers{{"n", &n},
                                           {"density", &options.density},
                                           {"temperature", &options.temperature},
                                           {"cutoff", &options.cutoff},
                                           {"switch", &from},
                                           {"step", &options.step},
                                           {"steps", &steps},
                                           {"equilibrate", &equilibration},
                                           {"seed", &seed}};
    std::map<std::string, std::string*> texts{{"output", &output}, {"device", &options.device}};
    read(count, words, numbers, texts);
    options.n = std::uint64_t(n);
    options.seed = std::uint64_t(seed);
    options.switch_from = from > 0 ? from : 5 * options.cutoff / 6;
    Fluid fluid(options);
    std::printf("%.0f atoms in a box of %.6g, %s\n", n, fluid.side(), fluid.device().c_str());
    equilibrate(fluid, std::uint64_t(equilibration));
    const FluidState first = fluid.state();
    const double beyond = fluid.long_range_energy();
    double largest = 0;
    std::vector<Row> rows;
    for (std::uint64_t k = 1; k <= std::uint64_t(steps); ++k) {
        fluid.step();
        if (k % every != 0)
            continue;
        const FluidState now = fluid.state();
        largest = std::max(largest, std::abs(now.energy() - first.energy()));
        rows.push_back({double(k) * options.step, now.potential / n + beyond, now.kinetic / n,
                        now.energy() / n + beyond, now.temperature,
                        now.pressure + options.density * beyond});
    }
    print(rows);
    const double scale = std::max(std::abs(first.energy()), first.kinetic), drift = largest / scale;
    std::printf("of these beyond the cutoff: energy %.5f, pressure %.5f\n"
                "total energy: largest change %.2e%s\n",
                beyond, options.density * beyond, drift,
                drift > 0.01 ? ": above 1 %: this run cannot be trusted" : "");
    if (!output.empty())
        write(output, rows);
    return drift > 0.01;
}

} // namespace

int main(int count, char** words)
{
    try {
        return run(count, words);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fluid: %s\n", error.what());
        return 2;
    }
}
