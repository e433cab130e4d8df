#include "chamomile/core/bounds.hpp"

#include <algorithm>
#include <array>

#include "chamomile/core/threads.hpp"

namespace chamomile {

PointBounds bounds_of(std::span<const Vec3<double>> points)
{
    Box box;
    const std::size_t n = points.size();
    std::size_t wrong = n;
#pragma omp parallel if (n > worth_threads)
    {
        Box part;
#pragma omp for schedule(static) reduction(min : wrong)
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double>& p = points[i];
            if (!(0 * p.x + 0 * p.y + 0 * p.z == 0)) // zero times a non-finite value is not zero
                wrong = std::min(wrong, i);
            part.add(p);
        }
#pragma omp critical
        box.add(part);
    }
    return {box, wrong};
}

Box joined_box(const Box& own, Communicator& ranks)
{
    std::array<double, 6> ends{own.low.x,   own.low.y,   own.low.z,
                               -own.high.x, -own.high.y, -own.high.z};
    ranks.min(ends);
    return {{ends[0], ends[1], ends[2]}, {-ends[3], -ends[4], -ends[5]}};
}

} // namespace chamomile
