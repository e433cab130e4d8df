// Reads text tables of forces: named by the last comment before the numbers, known by their number
// of columns, or Tipsy's arrays (the number of particles, then one number a line).
#include <cmath>

#include "chamomile/io/forces/forces_file.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/text/lines.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile {
namespace {

/// Sets accelerations or potentials from a Tipsy array, with all x, then all y, then all z. Returns
/// false if it is none.
bool read_tipsy_array(const std::vector<double>& values, ForcesFile& forces)
{
    const std::size_t rows = values.size() - 1;
    const double stated = values[0];
    if (!(stated >= 1) || stated != std::floor(stated) ||
        (double(rows) != stated && double(rows) != 3 * stated))
        return false;
    const std::size_t n = std::size_t(stated);
    forces.format = rows == n ? "Tipsy array of potentials" : "Tipsy array of accelerations";
    for (std::size_t i = 1; i <= n; ++i)
        if (rows == n)
            forces.potential.push_back(values[i]);
        else
            forces.acceleration.push_back({values[i], values[n + i], values[2 * n + i]});
    return true;
}

} // namespace

ForcesFile read_force_text(const InputFile& file)
{
    ForcesFile forces;
    std::vector<std::string> names;
    std::vector<std::string_view> words;
    std::vector<double> values;
    std::size_t width = 0;
    for (TextLines lines(file); lines.next();) {
        if (width == 0 && lines.comment() && split_words(*lines.comment(), words))
            if (std::vector<std::string> named = named_columns(words); !named.empty())
                names = std::move(named);
        if (lines.words().empty())
            continue;
        const std::string where = "line " + std::to_string(lines.number());
        if (width == 0 && !parsed_real(lines.words()[0])) { // names without '#'
            names = named_columns(lines.words());
            if (names.empty())
                throw bad_input(file.path(), where, std::string(lines.words()[0]),
                                "must be a number, or names of columns such as x y z ax ay az phi");
            continue;
        }
        if (width == 0)
            width = lines.words().size();
        if (lines.words().size() != width)
            throw bad_input(file.path(), where, std::to_string(lines.words().size()) + " columns",
                            "must be " + std::to_string(width) + ", as in the lines before");
        for (const std::string_view word : lines.words()) {
            const auto value = parsed_real(word);
            if (!value)
                throw bad_input(file.path(), where, std::string(word), "must be a number");
            values.push_back(*value);
        }
    }
    if (width == 1 && names.empty() && read_tipsy_array(values, forces))
        return forces;
    if (names.size() != width) {
        const auto known = known_columns(width);
        if (!known)
            throw bad_input(file.path(), "columns", std::to_string(width),
                            "must be named by a comment, such as '# id x y z ax ay az phi'");
        names = *known;
    }
    forces.format = "text columns";
    set_columns(forces, names, values);
    return forces;
}

} // namespace chamomile
