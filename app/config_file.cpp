#include "app/config_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/program_options/parsers.hpp>

#include "chamomile/core/error.hpp"

namespace chamomile::app {

namespace po = boost::program_options;

namespace {

std::string read_text(const std::string& file)
{
    constexpr std::size_t most = 1 << 20;
    std::error_code none;
    if (std::filesystem::is_directory(file, none))
        throw Error(Fault::usage, "--config: " + file + ": is a folder; an INI file is needed");
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        throw Error(Fault::usage, "--config: " + file + ": " + std::strerror(errno));
    std::string text;
    for (char piece[4096]; stream && text.size() <= most;) {
        stream.read(piece, sizeof piece);
        text.append(piece, std::size_t(stream.gcount()));
    }
    if (text.empty() || text.size() > most || text.find('\0') != text.npos)
        throw Error(Fault::usage, "--config: " + file + ": is no INI file: " +
                                      (text.empty()         ? "empty"
                                       : text.size() > most ? "larger than 1 MB"
                                                            : "binary"));
    if (text.starts_with("\xEF\xBB\xBF")) // the byte order mark of some editors
        text.erase(0, 3);
    std::erase(text, '\r');
    return text;
}

} // namespace

std::vector<ConfigLine> read_config_file(const std::string& file)
{
    std::istringstream text(read_text(file));
    std::vector<ConfigLine> lines;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        const std::string place = file + ": line " + std::to_string(number);
        // One line at a time, so that each key is known with the number of its line.
        std::istringstream one(line + "\n");
        try {
            const po::options_description nothing_known;
            for (const auto& option : po::parse_config_file(one, nothing_known, true).options)
                lines.push_back({option.string_key, option.value.front(), place});
        } catch (const po::error&) {
            throw Error(Fault::usage, place + ": " + line + ": 'name = value' is needed");
        }
    }
    return lines;
}

} // namespace chamomile::app
