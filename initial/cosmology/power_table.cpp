#include "chamomile/initial/cosmology/power_table.hpp"

#include <cmath>
#include <sstream>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"

namespace chamomile {

std::vector<PowerTableRow> read_power_table(const std::filesystem::path& file, PowerColumn column)
{
    constexpr std::size_t max = 1 << 28;
    std::istringstream in(read_regular_file(file, max, "a table of k and its value"));
    std::vector<PowerTableRow> rows;
    std::string line;
    bool is_negative = false; // the sign of the first value
    for (int number = 1; std::getline(in, line); ++number) {
        const auto refuse = [&](const std::string& what) {
            throw Error(Fault::input,
                        file.string() + ": line " + std::to_string(number) + ": " + what);
        };
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == line.npos || line[begin] == '#')
            continue;
        std::istringstream words(line);
        words.imbue(std::locale::classic());
        std::vector<double> numbers;
        for (double value; words >> value;)
            numbers.push_back(value);
        words.clear();
        std::string rest;
        if (words >> rest)
            refuse("'" + rest + "': must be a number");
        const bool is_camb = column == PowerColumn::matter && numbers.size() >= 7;
        if (numbers.size() < 2)
            refuse("one column: must be two or more, k in h/Mpc first");
        if (column == PowerColumn::matter && numbers.size() > 2 && !is_camb)
            refuse(std::to_string(numbers.size()) +
                   " columns: must be two, or at least seven as in files of CAMB");
        const double value = numbers[is_camb ? 6 : 1];
        if (rows.empty())
            is_negative = value < 0;
        else if ((value < 0) != is_negative)
            refuse("values must all have the same sign");
        const PowerTableRow row{numbers[0], std::abs(value)};
        if (!(row.k > 0) || !std::isfinite(row.k) || !(row.value > 0) || !std::isfinite(row.value))
            refuse("k and its value must be numbers other than 0");
        if (!rows.empty() && row.k <= rows.back().k)
            refuse("k must be larger than in the line before");
        rows.push_back(row);
    }
    if (rows.size() < 4)
        throw Error(Fault::input, file.string() + ": " + std::to_string(rows.size()) +
                                      " lines of numbers: must be at least 4");
    if (column == PowerColumn::matter)
        for (std::size_t i = rows.size(); i-- > 0;)
            rows[i].value /= rows[0].value;
    return rows;
}

} // namespace chamomile
