/// \file  Methods among which a solver with a goal chooses.
#pragma once

#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

struct TreeMethod {
    Criterion criterion;
    int order, local_order;

    bool operator==(const TreeMethod&) const = default;
};

/// Methods in the order of their trials. The fastest are also tried with other sizes. A new line
/// adds a candidate.
inline constexpr TreeMethod methods[] = {
    {Criterion::moments, 2, 6},  {Criterion::moments, 2, 5}, {Criterion::moments, 2, 4},
    {Criterion::relative, 2, 6}, {Criterion::moments, 0, 5}, {Criterion::moments, 3, 6},
    {Criterion::moments, 4, 6},
};

/// Mesh cells in the mean particle distance, to try with the fastest methods in a periodic box. The
/// first is for all methods.
inline constexpr double meshes[] = {2, 1.5, 2.7};

/// Lower goals use double.
inline constexpr double min_goal_in_float = 2e-6, min_goal_in_float_in_box = 1e-4;

/// Factors on the default sizes, to try with the fastest methods.
struct Sizes {
    double group, leaf;
};
inline constexpr Sizes sizes[] = {{2, 1}, {0.5, 1}, {1, 0.5}, {2, 0.5}};

} // namespace chamomile
