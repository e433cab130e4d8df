#include "chamomile/core/pictures/picture_sums.hpp"

#include <algorithm>
#include <array>

#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/pictures/projection.hpp"
#include "chamomile/core/weighted_quantiles.hpp"

namespace chamomile {
namespace {

/// A Frame selects particles, and their periodic images, inside a picture.
class Frame {
public:
    explicit Frame(const PictureFrame& frame)
        : turn_(frame.azimuth, frame.inclination), box_(frame.box), center_(frame.center),
          depth_(frame.depth)
    {
        if (!box_)
            return;
        right_ = 0.65 * frame.field_of_view; // with a margin for the smoothing kernel
        top_ = right_ * frame.height / frame.width;
        find_images();
    }

    /// Calls use(r) for each periodic image of a position inside the picture.
    template <class Use>
    void for_each_image(const Vec3<double>& place, const Use& use) const
    {
        const Vec3<double> nearest = turn_(box_.nearest(place - center_));
        for (const Vec3<double>& shift : images_)
            if (const Vec3<double> r = nearest + shift;
                r.z >= -depth_ && r.z < depth_ && std::abs(r.x) <= right_ && std::abs(r.y) <= top_)
                use(r);
    }

private:
    /// Finds the shifts of periodic images that reach into the picture.
    void find_images()
    {
        images_.clear();
        const double half = 0.5 * box_.side * (1 + 1e-9);
        const Vec3<double> x = turn_({half, 0, 0}), y = turn_({0, half, 0}),
                           z = turn_({0, 0, half});
        const auto extent = [&](double Vec3<double>::*c) {
            return std::abs(x.*c) + std::abs(y.*c) + std::abs(z.*c);
        };
        const int reach = int(std::ceil(std::hypot(right_, top_, depth_) / box_.side + 0.9));
        for (int i = -reach; i <= reach; ++i)
            for (int j = -reach; j <= reach; ++j)
                for (int k = -reach; k <= reach; ++k) {
                    const Vec3<double> r =
                        turn_(box_.side * Vec3<double>{double(i), double(j), double(k)});
                    if (std::abs(r.x) <= right_ + extent(&Vec3<double>::x) &&
                        std::abs(r.y) <= top_ + extent(&Vec3<double>::y) &&
                        std::abs(r.z) <= depth_ + extent(&Vec3<double>::z))
                        images_.push_back(r);
                }
    }

    View turn_;
    Periodicity box_;
    Vec3<double> center_;
    double depth_, right_ = HUGE_VAL, top_ = HUGE_VAL;
    std::vector<Vec3<double>> images_{{0, 0, 0}};
};

double norm_max(const Vec3<double>& r)
{
    return std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z)});
}

std::vector<double> numbers(const Vec3<double>& r)
{
    return {r.x, r.y, r.z};
}

double min_of_ranks(double value, Communicator& ranks)
{
    ranks.min({&value, 1});
    return value;
}

/// PictureMeasure computes one sum.
class PictureMeasure {
public:
    PictureMeasure(const PictureRequest& request, const PicturedParticles& particles,
                   Communicator& ranks)
        : request_(request), frame_(request.frame), particles_(particles), ranks_(ranks)
    {
        for (std::size_t i = 0; i < particles.position.size(); ++i)
            if (has(request.types, i))
                shown_.push_back(Index(i));
    }

    std::vector<double> compute()
    {
        switch (request_.sum) {
        case PictureSum::center:
            return numbers(center());
        case PictureSum::densest:
            return numbers(frame_.box.wrapped(densest_place()));
        case PictureSum::width:
            return {width()};
        case PictureSum::lowest:
            return {lowest()};
        case PictureSum::map:
            break;
        }
        return project(points(), frame_.width, frame_.height, frame_.field_of_view, &ranks_).values;
    }

private:
    /// Returns the sum over ranks.
    std::uint64_t count(std::uint64_t own) const
    {
        ranks_.sum({&own, 1});
        return own;
    }

    bool has(std::uint8_t types, std::size_t i) const { return types >> particles_.type[i] & 1; }

    double weight(Index i) const { return request_.are_counts ? 1 : particles_.mass[i]; }

    double value(Index i, const View& turn) const
    {
        return request_.quantity == Pictured::potential
                   ? particles_.potential[i]
                   : -turn(request_.velocity_factor * particles_.velocity[i]).z;
    }

    Vec3<double> center() const
    {
        struct Moment {
            double mass;
            Vec3<double> first;
        };
        ExactSums<Moment> sums;
        sums.add(0, shown_.size(), [&](std::size_t k) {
            const double mass = weight(shown_[k]);
            return Moment{mass, mass * particles_.position[shown_[k]]};
        });
        ranks_.sum(sums);
        const Moment all = sums.value();
        return (1 / all.mass) * all.first;
    }

    double lowest() const
    {
        const View turn(frame_.azimuth, frame_.inclination);
        double smallest = HUGE_VAL;
        for (const Index i : shown_)
            smallest = std::min(smallest, value(i, turn));
        return min_of_ranks(smallest, ranks_);
    }

    /// Returns the points inside the picture, including periodic images.
    std::vector<ProjectedPoint> points() const
    {
        const Frame frame(frame_);
        const View turn(frame_.azimuth, frame_.inclination);
        std::vector<std::size_t> first(shown_.size() + 1, 0);
#pragma omp parallel for
        for (std::size_t k = 0; k < shown_.size(); ++k)
            frame.for_each_image(particles_.position[shown_[k]],
                                 [&](const Vec3<double>&) { ++first[k + 1]; });
        for (std::size_t k = 0; k < shown_.size(); ++k)
            first[k + 1] += first[k];
        std::vector<ProjectedPoint> points(first.back());
#pragma omp parallel for
        for (std::size_t k = 0; k < shown_.size(); ++k) {
            const Index i = shown_[k];
            double mass = has(request_.weighed, i) ? weight(i) : 0;
            if (request_.power > 0) // sums have one sign
                mass *= std::pow(value(i, turn) - request_.lowest, request_.power);
            std::size_t place = first[k];
            frame.for_each_image(particles_.position[i], [&](const Vec3<double>& r) {
                points[place++] = {r.x, r.y, mass};
            });
        }
        return points;
    }

    /// Returns the densest place. Iteration: the centroid of the fullest of 4^3 cells becomes the
    /// center of a cube of half the side, until at most 50 particles remain. Of so few particles
    /// from the start: the centroid.
    Vec3<double> densest_place()
    {
        Vec3<double> center = frame_.center;
        const auto seen = [&](Index i) {
            return frame_.box.nearest(particles_.position[i] - center);
        };
        const auto centroid = [&](const std::vector<Index>& some) {
            ExactSums<Vec3<double>> sums;
            sums.add(0, some.size(), [&](std::size_t k) { return seen(some[k]); });
            ranks_.sum(sums);
            return center + (1 / double(count(some.size()))) * sums.value();
        };
        if (count(shown_.size()) <= 50)
            return centroid(shown_);
        double farthest = 0;
        for (const Index i : shown_)
            farthest = std::max(farthest, norm_max(seen(i)));
        double half = -min_of_ranks(-farthest, ranks_) * (1 + 1e-9);
        while (half > 0 && count(shown_.size()) > 50) {
            const auto part = [&](double x) { return std::clamp(int(2 * (x / half + 1)), 0, 3); };
            const auto cell = [&](Index i) {
                const Vec3<double> r = seen(i);
                return std::size_t(16 * part(r.x) + 4 * part(r.y) + part(r.z));
            };
            std::array<std::uint64_t, 64> counts{};
            for (const Index i : shown_)
                ++counts[cell(i)];
            ranks_.sum(counts);
            const auto fullest = std::size_t(std::ranges::max_element(counts) - counts.begin());
            std::vector<Index> members;
            std::ranges::copy_if(shown_, std::back_inserter(members),
                                 [&](Index i) { return cell(i) == fullest; });
            center = centroid(members);
            half *= 0.5;
            std::erase_if(shown_, [&](Index i) { return norm_max(seen(i)) > half; });
        }
        return center;
    }

    double width() const
    {
        std::vector<double> extents, masses;
        double smallest = HUGE_VAL;
        for (const ProjectedPoint& point : points()) {
            extents.push_back(
                std::max(std::abs(point.x), std::abs(point.y) * frame_.width / frame_.height));
            masses.push_back(point.mass);
            if (extents.back() > 0)
                smallest = std::min(smallest, extents.back());
        }
        smallest = min_of_ranks(smallest, ranks_);
        ValuesInMemory values{extents, masses};
        const double part[] = {0.98};
        const auto found =
            weighted_quantiles(values, RankSubset{ranks_, count(extents.size())}, part);
        if (found.empty() || smallest == HUGE_VAL)
            return 1;
        return 2.6 * std::max(found[0].value, smallest);
    }

    const PictureRequest& request_;
    const PictureFrame& frame_;
    const PicturedParticles& particles_;
    Communicator& ranks_;
    std::vector<Index> shown_;
};

} // namespace

std::vector<double> picture_sum(const PictureRequest& request, const PicturedParticles& particles,
                                Communicator& ranks)
{
    return PictureMeasure(request, particles, ranks).compute();
}

} // namespace chamomile
