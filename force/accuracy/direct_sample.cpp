#include "chamomile/force/accuracy/direct_sample.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/norm.hpp"
#include "chamomile/core/particle_reader.hpp"

namespace chamomile {
namespace {

/// Sparse targets share a list; larger groups gain nothing.
constexpr int sparse_group_size = 64;

double ratio(double difference, double scale)
{
    return scale > 0 ? difference / scale : difference;
}

} // namespace

DirectSample::DirectSample(const SolverOptions& options)
{
    SolverOptions direct;
    static_cast<Physics&>(direct) = options;
    static_cast<Platform&>(direct) = options;
    direct.solver = SolverKind::direct;
    direct.group_size = sparse_group_size;
    direct_ = make_solver(direct);
}

/// A Row is a particle in messages.
struct DirectSample::Row {
    Vec3<double> position;
    double mass, softening;
    std::uint64_t id;
};

/// A Sum is the part of a force by one block.
struct DirectSample::Sum {
    Vec3<double> acceleration;
    double potential;
};

void DirectSample::measure(const Request& request, std::size_t targets, Quantities quantities,
                           Communicator& ranks)
{
    std::vector<std::uint64_t> first{0}; // particle of each rank, and the total
    for (const std::uint64_t count : ranks.all_gather(std::uint64_t(request.count)))
        first.push_back(first.back() + count);
    const std::uint64_t total = first.back(), begin = first[std::size_t(ranks.rank())],
                        end = begin + request.count;
    const std::vector<GlobalIndex> numbers = sample_targets<GlobalIndex>(total, targets);
    /// Returns the number of targets before a particle.
    const auto place_of = [&](std::uint64_t number) {
        return std::size_t(std::ranges::lower_bound(numbers, number) - numbers.begin());
    };
    targets_.clear();
    acceleration_.clear();
    potential_.clear();
    const auto row_of = [&](std::uint64_t number) {
        const std::size_t i = std::size_t(number - begin);
        return Row{request.position.load_vector(i), request.mass.load(i),
                   request.softening ? request.softening.load(i) : 0,
                   request.id.empty() ? number : request.id[i]};
    };
    std::vector<Row> own;
    for (std::size_t k = place_of(begin); k < place_of(end); ++k) {
        targets_.push_back(Index(numbers[k] - begin));
        own.push_back(row_of(numbers[k]));
    }
    const std::vector<Row> points = ranks.all_gather(std::span<const Row>(own));
    if (points.empty())
        return;
    // A block belongs to the rank with its first particle, which receives the rest.
    const std::uint64_t first_block = (begin + rows_of_block - 1) / rows_of_block * rows_of_block;
    std::vector<Row> rows;
    for (std::uint64_t number = begin; number < std::min(first_block, end); ++number)
        rows.push_back(row_of(number));
    std::vector<std::span<const Row>> to{std::size_t(ranks.size())};
    if (!rows.empty())
        to[std::size_t(std::ranges::upper_bound(first, first_block - rows_of_block) -
                       first.begin()) -
           1] = rows;
    Inbox inbox;
    ranks.all_to_all<Row>(to, inbox);
    const std::span<const Row> arrived = inbox.all<Row>();
    std::vector<Sum> sums;
    const auto sum_blocks = [&] {
        for (std::uint64_t block = first_block; block < end; block += rows_of_block) {
            rows.clear();
            const std::uint64_t block_end = std::min<std::uint64_t>(block + rows_of_block, total);
            for (std::uint64_t number = block; number < block_end; ++number)
                rows.push_back(number < end ? row_of(number) : arrived[std::size_t(number - end)]);
            std::vector<Index> places; // of the targets; those outside follow the block
            std::size_t outside = rows.size();
            for (const GlobalIndex number : numbers)
                places.push_back(Index(number >= block && number < block_end
                                           ? std::size_t(number - block)
                                           : outside++));
            const std::vector<Sum> part = sum_block(rows, points, places, request, quantities);
            sums.insert(sums.end(), part.begin(), part.end());
        }
    };
    ranks.size() > 1 ? ranks.run_and_agree(sum_blocks) : sum_blocks(); // one rank keeps exceptions
    // To each target's rank: its sums, block after block.
    std::vector<std::vector<Sum>> leaving;
    std::vector<std::span<const Sum>> to_targets;
    for (std::size_t r = 0; r + 1 < first.size(); ++r) {
        std::vector<Sum>& some = leaving.emplace_back();
        for (std::size_t block = 0; block < sums.size(); block += numbers.size())
            for (std::size_t k = place_of(first[r]); k < place_of(first[r + 1]); ++k)
                some.push_back(sums[block + k]);
        to_targets.push_back(some);
    }
    ranks.all_to_all<Sum>(to_targets, inbox);
    const std::span<const Sum> of_own = inbox.all<Sum>();
    for (std::size_t k = 0; k < own.size(); ++k) {
        Sum all = of_own[k];
        for (std::size_t next = k + own.size(); next < of_own.size(); next += own.size()) {
            all.acceleration += of_own[next].acceleration;
            all.potential += of_own[next].potential;
        }
        acceleration_.push_back(all.acceleration);
        if (quantities == Quantities::acceleration_potential)
            potential_.push_back(all.potential);
    }
}

/// Sums over the rows of a block at all targets: `places` index the rows, then massless points.
std::vector<DirectSample::Sum> DirectSample::sum_block(std::span<const Row> rows,
                                                       std::span<const Row> points,
                                                       std::span<const Index> places,
                                                       const Request& request,
                                                       Quantities quantities)
{
    Particles particles;
    const auto add = [&](const Row& row, double mass) {
        particles.position.push_back(row.position);
        particles.mass.push_back(mass);
        particles.id.push_back(row.id);
        if (request.softening)
            particles.softening.push_back(row.softening);
    };
    for (const Row& row : rows)
        add(row, row.mass);
    for (std::size_t k = 0; k < points.size(); ++k)
        if (places[k] >= rows.size())
            add(points[k], 0);
    std::vector<Index> active(places.begin(), places.end());
    std::ranges::sort(active);
    Request block = request_of(particles, quantities);
    block.active = active;
    block.softening_length = request.softening_length;
    direct_->evaluate(block);
    std::vector<Sum> sums;
    for (const Index i : places)
        sums.push_back({particles.acceleration[i], block.potential ? particles.potential[i] : 0});
    return sums;
}

std::vector<double> DirectSample::acceleration_errors(const ArrayView& acceleration) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < acceleration_.size(); ++k)
        errors.push_back(
            ratio(norm_of_any_size(acceleration.load_vector(targets_[k]) - acceleration_[k]),
                  norm_of_any_size(acceleration_[k])));
    return errors;
}

std::vector<double> DirectSample::potential_errors(const ArrayView& potential) const
{
    std::vector<double> errors;
    for (std::size_t k = 0; k < potential_.size(); ++k)
        errors.push_back(
            ratio(std::abs(potential.load(targets_[k]) - potential_[k]), std::abs(potential_[k])));
    return errors;
}

double value_at_percentile(std::vector<double>& values, double percentile)
{
    if (values.empty())
        return 0;
    const std::size_t place =
        std::min(values.size() - 1, std::size_t(0.01 * percentile * double(values.size())));
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(place), values.end());
    return values[place];
}

} // namespace chamomile
