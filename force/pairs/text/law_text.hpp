/// \file  A law as written: its names, and each pair's contribution to each sum. See
/// docs/howto/own_law.md for the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/force/pairs/law.hpp"
#include "chamomile/force/pairs/text/expression.hpp"

namespace chamomile {

/// A law's parameter with its default.
struct LawParameter {
    std::string name;
    double value; ///< the default
};

/// A law after reading: names, expressions and contributions to sums.
struct LawText {
    std::string name;
    bool positions = false;                       ///< targets and sources begin with a position
    std::vector<std::string> target, source, sum; ///< names of their values
    std::vector<LawParameter> parameters;
    Expressions expressions;
    std::vector<int> added; ///< the value added to each sum

    LawShape shape() const { return {int(target.size()), int(source.size()), int(sum.size())}; }
};

/// Reads a law. Throws Error(input) `NAME: line L, column C: what is wrong: what is allowed`.
LawText read_law(std::string_view text, const std::string& name);

/// Reads a law with target, source and sum from `declared`; the text must not declare them.
LawText read_law(std::string_view text, const std::string& name, const LawText& declared);

/// Adds one source's contribution to one target to `sums`, in plain double. Rows and parameters are
/// in the order of the law's declarations.
void add_pair(const LawText& law, std::span<const double> parameters,
              std::span<const double> target, std::span<const double> source,
              std::span<double> sums);

} // namespace chamomile
