/// \file  Weighted quantiles of many values without a sort, bitwise independent of the number of
/// threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/core/value_bins.hpp"

namespace chamomile {

/// A value >= 0 with its weight and its index among all values.
struct WeightedValue {
    double value, weight;
    std::size_t place;

    friend bool operator<(const WeightedValue& a, const WeightedValue& b)
    {
        return a.value < b.value || (a.value == b.value && a.place < b.place);
    }
};

/// A value with its bin.
struct BinEntry {
    WeightedValue entry;
    std::uint16_t bin;
};

/// A QuantileBin locates a quantile: its bin, the weight of all bins before, and the weight to
/// reach.
struct QuantileBin {
    std::uint16_t bin;
    double before, target;
};

/// Values in memory for weighted_quantiles().
struct ValuesInMemory {
    std::span<const double> values;
    std::span<const double> weights = {}; ///< empty: 1 each

    std::size_t size() const { return values.size(); }
    std::size_t max() const { return std::max<std::size_t>(size(), 1); }
    std::span<const std::uint16_t> bins(const ValueBins&) const { return {}; }
    void fetch(std::size_t, std::size_t) {}
    double value(std::size_t i) const { return values[i]; }
    double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
    std::vector<double> at(const std::vector<Index>& places) const
    {
        std::vector<double> chosen(places.size());
        std::ranges::transform(places, chosen.begin(), [this](Index i) { return values[i]; });
        return chosen;
    }
};

/// Adds the weights of each bin over pieces, in order.
std::vector<double> sum_of_pieces(const std::vector<std::vector<double>>& pieces);

/// Returns the bin of each quantile in `parts`. `sums` holds the weight of each bin on each rank.
/// Empty without weight.
std::vector<QuantileBin> quantile_bins(std::span<const double> sums, std::span<const double> parts);

/// Returns the first entry of a bin, in ascending order, at which the weight is reached.
WeightedValue reached(std::vector<WeightedValue> entries, const QuantileBin& quantile);

/// Returns the median; 0 without values.
double typical_value(std::vector<double> values);

/// The bins of values, and the weight of each bin.
struct BinnedValues {
    std::span<const std::uint16_t> bin;
    std::unique_ptr<std::uint16_t[]> own; ///< owns `bin`, unless the values do
    std::vector<double> weight;
};

/// Adds the weights of each bin, in pieces of a size independent of the number of threads.
template <class Values>
BinnedValues binned(Values& values, const ValueBins& bins)
{
    const std::size_t n = values.size();
    BinnedValues made;
    std::span<const std::uint16_t>& bin = made.bin;
    std::unique_ptr<std::uint16_t[]>& own = made.own;
    const std::size_t pieces = std::clamp<std::size_t>(n / 16384, 1, 128);
    const auto begin_of = [&](std::size_t piece) { return piece * n / pieces; };
    bin = values.bins(bins);
    if (bin.empty()) {
        own = std::make_unique_for_overwrite<std::uint16_t[]>(n);
        bin = {own.get(), n};
    }
    std::vector<std::vector<double>> sums(pieces);
    const std::size_t max = own ? values.max() : n;
    for (std::size_t begin = 0; begin < n; begin += max) {
        const std::size_t end = std::min(begin + max, n);
        if (own)
            values.fetch(begin, end);
#pragma omp parallel for if (end - begin > worth_threads) schedule(dynamic)
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::size_t first = std::max(begin, begin_of(piece)),
                              last = std::min(end, begin_of(piece + 1));
            if (first >= last)
                continue;
            std::vector<double> sum = std::move(sums[piece]);
            sum.resize(ValueBins::count + 1);
            for (std::size_t i = first; i < last; ++i) {
                const double w = values.weight(i);
                if (own)
                    own[i] = w > 0 ? bins.of(values.value(i)) : ValueBins::none;
                sum[bin[i]] += w;
            }
            sums[piece] = std::move(sum);
        }
    }
    made.weight = sum_of_pieces(sums);
    return made;
}

/// Returns for each fraction in `parts` the first entry, ascending by value and index, at which the
/// cumulative weight reaches this fraction, within rounding. Entries without weight do not count.
/// Empty if there is no weight. Collective: each rank passes its local values.
///
/// Values has size() and most(), the max length of a range. fetch(begin, end) makes value(i)
/// available for a range; weight(i) works for any i. at(places) returns the values of an ascending
/// list. bins(bins) may return the bin of each value (`none` without weight), to avoid fetch().
///
/// One pass adds the weights of each bin. The entries of the bins that contain quantiles, a few in
/// a hundred, are then searched.
template <class Values>
std::vector<WeightedValue> weighted_quantiles(Values& values, const RankSubset& all,
                                              std::span<const double> parts)
{
    const std::size_t n = values.size(), probed = std::min<std::size_t>(n, 1023);
    if (all.count == 0)
        return {};
    std::vector<Index> places(probed);
    for (std::size_t k = 0; k < probed; ++k)
        places[k] = Index(k * n / probed);
    const std::vector<double> probes = values.at(places);
    const ValueBins bins(typical_value(all.ranks.all_gather(std::span<const double>(probes))));
    const BinnedValues mine = binned(values, bins);
    const std::span<const std::uint16_t> bin = mine.bin;
    const std::vector<QuantileBin> quantiles =
        quantile_bins(all.ranks.all_gather(std::span<const double>(mine.weight)), parts);
    std::vector<std::uint8_t> wanted(ValueBins::count + 1, 0);
    for (const QuantileBin& quantile : quantiles)
        wanted[quantile.bin] = 1;
    places.clear();
    list_where(
        n, [&](std::size_t i) { return wanted[bin[i]] != 0; }, places);
    const std::vector<double> found = values.at(places);
    std::vector<BinEntry> entries(places.size());
    for (std::size_t e = 0; e < places.size(); ++e)
        entries[e] = {{found[e], values.weight(places[e]), all.number_of(places[e])},
                      bin[places[e]]};
    entries = all.ranks.all_gather(std::span<const BinEntry>(entries));

    std::vector<WeightedValue> result(quantiles.size());
#pragma omp parallel for if (all.count > worth_threads) schedule(dynamic)
    for (std::size_t k = 0; k < quantiles.size(); ++k) {
        std::vector<WeightedValue> of_bin;
        for (const BinEntry& entry : entries)
            if (entry.bin == quantiles[k].bin)
                of_bin.push_back(entry.entry);
        result[k] = reached(std::move(of_bin), quantiles[k]);
    }
    return result;
}

} // namespace chamomile
