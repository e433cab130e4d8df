#include "chamomile/core/options/nearest_name.hpp"

#include <algorithm>

#include "chamomile/core/lower_case.hpp"

namespace chamomile {
namespace {

/// Returns the optimal string alignment distance (Damerau 1964).
std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const bool same = a[i - 1] == b[j - 1];
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + !same});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

/// Returns the only known name with the same word before its first "-", as z-start for z-init.
std::string only_of_family(const std::string& name, const std::vector<std::string>& known)
{
    const std::size_t dash = name.find('-');
    std::vector<std::string> family;
    for (const std::string& candidate : known)
        if (dash != name.npos && dash > 0 && candidate.starts_with(name.substr(0, dash + 1)))
            family.push_back(candidate);
    return family.size() == 1 ? family.front() : "";
}

} // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& known)
{
    std::string nearest;
    std::size_t min = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        if (name.size() > 1 && lower_case(name) == lower_case(candidate))
            return candidate;
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < min && distance < candidate.size()) {
            min = distance;
            nearest = candidate;
        }
    }
    return nearest.empty() ? only_of_family(name, known) : nearest;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known)
{
    const std::string nearest = nearest_name(name, known);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace chamomile
