// A balanced k-d tree: each node halves its points at the median of the longest side of their box.
#include "chamomile/integrate/measures/neighbors.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::size_t leaf = 16;

struct Node {
    std::size_t begin, end; ///< of the points in `order`
    Vec3<double> low, high; ///< bounding box
    std::size_t far = 0;    ///< second daughter; the first follows the node. 0: a leaf
};

double component(const Vec3<double>& v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

class PointTree {
public:
    explicit PointTree(std::span<const Vec3<double>> points)
        : points_(points), order_(points.size())
    {
        std::iota(order_.begin(), order_.end(), Index(0));
        divide(0, order_.size());
    }

    /// Returns the points leaf by leaf: successive searches find the same nodes in the cache.
    std::span<const Index> order() const { return order_; }

    /// Writes the nearest other points of point i.
    void find(Index i, std::span<Index> nearest) const
    {
        Found found;
        found.reserve(nearest.size() + 1);
        search(0, i, nearest.size(), found);
        for (std::size_t k = 0; k < nearest.size(); ++k)
            nearest[k] = found[k].second;
    }

private:
    using Found = std::vector<std::pair<double, Index>>; ///< squared distances, ascending

    std::size_t divide(std::size_t begin, std::size_t end)
    {
        const std::size_t place = nodes_.size();
        Node node{begin, end, points_[order_[begin]], points_[order_[begin]]};
        for (std::size_t k = begin; k < end; ++k) {
            const Vec3<double>& x = points_[order_[k]];
            node.low = {std::min(node.low.x, x.x), std::min(node.low.y, x.y),
                        std::min(node.low.z, x.z)};
            node.high = {std::max(node.high.x, x.x), std::max(node.high.y, x.y),
                         std::max(node.high.z, x.z)};
        }
        nodes_.push_back(node);
        if (end - begin <= leaf)
            return place;
        const Vec3<double> side = node.high - node.low;
        const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
        const std::size_t middle = begin + (end - begin) / 2;
        const auto at = [this](std::size_t k) { return order_.begin() + std::ptrdiff_t(k); };
        std::nth_element(at(begin), at(middle), at(end), [&](Index a, Index b) {
            return component(points_[a], axis) < component(points_[b], axis);
        });
        divide(begin, middle);
        const std::size_t far = divide(middle, end);
        nodes_[place].far = far;
        return place;
    }

    double squared_distance(const Node& node, const Vec3<double>& x) const
    {
        const auto beyond = [](double low, double high, double value) {
            return std::max({low - value, value - high, 0.0});
        };
        return norm_squared(Vec3<double>{beyond(node.low.x, node.high.x, x.x),
                                         beyond(node.low.y, node.high.y, x.y),
                                         beyond(node.low.z, node.high.z, x.z)});
    }

    void search(std::size_t place, Index i, std::size_t count, Found& found) const
    {
        const Node& node = nodes_[place];
        const Vec3<double>& x = points_[i];
        if (found.size() == count && squared_distance(node, x) > found.back().first)
            return;
        if (node.far > 0) {
            const bool is_first_nearer =
                squared_distance(nodes_[place + 1], x) <= squared_distance(nodes_[node.far], x);
            search(is_first_nearer ? place + 1 : node.far, i, count, found);
            search(is_first_nearer ? node.far : place + 1, i, count, found);
            return;
        }
        for (std::size_t k = node.begin; k < node.end; ++k) {
            const Index j = order_[k];
            const std::pair<double, Index> one{norm_squared(points_[j] - x), j};
            if (j == i || (found.size() == count && one >= found.back()))
                continue;
            found.insert(std::upper_bound(found.begin(), found.end(), one), one);
            if (found.size() > count)
                found.pop_back();
        }
    }

    std::span<const Vec3<double>> points_;
    std::vector<Index> order_;
    std::vector<Node> nodes_;
};

} // namespace

Stars stars_among(const Particles& particles, std::span<const Index> members)
{
    Stars stars;
    for (const Index i : members)
        if (particles.mass[i] > 0) {
            stars.index.push_back(i);
            stars.position.push_back(particles.position[i]);
        }
    return stars;
}

std::vector<Index> nearest_neighbors(std::span<const Vec3<double>> points, std::size_t count)
{
    assert(count < points.size());
    const PointTree tree(points);
    std::vector<Index> nearest(points.size() * count);
#pragma omp parallel for if (points.size() > worth_threads) schedule(dynamic, 256)
    for (std::size_t k = 0; k < points.size(); ++k) {
        const std::size_t i = tree.order()[k];
        tree.find(Index(i), std::span(nearest).subspan(i * count, count));
    }
    return nearest;
}

} // namespace chamomile
