#include "chamomile/core/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chamomile {

double ExactDigits::value(std::span<const std::int64_t> digits)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (digits[not_a_number] > 0 || (digits[infinite] > 0 && digits[minus_infinite] > 0))
        return std::numeric_limits<double>::quiet_NaN();
    if (digits[infinite] > 0 || digits[minus_infinite] > 0)
        return digits[infinite] > 0 ? infinity : -infinity;

    std::array<std::int64_t, finite> sum;
    std::copy_n(digits.begin(), finite, sum.begin());
    const auto digit = [&](int k) -> std::int64_t& { return sum[std::size_t(k)]; };
    carry(digit);
    const double sign = sum.back() < 0 ? -1 : 1;
    if (sign < 0) {
        std::ranges::transform(sum, sum.begin(), [](std::int64_t d) { return -d; });
        carry(digit);
    }
    if (sum.back() > mask)
        return sign * infinity;

    int top = finite - 1;
    while (top > 0 && sum[std::size_t(top)] == 0)
        --top;
    // Rounds the highest 64 bits once. The last bit also stands for all lower ones.
    const auto at = [&](int k) { return k >= 0 ? std::uint64_t(sum[std::size_t(k)]) : 0; };
    std::uint64_t high = at(top) << 32 | at(top - 1);
    if (high == 0)
        return 0;
    const int zeros = std::countl_zero(high);
    high = high << zeros | at(top - 2) >> (32 - zeros);
    const bool has_more =
        (at(top - 2) << zeros & std::uint64_t(mask)) != 0 ||
        std::any_of(sum.begin(), sum.begin() + std::max(top - 2, 0), [](auto d) { return d != 0; });
    return sign * std::ldexp(double(high | std::uint64_t(has_more)), 32 * (top - 1) - zeros - 1074);
}

} // namespace chamomile
