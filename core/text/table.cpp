#include "chamomile/core/text/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace chamomile {

std::string formatted(const char* format, ...)
{
    std::va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    std::string text(std::size_t(std::max(0, std::vsnprintf(nullptr, 0, format, arguments))), '\0');
    va_end(arguments);
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

std::string counted(std::uint64_t n, const std::string& one)
{
    return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

std::string Table::text() const
{
    std::vector<std::size_t> width;
    std::vector<bool> numbers;
    for (std::size_t r = 0; r < rows_.size(); ++r)
        for (std::size_t c = 0; c < rows_[r].size(); ++c) {
            if (c == width.size()) {
                width.push_back(0);
                numbers.push_back(true);
            }
            width[c] = std::max(width[c], rows_[r][c].size());
            if (r > 0 && rows_[r][c].find_first_of("0123456789") > 1)
                numbers[c] = false;
        }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string pad(width[c] - row[c].size(), ' ');
            line += (c ? "  " : "") + (numbers[c] ? pad + row[c] : row[c] + pad);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

namespace {

/// Returns a field quoted by RFC 4180.
std::string quoted(const std::string& cell)
{
    if (cell.find_first_of(",\"\n") == cell.npos)
        return cell;
    std::string text = "\"";
    for (char letter : cell) {
        if (letter == '"')
            text += letter;
        text += letter;
    }
    return text + '"';
}

} // namespace

std::string Table::csv() const
{
    std::string text;
    for (const auto& row : rows_) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            text += c ? "," : "";
            text += quoted(row[c]);
        }
        text += "\n";
    }
    return text;
}

bool Table::is_constant(std::size_t column) const
{
    return std::all_of(rows_.begin() + 1, rows_.end(),
                       [&](const auto& row) { return row[column] == rows_.back()[column]; });
}

void Table::remove(std::size_t column)
{
    for (auto& row : rows_)
        row.erase(row.begin() + std::ptrdiff_t(column));
}

void Table::remove_empty_columns()
{
    for (std::size_t c = rows_[0].size(); c-- > 0;)
        if (rows_.back()[c] == "-" && is_constant(c))
            remove(c);
}

std::string Table::remove_constant_columns(std::size_t first, std::size_t last)
{
    std::string said;
    for (std::size_t c = last; c-- > first;) {
        if (!is_constant(c))
            continue;
        if (rows_.back()[c] != "-")
            said = rows_[0][c] + " " + rows_.back()[c] + (said.empty() ? "" : ", ") + said;
        remove(c);
    }
    return said;
}

std::string duration_text(double seconds)
{
    if (seconds < 1)
        return formatted("%.3g ms", seconds * 1e3);
    if (seconds < 60)
        return formatted("%.3g s", seconds);
    const long whole = std::lround(seconds);
    if (whole < 3600)
        return formatted("%ld min %ld s", whole / 60, whole % 60);
    return formatted("%ld h %ld min", whole / 3600, whole / 60 % 60);
}

} // namespace chamomile
