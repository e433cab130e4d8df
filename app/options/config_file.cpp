#include "app/options/config_file.hpp"

#include <sstream>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"

namespace chamomile::app {

std::string read_option_file(const std::string& option, const std::string& file,
                             const std::string& needed)
{
    constexpr std::size_t max = 1 << 20;
    std::string text;
    try {
        text = read_regular_file(file, max, needed);
    } catch (const Error& error) {
        throw Error(Fault::usage, option + ": " + error.line());
    }
    if (text.empty() || text.find('\0') != text.npos)
        throw Error(Fault::usage, option + ": " + file + ": is no" +
                                      needed.substr(needed.find(' ')) + ": " +
                                      (text.empty() ? "empty" : "binary"));
    if (text.starts_with("\xEF\xBB\xBF")) // byte order mark written by some editors
        text.erase(0, 3);
    return text;
}

std::string trimmed(const std::string& text)
{
    constexpr const char* blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

namespace {

/// Returns the line up to a '#' at its start or after a blank. Any other '#' belongs to a name such
/// as run#1.
std::string without_comment(const std::string& line)
{
    for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
        if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t')
            return line.substr(0, at);
    return line;
}

} // namespace

std::vector<ConfigLine> read_config_file(const std::string& file)
{
    std::istringstream text(read_option_file("--config", file, "an INI file"));
    std::vector<ConfigLine> lines;
    std::string read, section;
    for (int number = 1; std::getline(text, read); ++number) {
        const std::string line = trimmed(without_comment(read));
        if (line.starts_with('[') && line.ends_with(']')) {
            section = trimmed(line.substr(1, line.size() - 2));
            continue;
        }
        if (line.empty())
            continue;
        const std::string place = file + ": line " + std::to_string(number);
        const std::size_t equals = line.find('=');
        if (equals == line.npos || trimmed(line.substr(0, equals)).empty())
            throw Error(Fault::usage, place + ": " + line + ": must be 'name = value'");
        lines.push_back(
            {trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), place, section});
    }
    return lines;
}

} // namespace chamomile::app
