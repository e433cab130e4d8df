/// \file  Weighted quantiles of many values without sorting them, with the same bits for any number
/// of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chamomile/core/threads.hpp"

namespace chamomile {

/// A WeightedValue is one of the values, which are not negative, with its place among them.
struct WeightedValue {
    double value, weight;
    std::size_t place;

    friend bool operator<(const WeightedValue& a, const WeightedValue& b)
    {
        return a.value < b.value || (a.value == b.value && a.place < b.place);
    }
};

/// ValueBins are bins of a hundredth of their value from 2^-24 to 2^8 of a typical one; the first
/// and the last hold what lies beyond. They are told by the leading bits of a number.
class ValueBins {
public:
    static constexpr int count = 4096;
    static constexpr std::uint16_t none = count;

    explicit ValueBins(double typical) : first_(steps(typical) - 24 * per_octave) {}

    std::uint16_t of(double value) const
    {
        return std::uint16_t(std::clamp<std::int64_t>(steps(value) - first_, 0, count - 1));
    }

private:
    static constexpr int leading = 7, per_octave = 1 << leading;
    static std::int64_t steps(double value)
    {
        return std::bit_cast<std::int64_t>(value) >> (52 - leading);
    }
    std::int64_t first_;
};

/// A QuantileBin says where a quantile lies: its bin, the weight of all bins before it, and the
/// weight to be reached.
struct QuantileBin {
    std::uint16_t bin;
    double before, target;
};

/// Returns where the quantile of each of the `parts` lies. `sums` holds the weight of each bin in
/// each piece of the values, added in their order. The result is empty if there is no weight.
std::vector<QuantileBin> quantile_bins(const std::vector<std::vector<double>>& sums,
                                       std::span<const double> parts);

/// Returns the first of the entries of one bin, in their order, with which the weight is reached.
WeightedValue reached(std::vector<WeightedValue> entries, const QuantileBin& quantile);

/// Returns the median of a thousand values.
double typical_value(std::vector<double> values);

/// Returns for each of the `parts` of the whole weight the first entry, in ascending order of
/// values (and of places where these are equal), with which the sum of weights reaches it, but for
/// rounding. `value(i)` and `weight(i)` are called for i < n; entries without weight do not count.
/// The result is empty if none does.
///
/// One pass adds the weights of each bin, in pieces of a size that does not depend on the number of
/// threads; another takes the entries of the bins in which the quantiles lie, a few in a hundred.
template <class Value, class Weight>
std::vector<WeightedValue> weighted_quantiles(std::size_t n, const Value& value,
                                              const Weight& weight, std::span<const double> parts)
{
    const std::size_t probed = std::min<std::size_t>(n, 1023);
    std::vector<double> probe(probed);
    for (std::size_t k = 0; k < probed; ++k)
        probe[k] = value(k * n / probed);
    const ValueBins bins(typical_value(std::move(probe)));

    const std::size_t pieces = std::clamp<std::size_t>(n / 16384, 1, 128);
    const auto begin = [&](std::size_t piece) { return piece * n / pieces; };
    const auto bin = std::make_unique_for_overwrite<std::uint16_t[]>(n);
    std::vector<std::vector<double>> sums(pieces);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        std::vector<double> sum(ValueBins::count + 1);
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) {
            const double w = weight(i);
            bin[i] = w > 0 ? bins.of(value(i)) : ValueBins::none;
            sum[bin[i]] += w;
        }
        sums[piece] = std::move(sum);
    }

    const std::vector<QuantileBin> quantiles = quantile_bins(sums, parts);
    std::vector<std::uint8_t> wanted(ValueBins::count + 1, 0);
    for (const QuantileBin& quantile : quantiles)
        wanted[quantile.bin] = 1;
    std::vector<std::vector<WeightedValue>> found(pieces);
#pragma omp parallel for if (n > worth_threads) schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces; ++piece)
        for (std::size_t i = begin(piece); i < begin(piece + 1); ++i)
            if (wanted[bin[i]])
                found[piece].push_back({value(i), weight(i), i});

    std::vector<WeightedValue> result(quantiles.size());
#pragma omp parallel for if (n > worth_threads) schedule(dynamic)
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
        std::vector<WeightedValue> entries;
        for (const std::vector<WeightedValue>& piece : found)
            for (const WeightedValue& entry : piece)
                if (bin[entry.place] == quantiles[k].bin)
                    entries.push_back(entry);
        result[k] = reached(std::move(entries), quantiles[k]);
    }
    return result;
}

} // namespace chamomile
