/// \file  A law as written: its names, and what each pair adds to each sum. Grammar: docs/laws.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/pairs/law.hpp"
#include "chamomile/pairs/text/expression.hpp"

namespace chamomile {

struct LawParameter {
    std::string name;
    double value; ///< the default
};

struct LawText {
    std::string name;
    bool positions = false; ///< the first three values of a target and of a source are one
    std::vector<std::string> target, source, sum; ///< names of their values
    std::vector<LawParameter> parameters;
    Expressions expressions;
    std::vector<int> added; ///< to each sum

    LawShape shape() const { return {int(target.size()), int(source.size()), int(sum.size())}; }
};

/// Throws Error(input) `NAME: line L, column C: what is wrong: what is allowed`.
LawText read_law(std::string_view text, const std::string& name);

/// Adds to `sums` what one source does to one target, in plain double. Rows as the law declares
/// them, parameters in the order of their declarations.
void add_pair(const LawText& law, std::span<const double> parameters,
              std::span<const double> target, std::span<const double> source,
              std::span<double> sums);

} // namespace chamomile
