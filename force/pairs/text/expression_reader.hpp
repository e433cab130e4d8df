/// \file  Reads the expressions in a law.
#pragma once

#include "chamomile/force/pairs/text/law_text.hpp"
#include "chamomile/force/pairs/text/names.hpp"

namespace chamomile {

/// Reads the expressions in a law and keeps their values.
class ExpressionReader {
public:
    ExpressionReader(Words& words, LawText& law, const Names& names)
        : words_(words), law_(law), names_(names)
    {}

    /// Reads an expression up to the end of the line: a number, a condition or a coordinate of a
    /// position.
    int line();
    /// Reads a line like line(), but refuses conditions and coordinates of a position.
    int number_line();
    /// Reads the whole number in brackets after i, j or f; it must be below `count`.
    int bracketed(const std::string& letter, int count);

private:
    struct Operand {
        int value;
        Place place;
    };
    struct Depth;

    Operand either();
    Operand both();
    Operand opposite();
    Operand comparison();
    Operand sum();
    Operand product();
    Operand sign();
    Operand power();
    Operand primary();
    Operand call();
    Operand named();
    Operand member(bool of_target, const Word& side);

    bool is_coordinate(int value) const;
    int number(Operand operand) const;
    int condition(Operand operand) const;
    Operand apply(Place place, Op op, int a, int b = -1, int c = -1);
    int difference(Place place, Operand a, Operand b);
    [[noreturn]] void refuse_unknown(const Word& word) const;

    Words& words_;
    LawText& law_;
    const Names& names_;
    int depth_ = 0;
};

} // namespace chamomile
