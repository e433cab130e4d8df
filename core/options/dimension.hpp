/// \file  What a number measures: a length, mass, time, or a product of powers.
#pragma once

namespace chamomile {

/// A product of powers of length, mass and time; with all powers 0 a pure number.
struct Dimension {
    int length = 0, mass = 0, time = 0;

    bool is_pure() const { return *this == Dimension{}; }
    friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimensions {

inline constexpr Dimension none{}, length{1}, mass{0, 1}, time{0, 0, 1}, velocity{1, 0, -1},
    acceleration{1, 0, -2}, momentum{1, 1, -1}, angular_momentum{2, 1, -1}, energy{2, 1, -2},
    potential{2, 0, -2}, density{-3, 1}, surface_density{-2, 1}, gravity{3, -1, -2};

} // namespace dimensions
} // namespace chamomile
