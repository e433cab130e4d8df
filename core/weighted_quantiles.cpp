#include "chamomile/core/weighted_quantiles.hpp"

#include <cassert>

namespace chamomile {
namespace {

/// Relative difference of sums of equal weights in different orders is below this value.
constexpr double rounding = 1e-12;

} // namespace

std::vector<double> sum_of_pieces(const std::vector<std::vector<double>>& pieces)
{
    std::vector<double> sums(ValueBins::count);
    for (const std::vector<double>& piece : pieces)
        for (std::size_t bin = 0; bin < piece.size() && bin < sums.size(); ++bin)
            sums[bin] += piece[bin];
    return sums;
}

std::vector<QuantileBin> quantile_bins(std::span<const double> sums, std::span<const double> parts)
{
    std::vector<double> upto(ValueBins::count);
    double total = 0;
    for (std::size_t bin = 0; bin < upto.size(); ++bin) {
        double whole = 0;
        for (std::size_t k = bin; k < sums.size(); k += upto.size())
            whole += sums[k];
        upto[bin] = total += whole;
    }
    std::vector<QuantileBin> quantiles;
    if (!(total > 0))
        return quantiles;
    for (double part : parts) {
        const double target = part * total * (1 - rounding);
        auto place = std::lower_bound(upto.begin(), upto.end(), target);
        if (*place == 0) // a fraction of 0 is reached by the first weighted value
            place = std::upper_bound(upto.begin(), upto.end(), 0.0);
        const auto bin = place - upto.begin();
        quantiles.push_back({std::uint16_t(bin), bin > 0 ? upto[std::size_t(bin) - 1] : 0, target});
    }
    return quantiles;
}

WeightedValue reached(std::vector<WeightedValue> entries, const QuantileBin& quantile)
{
    // Halves the range [first, last) until it contains only the result.
    assert(!entries.empty());
    double before = quantile.before; // weight of all entries before the range
    std::size_t first = 0, last = entries.size();
    while (last - first > 1) {
        const std::size_t middle = (first + last) / 2;
        std::nth_element(entries.begin() + first, entries.begin() + middle, entries.begin() + last);
        double half = 0;
        for (std::size_t i = first; i < middle; ++i)
            half += entries[i].weight;
        if (before + half >= quantile.target) {
            last = middle;
        } else {
            before += half;
            first = middle;
        }
    }
    return entries[first];
}

double typical_value(std::vector<double> values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace chamomile
