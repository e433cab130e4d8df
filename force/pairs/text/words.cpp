#include "chamomile/force/pairs/text/words.hpp"

#include <charconv>
#include <cstdio>

namespace chamomile {
namespace {

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Cuts a law's text into words.
class Cutter {
public:
    Cutter(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    std::vector<Word> words()
    {
        while (at_ < text_.size())
            cut();
        add(Word::Kind::end_of_line, 0);
        add(Word::Kind::end, 0);
        return std::move(words_);
    }

private:
    char next(std::size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void cut()
    {
        const char c = next();
        if (c == '\n' || c == ';') {
            add(Word::Kind::end_of_line, 1);
            if (c == '\n') {
                ++line_;
                start_ = at_;
            }
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
        } else if (c == '#') {
            while (at_ < text_.size() && next() != '\n')
                ++at_;
        } else if (is_letter(c)) {
            std::size_t length = 1;
            while (is_letter(next(length)) || is_digit(next(length)))
                ++length;
            add(Word::Kind::name, length);
        } else if (is_digit(c) || (c == '.' && is_digit(next(1)))) {
            number();
        } else {
            sign();
        }
    }

    void number()
    {
        Word word{Word::Kind::number, {}, place()};
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), word.number);
        const std::size_t length = std::size_t(end - begin);
        if (error == std::errc::result_out_of_range)
            throw text_error(name_, place(),
                             std::string(begin, end) + ": must be from 2.3e-308 to 1.79e308");
        if (is_letter(next(length)) || next(length) == '.') {
            std::size_t all = length;
            while (is_letter(next(all)) || is_digit(next(all)) || next(all) == '.')
                ++all;
            throw text_error(name_, place(),
                             std::string(text_.substr(at_, all)) +
                                 ": must be a number such as 12, 0.5 or 1e-3, or a product with *");
        }
        word.text = text_.substr(at_, length);
        words_.push_back(word);
        at_ += length;
    }

    void sign()
    {
        for (const std::string_view two : {"+=", "-=", "**", "<=", ">=", "==", "!="})
            if (text_.substr(at_, 2) == two)
                return add(Word::Kind::sign, 2);
        if (std::string_view("+-*/^()[]<>=,.").find(next()) == std::string_view::npos)
            refuse();
        add(Word::Kind::sign, 1);
    }

    [[noreturn]] void refuse() const
    {
        const unsigned char c = static_cast<unsigned char>(next());
        std::size_t length = 1; // a whole character of UTF-8
        while (c >= 0xc0 && (static_cast<unsigned char>(next(length)) & 0xc0) == 0x80)
            ++length;
        char code[16];
        std::snprintf(code, sizeof code, "byte 0x%02x", c);
        const bool shows = c > ' ' && c != 0x7f && (c < 0x80 || length > 1);
        throw text_error(
            name_, place(),
            (shows ? "'" + std::string(text_.substr(at_, length)) + "'" : std::string(code)) +
                ": must be a character of names, numbers or + - * / ^ ( ) [ ] < > = , . ; #");
    }

    Place place() const { return {line_, int(at_ - start_) + 1}; }

    void add(Word::Kind kind, std::size_t length)
    {
        const bool nothing_before = words_.empty() || words_.back().kind == Word::Kind::end_of_line;
        if (kind != Word::Kind::end_of_line || !nothing_before)
            words_.push_back({kind, text_.substr(at_, length), place()});
        at_ += length;
    }

    const std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0, start_ = 0; ///< of the line
    int line_ = 1;
    std::vector<Word> words_;
};

} // namespace

std::vector<Word> words_of(std::string_view text, const std::string& name)
{
    return Cutter(text, name).words();
}

Error text_error(const std::string& name, Place place, const std::string& what)
{
    return Error(Fault::input, name + ": line " + std::to_string(place.line) + ", column " +
                                   std::to_string(place.column) + ": " + what);
}

std::string quoted(const Word& word)
{
    if (word.kind == Word::Kind::end)
        return "the end of the text";
    if (word.kind == Word::Kind::end_of_line)
        return "the end of the line";
    std::string text = "'";
    text += word.text;
    return text += '\'';
}

} // namespace chamomile
