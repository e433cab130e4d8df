#include "app/pairs/columns.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile::app {

std::vector<std::string> words_of_line(std::string_view line)
{
    std::vector<std::string_view> words;
    split_words(line, words);
    return {words.begin(), words.end()};
}

std::string read_text_file(const std::string& file, const std::string& needed)
{
    constexpr std::size_t max = 1 << 30;
    std::string text = read_regular_file(file, max, needed);
    if (text.find_first_not_of(" \t\r\n") == text.npos)
        throw Error(Fault::input, file + ": is empty: " + needed + " is needed");
    if (text.find('\0') != text.npos)
        throw Error(Fault::input, file + ": is binary: " + needed + " as text is needed");
    return text;
}

Columns::Columns(const std::string& file, const std::vector<std::string>& names) : file_(file)
{
    const std::string text = read_text_file(file, "rows of numbers: " + joined(names, ' '));
    std::size_t number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        add_line(std::string_view(text).substr(begin, end - begin), number, names);
        begin = end + 1;
    }
    if (rows() == 0)
        throw Error(Fault::input,
                    file_ + ": no row of numbers: " + joined(names, ' ') + " are needed");
}

void Columns::add_names(std::string_view names, std::size_t number)
{
    if (!values_.empty())
        throw Error(Fault::input, file_ + ": line " + std::to_string(number) +
                                      ": columns: are named before the first row");
    names_ = words_of_line(names);
}

void Columns::add_line(std::string_view line, std::size_t number,
                       const std::vector<std::string>& names)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file_ + ": line " + std::to_string(number) + ": " + what);
    };
    if (const std::size_t comment = line.find('#'); comment != line.npos) {
        std::string_view rest = line.substr(comment + 1);
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        constexpr std::string_view key = "columns:";
        if (rest.starts_with(key))
            add_names(rest.substr(key.size()), number);
        line = line.substr(0, comment);
    }
    std::vector<std::string_view> words;
    if (!split_words(line, words))
        refuse("a field between commas is empty");
    if (words.empty())
        return;
    for (std::string_view word : words) {
        const auto value = parsed_number<double>(word);
        if (!value || !std::isfinite(*value))
            refuse(std::string(word) + ": must be a finite number");
        values_.push_back(*value);
    }
    if (names_.empty())
        names_ = names;
    if (words.size() != names_.size())
        refuse(std::to_string(words.size()) + " numbers: must be " + std::to_string(names_.size()) +
               ": " + joined(names_, ' '));
}

std::vector<double> Columns::rows_of(const std::vector<std::string>& names) const
{
    std::vector<std::size_t> column;
    for (const std::string& name : names) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end())
            throw Error(Fault::input, file_ + ": column " + name + ": missing" +
                                          suggestion(name, names_) + ": the columns are " +
                                          joined(names_, ' '));
        column.push_back(std::size_t(found - names_.begin()));
    }
    std::vector<double> values;
    values.reserve(rows() * names.size());
    for (std::size_t row = 0; row < rows(); ++row)
        for (const std::size_t c : column)
            values.push_back(values_[row * names_.size() + c]);
    return values;
}

std::string columns_text(const std::vector<std::string>& comments,
                         const std::vector<std::string>& names, std::span<const double> values)
{
    std::string text;
    for (const std::string& comment : comments)
        text += "# " + one_line(comment) + "\n";
    text += "# columns: " + joined(names, ' ') + "\n";
    char digits[40];
    for (std::size_t k = 0; k < values.size(); ++k) {
        const auto end = std::to_chars(digits, digits + sizeof digits, values[k],
                                       std::chars_format::scientific, 16)
                             .ptr;
        text.append(digits, end);
        text += (k + 1) % names.size() == 0 ? '\n' : ' ';
    }
    return text;
}

} // namespace chamomile::app
