#include "chamomile/run/view/sample.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::size_t shown_of_rare_types = 1000;

/// Selects at most max_view_points of the `count` particles of a type at random in one pass
/// (Knuth's algorithm S). Only the selected ones need memory.
class Chooser {
public:
    explicit Chooser(std::uint64_t count)
        : left_(count), wanted_(std::min<std::uint64_t>(count, max_view_points))
    {}

    bool choose(std::mt19937_64& random)
    {
        const bool chosen = wanted_ == left_ || random() % left_ < wanted_;
        --left_;
        wanted_ -= chosen;
        return chosen;
    }

private:
    std::uint64_t left_, wanted_;
};

} // namespace

PointSource source_of(const Particles& particles)
{
    return [&particles](auto... asked) { gather_points(particles, asked...); };
}

ViewSampler::ViewSampler(const Particles& particles)
{
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const std::size_t type = particles.type[i];
        ++counts_[type];
        mass_[type] += particles.mass[i];
    }
    double total = 0;
    for (std::size_t type = 0; type < 6; ++type)
        total += mass_[type];
    for (double& mass : mass_)
        mass = total > 0 ? mass / total : 0;
    std::mt19937_64 random(1);
    std::array<Chooser, 6> choosers = {Chooser(counts_[0]), Chooser(counts_[1]),
                                       Chooser(counts_[2]), Chooser(counts_[3]),
                                       Chooser(counts_[4]), Chooser(counts_[5])};
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (const std::size_t type = particles.type[i]; choosers[type].choose(random))
            order_[type].push_back(i);
    for (std::vector<GlobalIndex>& order : order_)
        std::shuffle(order.begin(), order.end(), random);
}

void ViewSampler::gather(const PointSource& source, std::size_t points, unsigned types,
                         ViewSample& sample) const
{
    std::uint64_t shown = 0;
    for (std::size_t type = 0; type < 6; ++type)
        shown += types >> type & 1 ? counts_[type] : 0;
    sample.asked = points;
    sample.types = types;
    sample.mass = mass_;
    std::size_t size = 0;
    for (std::size_t type = 0; type < 6; ++type) {
        const bool is_shown = types >> type & 1;
        const double part =
            is_shown ? double(counts_[type]) / double(std::max<std::uint64_t>(shown, 1)) : 0;
        const std::size_t share = std::size_t(std::ceil(part * double(points)));
        const std::size_t number = is_shown ? std::max(share, shown_of_rare_types) : 0;
        sample.ranges[type].begin = size;
        size += std::min(number, order_[type].size());
        sample.ranges[type].end = size;
    }
    sample.points.resize(size);
    std::vector<PhasePoint> moving(size);
    for (std::size_t type = 0; type < 6; ++type) {
        const auto [begin, end] = sample.ranges[type];
        source(std::span(order_[type]).first(end - begin),
               std::span(moving).subspan(begin, end - begin));
    }
    sample.origin = {};
    for (const PhasePoint& point : moving)
        sample.origin += (1 / double(size)) * point.position;
    const std::span<MovingPoint> all(sample.points);
    double squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : squares) if (size > worth_threads)
    for (std::size_t k = 0; k < size; ++k) {
        all[k] = moving_point(moving[k], sample.origin);
        squares += double(all[k].speed) * all[k].speed;
    }
    sample.speed = size > 0 ? std::sqrt(squares / double(size)) : 0;
}

} // namespace chamomile
