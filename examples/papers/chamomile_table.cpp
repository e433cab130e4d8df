#include <algorithm>
#include <cstdio>
#include <optional>

#include "app/command_files.hpp"
#include "app/measure/reference.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/repairs/float_sum.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/run/journal.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "examples/papers/papers.hpp"

namespace chamomile::app {
namespace {

/// A PublishedRow is a row of Hamada & Iitaka (2007), Table 2.
struct PublishedRow {
    std::uint64_t particles;
    const char *plain, *chamomile;
};
constexpr PublishedRow published[] = {{2048, "2.2e-06", "5.4e-07"},  {4096, "3.0e-06", "3.3e-07"},
                                      {8192, "5.4e-06", "5.0e-07"},  {16384, "7.0e-06", "4.3e-07"},
                                      {32768, "1.2e-05", "6.8e-07"}, {65536, "1.4e-05", "1.0e-06"},
                                      {131072, "2.2e-05", "1.5e-06"}};

constexpr std::size_t bag = 256; // particles per J-BAG
/// The paper does not state its softening. This value reproduces its plain sums.
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

struct Request {
    std::vector<std::uint64_t> numbers;
    std::uint64_t seed = 1;
    std::vector<double> softening_lengths = {published_eps};
    std::vector<std::string> precisions = {"float", "double"};
    std::vector<int> group_sizes = {0};
    SolverOptions solver;
    Output csv;
};

void add_rows(Particles& particles, const Request& request, Table& table)
{
    for (Vec3<double>& x : particles.position) // so that no sum rounds its input
        x = {float(x.x), float(x.y), float(x.z)};
    // Sums in double are compared pair by pair, for a subset of the particles if necessary.
    const std::size_t few = std::min(particles.size(), std::size_t(2e9) / particles.size());
    Reference reference(particles, sample_targets(particles.size(), particles.size()), 1,
                        ReferenceDevice::automatic),
        pairwise(particles, sample_targets(particles.size(), few), 1, ReferenceDevice::automatic);
    const PublishedRow row = published_for(particles.size());
    for (const double eps : request.softening_lengths) {
        SolverOptions setting = request.solver;
        setting.softening.length = eps;
        const ReferenceSums& exact = reference.sums(setting.softening);
        const auto largest = [&](std::size_t bag_size) {
            return formatted("%.1e", largest_error(float_sum(particles, eps, bag_size), exact));
        };
        const std::string plain = largest(particles.size()), in_bags = largest(bag);
        for (const std::string& word : request.precisions)
            for (const int group_size : request.group_sizes) {
                const Precision precision =
                    word == "float" ? Precision::single_precision : Precision::double_precision;
                setting.precision = precision;
                setting.group_size = group_size;
                Reference& against =
                    precision == Precision::double_precision ? pairwise : reference;
                const ReferenceSums& sums = against.sums(setting.softening);
                const auto ours = make_solver(setting);
                ours->solve(particles, Quantities::acceleration_potential);
                const Percentiles errors =
                    force_errors(particles, sums, against.targets()).acceleration;
                table.add({std::to_string(row.particles), number_text(eps), row.plain,
                           row.chamomile, plain, in_bags, formatted("%.1e", errors.max),
                           formatted("%.1e", errors.p99), describe(ours->options())["precision"],
                           std::to_string(ours->options().group_size), ours->device()});
            }
    }
}

} // namespace

int chamomile_table(const std::vector<std::string>& arguments)
{
    Request request;
    request.solver.solver = SolverKind::direct;
    for (const PublishedRow& row : published)
        request.numbers.push_back(row.particles);
    Options options("chamomile",
                    "Table 2 of Hamada & Iitaka (2007): the largest |da|/|a| over all particles of "
                    "a Plummer sphere, of the paper, of its two sums done here in float, and of "
                    "our direct solver with every combination of the options that take lists.");
    OptionRows<Request> t;
    t.numbers("particles,n", &Request::numbers, ranges::between(1, 4294967294), "their numbers");
    t.number("seed", &Request::seed, ranges::not_negative, "of the random numbers");
    t.numbers("eps", &Request::softening_lengths, ranges::not_negative, "softening lengths");
    t.numbers("group-size", &Request::group_sizes, ranges::between(0, 1 << 20),
              row_of(force_options(), "group-size").help);
    t.texts("precision", &Request::precisions, "float,double",
            row_of(force_options(), "precision").help, {"float", "double"});
    options.add(t.take(), request);
    add_machine_options(options, request.solver);
    options.add(output_rows("csv", "FILE", "write the table as comma-separated values"),
                request.csv);
    if (!options.parse(arguments))
        return 0;
    refuse_idle(options, {{request.csv.file.empty(), "overwrite", "needs --csv FILE"}});
    if (!request.csv.file.empty())
        require_writable("chamomile", request.csv);

    Table table({"N", "eps", "paper: plain sum", "paper: Chamomile", "here: plain sum",
                 "here: Chamomile", "ours", "ours 99 %", "precision", "group", "machine"});
    std::optional<Journal> journal(Screen{.stream = stdout, .verbosity = options.verbosity()});
    for (const std::uint64_t n : request.numbers) {
        Snapshot sphere =
            make_plummer({.particles = n, .seed = request.seed, .exact_energy_limit = 0});
        journal->show_status("measuring " + std::to_string(n) + " particles");
        add_rows(sphere.particles, request, table);
    }
    journal.reset(); // its last line does not belong to the table
    if (options.verbosity() != Verbosity::quiet) {
        std::printf("Largest |da|/|a| over all particles of a Plummer sphere (99 %%: of ours).\n");
        std::fputs(table.text().c_str(), stdout);
    }
    if (!request.csv.file.empty())
        write_text(request.csv, table.csv());
    return 0;
}

} // namespace chamomile::app
