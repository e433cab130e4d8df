/// \file  The names in a law while it is read, and the names in the language.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chamomile/force/pairs/text/expression.hpp"
#include "chamomile/force/pairs/text/words.hpp"

namespace chamomile {

/// Returns whether a name has a meaning in every law: declaration words, functions, pi, and, or,
/// not.
bool is_reserved(std::string_view name);

/// A function in the language.
struct Function {
    std::string_view name;
    int arguments;
    Op op;
};

/// Returns the function with this name, or null.
const Function* function_of(std::string_view name);
std::vector<std::string> function_names();

/// The words of a law, read one after the other.
class Words {
public:
    Words(std::string_view text, const std::string& name)
        : words_(words_of(text, name)), name_(name)
    {}

    const Word& now() const { return words_[at_]; }
    const Word& then() const { return words_[at_ + 1 < words_.size() ? at_ + 1 : at_]; }
    const Word& take() { return words_[at_ + 1 < words_.size() ? at_++ : at_]; }
    /// Consumes the next word and returns true if it is this sign or name.
    bool take(std::string_view what);
    bool at_end_of_line() const { return now().kind == Word::Kind::end_of_line; }
    bool at_end() const { return now().kind == Word::Kind::end; }

    [[noreturn]] void refuse(Place place, const std::string& what) const
    {
        throw text_error(name_, place, what);
    }

private:
    const std::vector<Word> words_;
    const std::string& name_;
    std::size_t at_ = 0;
};

/// Names by kind; the number is the value's index in its row, or in the expressions.
struct Names {
    std::map<std::string, int, std::less<>> target, source, sum, parameter, temporary;

    std::vector<std::string> all() const;
    /// Returns what a name already stands for, such as "a sum"; empty: nothing.
    std::string use_of(std::string_view name) const;
};

} // namespace chamomile
