/// \file  Tables of text, and text made from numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chamomile {

/// Formats like printf() and returns the text.
std::string formatted(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Returns a number with its noun: "1 snapshot", "2 snapshots".
std::string counted(std::uint64_t n, const std::string& one);

/// Rows of text under headings. Columns are as wide as needed; numbers are set flush right, words
/// flush left.
class Table {
public:
    explicit Table(std::vector<std::string> headings) : rows_{std::move(headings)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const;

    /// Returns the rows as comma-separated values (RFC 4180).
    std::string csv() const;

    /// Removes columns with "-" in all rows.
    void remove_empty_columns();

    /// Removes each column among first .. last - 1 that is equal in all rows. Returns the removed
    /// values except "-", such as "solver tree, order 2".
    std::string remove_constant_columns(std::size_t first, std::size_t last);

private:
    bool is_constant(std::size_t column) const;
    void remove(std::size_t column);

    std::vector<std::vector<std::string>> rows_; ///< row 0 holds the headings
};

/// Returns seconds in readable form: "12.3 ms", "4.56 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);

} // namespace chamomile
