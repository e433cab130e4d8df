#include "app/measure/chamomile_table.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/measure/reference.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/float_sum.hpp"
#include "chamomile/force/force_errors.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {
namespace {

/// Hamada & Iitaka (2007), Table 2.
struct PublishedRow {
    std::uint64_t particles;
    const char *plain, *chamomile;
};
constexpr PublishedRow published[] = {{2048, "2.2e-06", "5.4e-07"},  {4096, "3.0e-06", "3.3e-07"},
                                      {8192, "5.4e-06", "5.0e-07"},  {16384, "7.0e-06", "4.3e-07"},
                                      {32768, "1.2e-05", "6.8e-07"}, {65536, "1.4e-05", "1.0e-06"},
                                      {131072, "2.2e-05", "1.5e-06"}};

constexpr std::size_t bag = 256; // particles of a J-BAG
/// The paper does not state it. Here its plain sums come out as published.
constexpr double published_eps = 1.0 / 32;

PublishedRow published_for(std::uint64_t particles)
{
    for (const PublishedRow& row : published)
        if (row.particles == particles)
            return row;
    return {particles, "-", "-"};
}

double largest_error(const std::vector<Vec3<double>>& accelerations, const ReferenceSums& exact)
{
    double largest = 0;
    for (std::size_t i = 0; i < accelerations.size(); ++i)
        largest = std::max(largest, norm(accelerations[i] - exact.acceleration[i]) /
                                        norm(exact.acceleration[i]));
    return largest;
}

} // namespace

int print_chamomile_table(const Options& options, ParticleSource source, SolverOptions solver,
                          SolverSweep sweep, const Output& csv)
{
    if (!source.file.empty() ||
        (options.given("model") && source.models != std::vector<std::string>{"plummer"}))
        throw Error(Fault::usage, "--table: chamomile: is of Plummer spheres; leave out " +
                                      (source.file.empty() ? "--model" : source.file));
    refuse_all_but(options,
                   "table model particles seed eps precision group-size device instruction-set csv "
                   "overwrite",
                   "is not for --table chamomile");
    if (!options.given("particles")) {
        source.numbers.clear();
        for (const PublishedRow& row : published)
            source.numbers.push_back(row.particles);
    }
    sweep.solvers = {"direct"};
    if (!options.given("precision"))
        sweep.precisions = {"float", "double"};
    if (!options.given("eps"))
        solver.softening.length = published_eps;
    const std::vector<SolverOptions> settings = swept(solver, sweep, options);

    Table table({"N", "eps", "paper: plain sum", "paper: Chamomile", "here: plain sum",
                 "here: Chamomile", "ours", "ours 99 %", "precision", "group", "machine"});
    std::optional<Journal> journal(Screen{.stream = stdout, .verbosity = options.verbosity()});
    visit_particles(source, [&](const std::string&, Snapshot& snapshot) {
        Particles& particles = snapshot.particles;
        journal->show_status("measuring " + std::to_string(particles.size()) + " particles");
        for (Vec3<double>& x : particles.position) // so that no sum rounds its input
            x = {float(x.x), float(x.y), float(x.z)};
        // Sums in double are compared pair by pair, if need be for fewer particles.
        const std::size_t few = std::min(particles.size(), std::size_t(2e9) / particles.size());
        Reference reference(particles, particles.size(), 1, ReferenceDevice::automatic),
            pairwise(particles, few, 1, ReferenceDevice::automatic);
        double summed = -1; // the softening of the sums in float
        std::string plain, in_bags;
        for (const SolverOptions& setting : settings) {
            const ReferenceSums& exact = reference.sums(setting.softening);
            const double eps = setting.softening.length;
            const PublishedRow row = published_for(particles.size());
            if (eps != summed) {
                const auto largest = [&](std::size_t bag_size) {
                    return formatted("%.1e",
                                     largest_error(float_sum(particles, eps, bag_size), exact));
                };
                plain = largest(particles.size());
                in_bags = largest(bag);
                summed = eps;
            }
            Reference& against =
                setting.precision == Precision::double_precision ? pairwise : reference;
            const ReferenceSums& sums = against.sums(setting.softening);
            const auto ours = make_solver(setting);
            ours->solve(particles, Quantities::acceleration_potential);
            const Percentiles errors =
                force_errors(particles, sums, against.targets()).acceleration;
            table.add({std::to_string(row.particles), shortest(eps), row.plain, row.chamomile,
                       plain, in_bags, formatted("%.1e", errors.max), formatted("%.1e", errors.p99),
                       describe(ours->options())["precision"],
                       std::to_string(ours->options().group_size), ours->device()});
        }
    });
    journal.reset(); // its last line is not part of the table
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("Largest |da|/|a| over all particles of a Plummer sphere (99 %%: of ours).\n");
        std::fputs(table.text().c_str(), stdout);
    }
    if (!csv.file.empty())
        write_text(csv, table.csv());
    return 0;
}

} // namespace chamomile::app
