/// \file  Selection of particles, and their periodic images, inside a picture.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// A Frame is the volume that a picture shows, rotated and relative to its center.
class Frame {
public:
    /// `view` must come from complete_view().
    explicit Frame(const RenderOptions& view)
        : turn_(view.azimuth, view.inclination), box_{view.box.value_or(0)}, center_(*view.center),
          depth_(view.slice ? 0.5 * *view.slice
                 : box_     ? 0.5 * box_.side
                            : HUGE_VAL)
    {
        if (!box_)
            return;
        right_ = 0.65 * *view.field_of_view; // with a margin for the smoothing kernel
        top_ = right_ * view.height / view.width;
        if (std::max(right_, top_) > 3.5 * box_.side)
            throw Error(Fault::usage, "field of view: " + std::to_string(*view.field_of_view) +
                                          ": must be at most five sides of the box");
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

} // namespace chamomile
