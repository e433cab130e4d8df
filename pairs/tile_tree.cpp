#include "chamomile/pairs/tile_tree.hpp"

#include <algorithm>

#include "chamomile/core/threads.hpp"

namespace chamomile {

double distance_squared(const Box& a, const Box& b)
{
    const auto gap = [](double low_a, double high_a, double low_b, double high_b) {
        return std::max({0.0, low_a - high_b, low_b - high_a});
    };
    const double x = gap(a.low.x, a.high.x, b.low.x, b.high.x),
                 y = gap(a.low.y, a.high.y, b.low.y, b.high.y),
                 z = gap(a.low.z, a.high.z, b.low.z, b.high.z);
    return x * x + y * y + z * z;
}

void TileTree::build(const SortedRows& sources, const Vec3<double>& period)
{
    const std::size_t n = sources.size();
    levels_.assign(1, std::vector<Box>((n + pair_tile - 1) / pair_tile));
    std::vector<Box>& tiles = levels_.front();
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t t = 0; t < tiles.size(); ++t)
        tiles[t] = box_of(sources, Index(t * pair_tile),
                          Index(std::min<std::size_t>(n, (t + 1) * pair_tile)));
    while (levels_.back().size() > 1) {
        const std::vector<Box>& below = levels_.back();
        std::vector<Box> level((below.size() + daughters - 1) / daughters);
        for (std::size_t b = 0; b < below.size(); ++b)
            level[b / daughters].add(below[b]);
        levels_.push_back(std::move(level));
    }
    images_.assign(1, Vec3<double>{});
    const auto shifts = [](double side) { return side > 0 ? 1 : 0; };
    for (int x = -shifts(period.x); x <= shifts(period.x); ++x)
        for (int y = -shifts(period.y); y <= shifts(period.y); ++y)
            for (int z = -shifts(period.z); z <= shifts(period.z); ++z)
                if (x != 0 || y != 0 || z != 0)
                    images_.push_back({x * period.x, y * period.y, z * period.z});
}

void TileTree::list(const Box& group, const SearchRadii& radii, std::vector<TileEntry>& near,
                    std::vector<TileEntry>& far) const
{
    if (levels_.front().empty())
        return;
    const double near2 = radii.near < 0 ? -1 : radii.near * radii.near,
                 cutoff2 = radii.cutoff * radii.cutoff;
    for (std::size_t image = 0; image < images_.size(); ++image) {
        // Moving the group the other way leaves the sources in place.
        const Box moved{group.low - images_[image], group.high - images_[image]};
        const auto visit = [&](const auto& self, std::size_t level, std::size_t b) -> void {
            const double d2 = distance_squared(levels_[level][b], moved);
            if (!(d2 <= cutoff2))
                return;
            if (level == 0) {
                (d2 <= near2 ? near : far)
                    .push_back({std::uint32_t(b) & 0x7ffffff, std::uint32_t(image) & 31});
                return;
            }
            const std::size_t begin = b * daughters,
                              end = std::min(begin + daughters, levels_[level - 1].size());
            for (std::size_t d = begin; d < end; ++d)
                self(self, level - 1, d);
        };
        visit(visit, levels_.size() - 1, 0);
    }
}

} // namespace chamomile
