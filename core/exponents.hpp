/// \file  Terms of a polynomial in three variables, by number and by powers. They are also the
/// components of symmetric tensors.
///
/// Terms are ordered by degree, then by falling powers of x, then by falling powers of y: 1, x, y,
/// z, xx, xy, xz, yy, yz, zz, xxx, ... Hence terms with a lower degree come first.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// The powers of x, y and z in a term.
struct Exponents {
    int x, y, z;

    CHAMOMILE_HD constexpr int degree() const { return x + y + z; }
};

/// Returns the number of terms up to a degree.
CHAMOMILE_HD constexpr int term_count(int degree)
{
    return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}

/// Returns the number of the term with these powers.
CHAMOMILE_HD constexpr int term_of(const Exponents& e)
{
    const int below_x = e.degree() - e.x;
    return term_count(e.degree() - 1) + below_x * (below_x + 1) / 2 + e.z;
}

/// Returns the powers in a term, given its number.
CHAMOMILE_HD constexpr Exponents exponents_of(int term)
{
    int degree = 0;
    while (term_count(degree) <= term)
        ++degree;
    int rest = term - term_count(degree - 1), below_x = 0;
    while ((below_x + 1) * (below_x + 2) / 2 <= rest)
        ++below_x;
    rest -= below_x * (below_x + 1) / 2;
    return {degree - below_x, below_x - rest, rest};
}

CHAMOMILE_HD constexpr double factorial(int n)
{
    double product = 1;
    for (; n > 1; --n)
        product *= n;
    return product;
}

/// Returns x! y! z! for the powers.
CHAMOMILE_HD constexpr double factorial(const Exponents& e)
{
    return factorial(e.x) * factorial(e.y) * factorial(e.z);
}

/// Returns 1 * 3 * ... * n for odd n; 1 for n = -1.
CHAMOMILE_HD constexpr double odd_factorial(int n)
{
    double product = 1;
    for (; n > 1; n -= 2)
        product *= n;
    return product;
}

} // namespace chamomile
