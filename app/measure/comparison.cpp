#include "app/measure/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include "app/command_files.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/io/forces/forces_file.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/texts/judge_text.hpp"

namespace chamomile::app {
namespace {

constexpr std::size_t none = std::size_t(-1);

/// A Place is the cell of a position on a grid as fine as positions in files are rounded.
struct Place {
    std::int64_t x, y, z;
    bool operator==(const Place&) const = default;
};
struct PlaceHash {
    std::size_t operator()(const Place& p) const
    {
        return std::size_t(p.x * 73856093 ^ p.y * 19349663 ^ p.z * 83492791);
    }
};

/// A PlaceTable finds particles by position, up to the rounding of six digits.
class PlaceTable {
public:
    PlaceTable(const std::vector<Vec3<double>>& positions, double box) : box_(box)
    {
        double largest = box;
        for (const Vec3<double>& x : positions)
            largest = std::max({largest, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
        cell_ = std::max(largest * 1e-5, 1e-300);
        for (std::size_t i = 0; i < positions.size(); ++i) {
            positions_.push_back(wrapped(positions[i]));
            cells_.emplace(place(positions_[i]), i);
        }
    }

    /// Returns the nearest particle, or none.
    std::size_t find(const Vec3<double>& position) const
    {
        const Vec3<double> x = wrapped(position);
        const Place p = place(x);
        std::size_t nearest = none;
        double min_distance = cell_;
        for (std::int64_t k = 0; k < 27; ++k) {
            const auto [begin, end] =
                cells_.equal_range({p.x + k % 3 - 1, p.y + k / 3 % 3 - 1, p.z + k / 9 - 1});
            for (auto one = begin; one != end; ++one)
                if (const double distance = norm_of_any_size(positions_[one->second] - x);
                    distance <= min_distance) {
                    min_distance = distance;
                    nearest = one->second;
                }
        }
        return nearest;
    }

private:
    Vec3<double> wrapped(const Vec3<double>& x) const
    {
        const auto wrap = [&](double c) { return box_ > 0 ? c - box_ * std::floor(c / box_) : c; };
        return {wrap(x.x), wrap(x.y), wrap(x.z)};
    }
    Place place(const Vec3<double>& x) const
    {
        const auto cell = [&](double c) { return std::int64_t(std::floor(c / cell_)); };
        return {cell(x.x), cell(x.y), cell(x.z)};
    }

    double box_, cell_ = 1;
    std::vector<Vec3<double>> positions_;
    std::unordered_multimap<Place, std::size_t, PlaceHash> cells_;
};

/// Rows with the particle of each, or none.
struct Match {
    std::vector<std::size_t> particle;
    std::string by;

    std::size_t count() const
    {
        return particle.size() - std::size_t(std::count(particle.begin(), particle.end(), none));
    }
};

/// Finds each row's particle; a particle has one row or none.
template <class Find>
Match match(std::size_t rows, std::size_t particles, const char* by, const Find& find)
{
    Match match{{}, by};
    std::vector<bool> has(particles);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t i = find(row);
        match.particle.push_back(i == none || has[i] ? none : i);
        if (i != none)
            has[i] = true;
    }
    return match;
}

Match best_match(const ForcesFile& file, const Particles& particles, double box)
{
    Match best{{}, ""};
    if (!file.id.empty()) {
        std::unordered_map<std::uint64_t, std::size_t> index;
        for (std::size_t i = 0; i < particles.size(); ++i)
            index[particles.id[i]] = i;
        best = match(file.size(), particles.size(), "by id", [&](std::size_t row) {
            const auto found = index.find(file.id[row]);
            return found == index.end() ? none : found->second;
        });
    }
    if (!file.position.empty()) {
        const PlaceTable table(particles.position, box);
        // Ids may have been given anew: where positions contradict them, positions decide.
        std::size_t agree = 0;
        for (std::size_t row = 0; row < best.particle.size(); ++row)
            agree +=
                best.particle[row] != none && table.find(file.position[row]) == best.particle[row];
        if (2 * agree < file.size()) {
            Match by_position =
                match(file.size(), particles.size(), "by position",
                      [&](std::size_t row) { return table.find(file.position[row]); });
            if (by_position.count() > std::max(agree, best.count() / 2))
                best = std::move(by_position);
        }
    }
    if (file.id.empty() && file.position.empty() && file.size() == particles.size())
        best =
            match(file.size(), particles.size(), "by order", [](std::size_t row) { return row; });
    return best;
}

AccuracyRow row_of(const Comparison& comparison, const Softening& softening,
                   const TargetErrors& errors, const std::string& law)
{
    AccuracyRow row;
    row.other = std::filesystem::path(comparison.file).filename().string() + law;
    row.setting.solver = SolverKind::direct;
    row.setting.softening = softening;
    row.errors = errors;
    row.statistics = force_errors(errors, comparison.judgement.targets);
    row.targets = comparison.judgement.targets.size();
    row.momentum = comparison.judgement.net_force;
    return row;
}

void print_bins(const char* what, const std::vector<ErrorBin>& bins)
{
    if (bins.empty())
        return;
    Table table({std::string(what) + " from", "to", "median", "99 %", "along / exact - 1", "+-"});
    for (const ErrorBin& bin : bins)
        table.add({formatted("%.4g", bin.from), formatted("%.4g", bin.to),
                   formatted("%.2e", bin.median), formatted("%.2e", bin.p99),
                   formatted("%+.1e", bin.ratio.value - 1), formatted("%.0e", bin.ratio.error)});
    std::printf("%s", table.text().c_str());
}

/// Prints the fraction of targets in each decade of the error.
void print_histogram(const std::vector<double>& errors)
{
    std::map<int, std::size_t> decades;
    for (double error : errors)
        ++decades[error > 0 ? int(std::floor(std::log10(error))) : -99];
    std::string line;
    for (const auto& [decade, count] : decades)
        line += (line.empty() ? "" : ", ") +
                formatted("%.3g %%", 100 * double(count) / double(errors.size())) +
                (decade == -99 ? std::string(" 0") : formatted(" from 1e%d", decade));
    std::printf("  errors: %s\n\n", line.c_str());
}

/// Returns the particles with the largest errors, and the distance of the nearest other one.
Table worst_table(const Judgement& judgement, const Particles& particles)
{
    constexpr std::size_t max_count = 10;
    const std::vector<double>& errors = judgement.found.acceleration.empty()
                                            ? judgement.found.potential
                                            : judgement.found.acceleration;
    std::vector<std::size_t> order(errors.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return errors[a] > errors[b]; });
    order.resize(std::min(order.size(), max_count));
    Table table({"worst", "id", "x", "y", "z", "radius", "error", "nearest id", "distance"});
    for (const std::size_t k : order) {
        const Index i = judgement.targets[k];
        const Vec3<double>& x = particles.position[i];
        std::size_t nearest = i;
        double min_distance = HUGE_VAL;
        for (std::size_t j = 0; j < particles.size(); ++j)
            if (const double distance = norm_squared(particles.position[j] - x);
                j != i && distance < min_distance) {
                min_distance = distance;
                nearest = j;
            }
        table.add({std::to_string(i), std::to_string(particles.id[i]), formatted("%.6g", x.x),
                   formatted("%.6g", x.y), formatted("%.6g", x.z),
                   formatted("%.4g", judgement.radius[k]), formatted("%.2e", errors[k]),
                   nearest == i ? "-" : std::to_string(particles.id[nearest]),
                   nearest == i ? "-" : formatted("%.3g", std::sqrt(min_distance))});
    }
    return table;
}

} // namespace

Comparison compare(const std::string& name, Snapshot& snapshot, const JudgeRequest& known,
                   ReferenceDevice device)
{
    record_input(name);
    ForcesFile file = read_forces(name, snapshot);
    Particles& particles = snapshot.particles;
    const Match match = best_match(file, particles, known.physics.box);
    const std::size_t count = match.count();
    if (count == 0)
        throw Error(Fault::input,
                    name + ": rows: " + std::to_string(file.size()) + ": must be " +
                        std::to_string(particles.size()) +
                        " in the order of the particles, or have their ids or positions");
    OtherForces other;
    other.by_row = match.by == "by order";
    for (std::size_t row = 0; row < match.particle.size(); ++row) {
        if (match.particle[row] == none)
            continue;
        other.particle.push_back(Index(match.particle[row]));
        if (!file.acceleration.empty())
            other.acceleration.push_back(file.acceleration[row]);
        if (!file.potential.empty())
            other.potential.push_back(file.potential[row]);
    }
    Comparison result;
    result.file = name;
    result.format = file.format;
    result.matched =
        formatted("%zu of %zu particles %s", count, particles.size(), match.by.c_str());
    if (count < file.size())
        result.matched += formatted(", %zu rows without particle", file.size() - count);
    JudgeRequest request = known;
    std::string how;
    std::size_t max_count = 0;
    request.sums = [&](Particles& summed, std::span<const Index> targets, const Physics& physics) {
        Reference reference(summed, {targets.begin(), targets.end()},
                            physics.gravitational_constant, device, physics.box);
        ReferenceSums sums = reference.sums(physics.softening);
        if (targets.size() >= max_count) {
            max_count = targets.size();
            how = reference.text();
        }
        return sums;
    };
    result.judgement = judge(particles, other, request);
    const Softening& stated = request.physics.softening;
    const bool cosmic = snapshot.comoving.has_value();
    result.lines = judgement_texts(result.judgement, stated, particles,
                                   {request.physics.gravitational_constant,
                                    cosmic ? snapshot.comoving->hubble : 0,
                                    cosmic ? snapshot.comoving->scale_factor : 0});
    result.rows.push_back(row_of(result, stated, result.judgement.stated, ""));
    if (!result.judgement.is_as_stated(stated))
        result.rows.push_back(row_of(result, result.judgement.softening, result.judgement.found,
                                     law_text(result.judgement)));
    result.worst = worst_table(result.judgement, particles);
    result.reference = how;
    return result;
}

void print_comparison(const Comparison& comparison)
{
    std::printf("\n%s: %s, %s\n", comparison.file.c_str(), comparison.format.c_str(),
                comparison.matched.c_str());
    for (const std::string& line : comparison.lines)
        std::printf("  %s\n", spelled(line, command_line_spelling()).c_str());
    if (comparison.lines.empty())
        std::printf("  no systematic error found\n");
    const Judgement& judgement = comparison.judgement;
    if (judgement.net_force)
        std::printf("  net force: |sum m a| is %.2e of sum m |a|\n", *judgement.net_force);
    if (!judgement.found.acceleration.empty())
        print_histogram(judgement.found.acceleration);
    print_bins("radius", judgement.by_radius);
    print_bins("|a|", judgement.by_acceleration);
    std::printf("\n%s", comparison.worst.text().c_str());
}

} // namespace chamomile::app
