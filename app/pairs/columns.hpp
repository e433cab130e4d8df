/// \file  Text files with columns of numbers, found by name or in order.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace chamomile::app {

/// Columns holds the columns of a file, row after row.
class Columns {
public:
    /// Reads a text file with numbers separated by blanks, tabs or commas, one row per line.
    /// Comments begin with `#`. A comment `# columns: NAME ...` names the columns; otherwise the
    /// columns are `names`, in order. Throws Error(input).
    Columns(const std::string& file, const std::vector<std::string>& names);

    std::size_t rows() const { return names_.empty() ? 0 : values_.size() / names_.size(); }

    /// Returns rows with these columns only. Throws Error(input) for a name missing in the file.
    std::vector<double> rows_of(const std::vector<std::string>& names) const;

private:
    void add_line(std::string_view line, std::size_t number, const std::vector<std::string>& names);
    void add_names(std::string_view names, std::size_t number);

    std::string file_;
    std::vector<std::string> names_;
    std::vector<double> values_;
};

/// Returns the text for such a file, with 17 significant digits. `comments` precede the rows, one
/// per line.
std::string columns_text(const std::vector<std::string>& comments,
                         const std::vector<std::string>& names, std::span<const double> values);

/// Returns a whole text file, at most 1 GiB. Throws Error(input) if the file is empty or
/// unreadable; `needed` describes the expected content, such as "a law".
std::string read_text_file(const std::string& file, const std::string& needed);

/// Returns words separated by blanks, tabs or commas.
std::vector<std::string> words_of_line(std::string_view line);

} // namespace chamomile::app
