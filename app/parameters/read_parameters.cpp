// Detects the code behind a parameter file from the form of its lines.
#include <algorithm>
#include <sstream>

#include "app/command_files.hpp"
#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"

namespace chamomile::app {
namespace {

using Parameter = ParameterFile::Parameter;

/// A Displaced names an option and the file's options that it replaces when given.
struct Displaced {
    const char *given, *replaced;
};

constexpr Displaced displaced[] = {
    {"dt", "adaptive block-steps rungs step-criterion eta dt-min dt-max dlna-max"},
    {"adaptive", "dt block-steps rungs"},
    {"block-steps", "dt adaptive"},
    {"integrator",
     "adaptive block-steps rungs step-criterion eta dt-max criterion tolerance theta"},
    {"t-end", "duration"},
    {"duration", "t-end"},
    {"z-end", "a-end"},
    {"a-end", "z-end"},
    {"snapshot-every", "output-times outputs-a outputs-z"},
    {"output-times", "snapshot-every"},
    {"outputs-a", "snapshot-every outputs-z"},
    {"outputs-z", "snapshot-every outputs-a"},
    {"eps", "eps-type"},
    {"eps-type", "eps"},
    {"theta", "criterion tolerance"},
    {"criterion", "tolerance theta"},
    {"tolerance", "criterion theta"},
    {"accuracy", "criterion tolerance theta"},
    {"solver", "criterion tolerance theta"},
    {"model", "FILE units t-start"},
};

std::vector<std::string> words_of(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

std::vector<std::string> lines_of(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// Returns the line up to a comment, which begins with any character in `marks`.
std::string content_of(const std::string& line, const char* marks)
{
    return trimmed(line.substr(0, line.find_first_of(marks)));
}

std::string unquoted(const std::string& text)
{
    const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                        text.back() == text.front();
    return quoted ? text.substr(1, text.size() - 2) : text;
}

[[noreturn]] void refuse_line(const std::string& file, int number, const std::string& line,
                              const char* needed)
{
    throw Error(Fault::usage,
                file + ": line " + std::to_string(number) + ": " + line + ": " + needed);
}

/// Reads lines `key value ...`: like GADGET, only the first two words.
std::vector<Parameter> gadget_lines(const std::string& file, const std::string& text)
{
    std::vector<Parameter> parameters;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        const std::vector<std::string> words = words_of(content_of(line, "%#;"));
        if (words.size() == 1)
            refuse_line(file, number, words[0], "'key value' is needed");
        if (!words.empty())
            parameters.push_back({words[0], words[1], number});
    }
    return parameters;
}

/// Reads `key = value`.
std::vector<Parameter> changa_lines(const std::string& file, const std::string& text)
{
    std::vector<Parameter> parameters;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        const std::string content = content_of(line, "#!");
        const std::size_t equals = content.find('=');
        if (content.empty())
            continue;
        if (equals == content.npos || equals == 0 || equals + 1 == content.size())
            refuse_line(file, number, content, "'key = value' is needed");
        parameters.push_back({trimmed(content.substr(0, equals)),
                              unquoted(trimmed(content.substr(equals + 1))), number});
    }
    return parameters;
}

/// Reads lines `key: value` in sections. Section names begin in column 1.
std::vector<Parameter> swift_lines(const std::string& file, const std::string& text)
{
    std::vector<Parameter> parameters;
    std::string section;
    int number = 0;
    for (const std::string& line : lines_of(text)) {
        ++number;
        const std::string content = content_of(line, "#");
        const std::size_t colon = content.find(':');
        if (content.empty() || content == "---" || content == "...")
            continue;
        if (colon == content.npos || colon == 0)
            refuse_line(file, number, content, "'key: value' is needed");
        const std::string key = trimmed(content.substr(0, colon)),
                          value = unquoted(trimmed(content.substr(colon + 1)));
        if (line[0] != ' ' && line[0] != '\t')
            section = key + ":";
        else if (!value.empty())
            parameters.push_back({section + key, value, number});
    }
    return parameters;
}

/// Reads options from a command line that may span several lines.
std::vector<Parameter> bonsai_lines(const std::string& file, const std::string& text)
{
    constexpr std::pair<char, const char*> letters[] = {
        {'i', "infile"}, {'f', "bonsaifile"}, {'t', "dt"},    {'T', "tend"},
        {'I', "iend"},   {'e', "eps"},        {'o', "theta"}, {'r', "rebuild"}};
    std::vector<Parameter> parameters;
    int number = 0;
    bool before = text.find("bonsai") != text.npos; // mpirun and its options
    for (const std::string& line : lines_of(text)) {
        ++number;
        for (const std::string& word : words_of(content_of(line, "#|>\\"))) {
            if (before) {
                before = word.find("bonsai") == word.npos;
                continue;
            }
            const bool is_number = parsed_number<double>(word).has_value();
            if (word[0] == '-' && !is_number) {
                std::string key = word.substr(word.find_first_not_of('-') == word.npos
                                                  ? word.size()
                                                  : word.find_first_not_of('-'));
                if (word.size() == 2)
                    for (const auto& [letter, name] : letters)
                        if (key[0] == letter)
                            key = name;
                parameters.push_back({key, "", number});
            } else if (parameters.empty() || !parameters.back().value.empty()) {
                if (word != "2")
                    refuse_line(file, number, word, "an option of Bonsai is needed before it");
            } else {
                parameters.back().value = word;
            }
        }
    }
    for (Parameter& parameter : parameters)
        if (parameter.value.empty())
            parameter.value = "yes";
    return parameters;
}

Translation translated(const std::string& file, const std::string& text, const GivenOptions& given)
{
    std::string first;
    for (const std::string& line : lines_of(text))
        if (first.empty())
            first = content_of(line, "%#!;");
    const std::vector<std::string> words = words_of(first);
    if (!words.empty() &&
        (words[0][0] == '-' || first.find("bonsai") != first.npos || words[0] == "mpirun")) {
        ParameterFile parameters(file, bonsai_lines(file, text), given);
        return translate_bonsai(parameters);
    }
    if (words.size() == 1 && first.back() == ':') {
        ParameterFile parameters(file, swift_lines(file, text), given);
        return translate_swift(parameters);
    }
    if (first.find('=') != first.npos) {
        ParameterFile parameters(file, changa_lines(file, text), given);
        return translate_changa(parameters);
    }
    if (words.size() < 2)
        throw Error(Fault::usage, "--parameters: " + file +
                                      ": is no parameter file of GADGET (key value), ChaNGa (key "
                                      "= value), SWIFT (sections of key: value) or Bonsai (its "
                                      "command line)");
    ParameterFile parameters(file, gadget_lines(file, text), given);
    return translate_gadget(parameters);
}

} // namespace

Translation read_parameters(const std::string& file, const GivenOptions& given)
{
    Translation translation =
        translated(file, read_option_file("--parameters", file, "a parameter file"), given);
    std::vector<ConfigLine> kept;
    for (const ConfigLine& line : translation.options) {
        const auto by =
            std::find_if(std::begin(displaced), std::end(displaced), [&](const auto& row) {
                const std::vector<std::string> replaced = words_of(row.replaced);
                return given.contains(row.given) &&
                       std::find(replaced.begin(), replaced.end(), line.key) != replaced.end();
            });
        if (by == std::end(displaced))
            kept.push_back(line);
        else
            translation.displaced.emplace_back(line, by->given);
    }
    translation.options = kept;
    return translation;
}

std::vector<double> read_output_list(const std::string& place, const std::string& file)
{
    record_input(file);
    std::vector<double> times;
    int number = 0;
    for (const std::string& line : lines_of(read_option_file(place, file, "a list of times"))) {
        ++number;
        const std::string content = content_of(line, "%#;");
        if (content.empty())
            continue;
        const std::string word = content.substr(0, content.find_first_of(" \t,"));
        const std::optional<double> time = parsed_number<double>(word);
        if (!time)
            refuse_line(file, number, word, "a number is needed");
        times.push_back(*time);
    }
    return times;
}

} // namespace chamomile::app
