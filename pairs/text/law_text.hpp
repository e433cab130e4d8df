/// \file  A law as written: its names, and the contribution of each pair to each sum.
/// docs/howto/own_law.md has the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/pairs/law.hpp"
#include "chamomile/pairs/text/expression.hpp"

namespace chamomile {

/// A LawParameter is a parameter of a law with its default.
struct LawParameter {
    std::string name;
    double value; ///< the default
};

/// A LawText is a law that has been read: names, expressions and contributions to sums.
struct LawText {
    std::string name;
    bool positions = false;                       ///< targets and sources begin with a position
    std::vector<std::string> target, source, sum; ///< names of their values
    std::vector<LawParameter> parameters;
    Expressions expressions;
    std::vector<int> added; ///< the value that is added to each sum

    LawShape shape() const { return {int(target.size()), int(source.size()), int(sum.size())}; }
};

/// Reads a law. Throws Error(input) `NAME: line L, column C: what is wrong: what is allowed`.
LawText read_law(std::string_view text, const std::string& name);

/// Reads the lines of a law whose target, source and sum are declared already, not by the text.
LawText read_law(std::string_view text, const std::string& name, const LawText& declared);

/// Adds to `sums` what one source contributes to one target, in plain double. Rows are in the order
/// of the law's declarations, and so are parameters.
void add_pair(const LawText& law, std::span<const double> parameters,
              std::span<const double> target, std::span<const double> source,
              std::span<double> sums);

} // namespace chamomile
