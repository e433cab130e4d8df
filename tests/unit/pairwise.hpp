/// \file  Products of choices thinned to rows in which any two choices still meet.
#pragma once

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace chamomile::tests {

/// Returns the indices, ascending, of some of the rows: each two values that stand together in a
/// row, in whatever columns, stand together in one of these. Greedy: the row with most new pairs
/// is next (Cohen et al. 1997, IEEE Trans. Softw. Eng. 23, 437).
template <class Value>
std::vector<std::size_t> covering_pairs(const std::vector<std::vector<Value>>& rows)
{
    using Pair = std::tuple<std::size_t, Value, std::size_t, Value>;
    std::vector<std::set<Pair>> fresh(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < rows[i].size(); ++k)
            for (std::size_t l = 0; l <= k; ++l) // each value alone too
                fresh[i].emplace(k, rows[i][k], l, rows[i][l]);
    std::set<std::size_t> chosen;
    while (true) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < rows.size(); ++i)
            if (fresh[i].size() > fresh[best].size())
                best = i;
        if (rows.empty() || fresh[best].empty())
            return {chosen.begin(), chosen.end()};
        chosen.insert(best);
        std::set<Pair> met;
        met.swap(fresh[best]);
        for (std::set<Pair>& pairs : fresh)
            for (const Pair& pair : met)
                pairs.erase(pair);
    }
}

/// Returns rows of indices, `row[k] < sizes[k]`, of the product of choices of these sizes, thinned
/// by covering_pairs(). Of two choices it is the whole product.
inline std::vector<std::vector<std::size_t>> pairwise(const std::vector<std::size_t>& sizes)
{
    std::vector<std::vector<std::size_t>> rows{{}}, chosen;
    for (const std::size_t size : sizes) {
        std::vector<std::vector<std::size_t>> longer;
        for (const std::vector<std::size_t>& row : rows)
            for (std::size_t value = 0; value < size; ++value) {
                longer.push_back(row);
                longer.back().push_back(value);
            }
        rows = std::move(longer);
    }
    for (const std::size_t i : covering_pairs(rows))
        chosen.push_back(rows[i]);
    return chosen;
}

} // namespace chamomile::tests
