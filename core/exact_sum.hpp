/// \file  Sums of doubles without rounding. The order of the terms does not matter, so that any
/// number of threads, GPUs and ranks gives the same bits. The digits form a small superaccumulator
/// (Neal 2015, arXiv:1505.05571).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "chamomile/core/host_device.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

/// The digits of an exact sum. Digit k < `finite` is worth 2^(32 k - 1074) times a signed 64-bit
/// integer. Three further digits count infinite terms and NaN. Sums of digits are digits of the
/// sum, so that integer reductions combine them.
struct ExactDigits {
    static constexpr int finite = 66, infinite = finite, minus_infinite = finite + 1,
                         not_a_number = finite + 2, count = finite + 3;
    static constexpr std::int64_t mask = 0xffffffff;
    /// Max number of terms before carry().
    static constexpr std::size_t max_terms = std::size_t(1) << 30;

    /// Adds a term; `digit(k)` returns a reference to digit k.
    template <class Digit>
    static CHAMOMILE_HD void add(double term, const Digit& digit)
    {
        std::uint64_t bits = 0;
        memcpy(&bits, &term, sizeof bits);
        const int exponent = int(bits >> 52 & 0x7ff);
        const std::uint64_t fraction = bits & 0xfffffffffffff;
        const bool is_negative = bits >> 63;
        if (exponent == 0x7ff) {
            ++digit(fraction != 0 ? not_a_number : is_negative ? minus_infinite : infinite);
            return;
        }
        // The term is +-mantissa 2^(place - 1074).
        const std::uint64_t mantissa = exponent > 0 ? fraction | std::uint64_t(1) << 52 : fraction;
        const int place = exponent > 0 ? exponent - 1 : 0, first = place / 32, shift = place % 32;
        const std::uint64_t upper = mantissa >> (32 - shift);
        const std::int64_t parts[] = {std::int64_t(mantissa << shift) & mask,
                                      std::int64_t(upper) & mask, std::int64_t(upper >> 32)};
        for (int k = 0; k < 3; ++k)
            digit(first + k) += is_negative ? -parts[k] : parts[k];
    }

    static constexpr std::size_t block = 256; ///< terms of add_all()

    /// Adds a block of terms, padded with zeros, and overwrites it. Terms are rounded to a common
    /// place, so that their sum in doubles is exact; then the remainders likewise, and so on
    /// (Demmel & Nguyen 2013). Each round takes about seven operations per term; most sets need two
    /// rounds.
    template <class Digit>
    static void add_all(std::array<double, block>& terms, const Digit& digit)
    {
        constexpr std::size_t lanes = 8;
        std::array<double, lanes> largest_of{}, zeros{};
        for (std::size_t i = 0; i < block; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) {
                largest_of[k] = std::max(largest_of[k], std::abs(terms[i + k]));
                zeros[k] += 0 * terms[i + k]; // NaN if a term is not finite
            }
        double largest = 0;
        bool are_finite = true;
        for (std::size_t k = 0; k < lanes; ++k) {
            largest = std::max(largest, largest_of[k]);
            are_finite = are_finite && zeros[k] == 0;
        }
        while (largest > 0 || !are_finite) {
            if (!are_finite || largest > 0x1p900 || largest < 0x1p-900) {
                for (const double term : terms)
                    add(term, digit);
                return;
            }
            // 256 multiples of 2^-43 times the largest term's power of two sum to 53 bits.
            const double shift = std::ldexp(1.5, std::ilogb(largest) + 9);
            std::array<double, lanes> sums{}, left{};
            for (std::size_t i = 0; i < block; i += lanes)
                for (std::size_t k = 0; k < lanes; ++k) {
                    double& term = terms[i + k];
                    const double rounded = (term + shift) - shift;
                    sums[k] += rounded;
                    term -= rounded;
                    left[k] = std::max(left[k], std::abs(term));
                }
            double sum = 0;
            largest = 0;
            for (std::size_t k = 0; k < lanes; ++k) {
                sum += sums[k];
                largest = std::max(largest, left[k]);
            }
            add(sum, digit);
        }
    }

    /// Leaves 0 to 2^32 - 1 in each digit except the last, which holds the sign of the sum.
    template <class Digit>
    static CHAMOMILE_HD void carry(const Digit& digit)
    {
        for (int k = 0; k + 1 < finite; ++k) {
            digit(k + 1) += digit(k) >> 32;
            digit(k) &= mask;
        }
    }

    /// Returns the sum, rounded to the nearest double; infinite or NaN if any term was.
    static double value(std::span<const std::int64_t> digits);
};

/// Exact sums over records that consist only of doubles.
template <class Record>
class ExactSums {
    static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) % sizeof(double) == 0);

public:
    static constexpr std::size_t numbers = sizeof(Record) / sizeof(double);

    void add(const Record& record)
    {
        const auto terms = std::bit_cast<std::array<double, numbers>>(record);
        for (std::size_t k = 0; k < numbers; ++k)
            ExactDigits::add(terms[k], digits_of(k));
    }

    /// Adds term(begin) + ... + term(end - 1) with all threads.
    template <class Term>
    void add(std::size_t begin, std::size_t end, const Term& term)
    {
        for (; end - begin > ExactDigits::max_terms; begin += ExactDigits::max_terms)
            add(begin, begin + ExactDigits::max_terms, term);
#ifdef _OPENMP
#pragma omp parallel if (end - begin > worth_threads)
#endif
        {
            ExactSums own;
#ifdef _OPENMP
#pragma omp for schedule(static) nowait
#endif
            for (std::size_t first = begin; first < end; first += ExactDigits::block)
                own.add_block(first, std::min(first + ExactDigits::block, end), term);
#ifdef _OPENMP
#pragma omp critical(exact_sums)
#endif
            *this += own;
        }
    }

    ExactSums& operator+=(ExactSums other)
    {
        other.carry();
        for (std::size_t k = 0; k < digits_.size(); ++k)
            digits_[k] += other.digits_[k];
        return *this;
    }

    /// Makes room for more terms. Call it before combining digits() directly.
    void carry()
    {
        for (std::size_t k = 0; k < numbers; ++k)
            ExactDigits::carry(digits_of(k));
    }

    Record value() const
    {
        std::array<double, numbers> sums;
        for (std::size_t k = 0; k < numbers; ++k)
            sums[k] = ExactDigits::value(
                std::span(digits_).subspan(k * ExactDigits::count, ExactDigits::count));
        return std::bit_cast<Record>(sums);
    }

    std::span<std::int64_t> digits()
    {
        return digits_;
    }

private:
    template <class Term>
    void add_block(std::size_t begin, std::size_t end, const Term& term)
    {
        std::array<std::array<double, ExactDigits::block>, numbers> terms;
        for (std::size_t i = begin; i < end; ++i) {
            const auto one = std::bit_cast<std::array<double, numbers>>(term(i));
            for (std::size_t k = 0; k < numbers; ++k)
                terms[k][i - begin] = one[k];
        }
        for (std::size_t k = 0; k < numbers; ++k) {
            std::fill(terms[k].begin() + std::ptrdiff_t(end - begin), terms[k].end(), 0.);
            ExactDigits::add_all(terms[k], digits_of(k));
        }
    }

    auto digits_of(std::size_t number)
    {
        return [digits = digits_.data() + number * ExactDigits::count](int k) -> std::int64_t& {
            return digits[k];
        };
    }

    std::array<std::int64_t, numbers * ExactDigits::count> digits_{}; // one number after another
};

/// Returns the sum of the values, rounded once. Uses all threads.
inline double exact_sum(std::span<const double> values)
{
    ExactSums<double> sum;
    sum.add(0, values.size(), [&](std::size_t i) { return values[i]; });
    return sum.value();
}

} // namespace chamomile
