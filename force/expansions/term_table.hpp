/// \file  Terms of a polynomial in tables, for loops over terms at run time.
#pragma once

#include "chamomile/core/exponents.hpp"

namespace chamomile {

/// Terms up to degree 7, as in core/exponents.hpp.
struct TermTable {
    static constexpr int degree = 7, size = term_count(degree);

    /// A term's monomial x^a/a! y^b/b! z^c/c! is that of term `before` times x, y or z times
    /// `factor`.
    struct Step {
        unsigned char axis = 0, before = 0;
        double factor = 0;
    } step[size];
    /// The term with the powers of both; valid if the degrees add up to 7 at most.
    unsigned char joint[size][size] = {};

    constexpr TermTable() : step()
    {
        Exponents of[size]{};
        for (int t = 0; t < size; ++t)
            of[t] = exponents_of(t);
        for (int t = 1; t < size; ++t) {
            Exponents e = of[t];
            const int axis = e.x > 0 ? 0 : e.y > 0 ? 1 : 2;
            int& power = axis == 0 ? e.x : axis == 1 ? e.y : e.z;
            const double factor = 1.0 / power--;
            step[t] = {static_cast<unsigned char>(axis), static_cast<unsigned char>(term_of(e)),
                       factor};
        }
        for (int s = 0; s < size; ++s)
            for (int t = 0; t < size && of[s].degree() + of[t].degree() <= degree; ++t)
                joint[s][t] = static_cast<unsigned char>(
                    term_of({of[s].x + of[t].x, of[s].y + of[t].y, of[s].z + of[t].z}));
    }

    /// Writes the monomials of x up to a degree.
    template <class T>
    CHAMOMILE_HD void monomials(const T& x, const T& y, const T& z, int to_degree,
                                T* monomial) const
    {
        monomial[0] = T(1);
        for (int t = 1; t < term_count(to_degree); ++t) {
            const Step& s = step[t];
            monomial[t] = monomial[s.before] * ((s.axis == 0   ? x
                                                 : s.axis == 1 ? y
                                                               : z) *
                                                T(s.factor));
        }
    }
};

inline constexpr TermTable term_table;

} // namespace chamomile
