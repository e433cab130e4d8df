/// \file  Cuts a law's text into names, numbers and signs, each with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// A line and a column, counted from 1.
struct Place {
    int line = 1, column = 1;
};

/// A name, a number, a sign or an end, with its place.
struct Word {
    enum class Kind { name, number, sign, end_of_line, end };
    Kind kind;
    std::string_view text; ///< points into the law's text, which must outlive it
    Place place;
    double number = 0;

    bool is(std::string_view what) const { return kind != Kind::number && text == what; }
};

/// Returns the words in the text, without empty lines; the last word is an end. Comments run from
/// `#` to the end of a line. Throws Error(input) like text_error().
std::vector<Word> words_of(std::string_view text, const std::string& name);

/// Returns the error `NAME: line L, column C: what`.
Error text_error(const std::string& name, Place place, const std::string& what);

/// Returns a word as quoted in errors.
std::string quoted(const Word& word);

} // namespace chamomile
