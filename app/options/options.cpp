#include "app/options/options.hpp"

#include <algorithm>

#include <boost/program_options.hpp>

#include "app/command_files.hpp"
#include "app/options/config_file.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/nearest_name.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile::app {

namespace po = boost::program_options;

namespace {

/// Returns the text that follows an option; for a flag, which has none, it is "true".
std::string value_of(const po::option& option)
{
    if (option.value.empty())
        return "true";
    if (option.value.front().starts_with("--"))
        throw Error(Fault::usage, "--" + option.string_key + ": needs a value");
    return option.value.front();
}

} // namespace

Options::Options(std::string command, std::string summary)
    : command_(std::move(command)), summary_(std::move(summary))
{
    group("Common options");
    text("config", "FILE.ini", config_,
         "options from a file of lines 'name = value'; a comment begins with a '#' at the start of "
         "a line or after a blank");
    number("threads", threads_, between(1, most_threads), "host threads; all cores unless given");
    flag("quiet,q", quiet_, "print results and errors only");
    flag("verbose,v", verbose_, "print more");
    flag("help,h", help_, "print this and stop");
    group("Options");
}

void Options::positional(const std::string& metavar, std::string& value, const std::string& help,
                         Need need)
{
    positionals_.push_back({metavar, help, &value, need});
}

void Options::positional(const std::string& metavar, std::vector<std::string>& values,
                         const std::string& help)
{
    positional(metavar, first_of_rest_, help);
    rest_ = &values;
}

void Options::group(const std::string& title)
{
    group_ = title;
}

Options::Entry& Options::add(const std::string& name, const std::string& metavar,
                             const std::string& help)
{
    const std::size_t comma = name.find(',');
    Entry entry;
    entry.name = name.substr(0, comma);
    entry.letter = comma == name.npos ? "" : name.substr(comma + 1);
    entry.metavar = metavar;
    entry.help = help;
    entry.group = group_;
    std::erase_if(entries_, [&](const Entry& other) { return other.name == entry.name; });
    entries_.push_back(std::move(entry));
    return entries_.back();
}

void Options::flag(const std::string& name, bool& value, const std::string& help)
{
    Entry& entry = add(name, "", help);
    entry.is_flag = true;
    entry.store = [&value](const std::string& option, const std::string& text) {
        if (text != "true" && text != "false")
            refuse_word(option, text, {"true", "false"});
        value = text == "true";
    };
    entry.show = [&value] { return value ? "true" : "false"; };
}

void Options::text(const std::string& name, const std::string& metavar, std::string& value,
                   const std::string& help)
{
    Entry& entry = add(name, metavar, help);
    entry.store = [&value, metavar](const std::string& option, const std::string& text) {
        if (text.empty())
            throw Error(Fault::usage, option + ": (empty): a " + metavar + " is needed");
        value = text;
    };
    entry.show = [&value] { return value; };
}

void Options::texts(const std::string& name, const std::string& metavar,
                    std::vector<std::string>& values, const std::string& help,
                    std::vector<std::string> words)
{
    Entry& entry = add(name, metavar, help);
    entry.store = [&values, words](const std::string& option, const std::string& text) {
        values.clear();
        std::size_t start = 0;
        while (start <= text.size()) {
            const std::size_t comma = std::min(text.find(',', start), text.size());
            values.push_back(text.substr(start, comma - start));
            start = comma + 1;
            if (values.back().empty())
                throw Error(Fault::usage, option + ": " + text + ": a name is missing");
            if (!words.empty() &&
                std::find(words.begin(), words.end(), values.back()) == words.end())
                refuse_word(option, values.back(), words);
        }
    };
    entry.show = [&values] { return joined(values); };
}

std::string joined(const std::vector<std::string>& texts)
{
    std::string list;
    for (const std::string& text : texts)
        list += (list.empty() ? "" : ",") + text;
    return list;
}

GivenOptions Options::asked() const
{
    GivenOptions names;
    for (const auto& [name, text] : given_)
        if (const Entry* entry = find(name); !entry || !entry->is_flag || text != "false")
            names.insert(name);
    return names;
}

const Options::Entry* Options::find(const std::string& long_name) const
{
    for (const Entry& entry : entries_)
        if (entry.name == long_name)
            return &entry;
    return nullptr;
}

std::vector<std::string> Options::long_names() const
{
    std::vector<std::string> names;
    for (const Entry& entry : entries_)
        names.push_back(entry.name);
    return names;
}

/// Records the value of one option; a second value of the same option must be equal.
void Options::put(Values& values, const std::string& source, const std::string& name,
                  const std::string& text) const
{
    const auto [place, is_new] = values.emplace(name, text);
    if (!is_new && place->second != text)
        throw Error(Fault::usage, source + name + ": given twice, as " + place->second + " and " +
                                      text + "; give it once");
}

Options::Values Options::read_arguments()
{
    po::options_description known;
    for (const Entry& entry : entries_) {
        const std::string name = entry.spelling();
        if (entry.is_flag)
            known.add_options()(name.c_str(), "");
        else
            known.add_options()(name.c_str(), po::value<std::string>(), "");
    }
    Values values;
    std::vector<std::string> places;
    try {
        const auto style =
            po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        const auto parsed = po::command_line_parser(arguments_).options(known).style(style).run();
        for (const auto& option : parsed.options) {
            if (option.position_key >= 0)
                places.insert(places.end(), option.value.begin(), option.value.end());
            else
                put(values, "--", option.string_key, value_of(option));
        }
    } catch (const po::unknown_option& error) {
        std::string name = error.get_option_name();
        name.erase(0, name.find_first_not_of('-'));
        const std::string nearest = nearest_name(name, long_names());
        throw Error(Fault::usage,
                    error.get_option_name() + ": unknown option" +
                        (nearest.empty() ? "" : "; did you mean '--" + nearest + "'?") + "; '" +
                        program_name + " " + command_ + " --help' lists all");
    } catch (const po::invalid_command_line_syntax& error) {
        const bool extra = error.kind() == po::invalid_command_line_syntax::extra_parameter;
        throw Error(Fault::usage,
                    error.get_option_name() + (extra ? ": takes no value" : ": needs a value"));
    } catch (const po::error& error) {
        throw Error(Fault::usage, error.what());
    }
    if (values.contains("help"))
        return values;
    if (places.size() > positionals_.size() && !rest_)
        throw Error(Fault::usage, places[positionals_.size()] + ": one argument too many; " + "'" +
                                      program_name + " " + command_ +
                                      " --help' tells which are taken");
    std::string missing;
    for (std::size_t k = 0; k < positionals_.size(); ++k) {
        if (k < places.size() && places[k].empty())
            throw Error(Fault::usage, positionals_[k].metavar + ": (empty): is needed");
        if (k < places.size())
            *positionals_[k].value = places[k];
        else if (positionals_[k].need == Need::required)
            missing += " " + positionals_[k].metavar;
    }
    if (!missing.empty())
        throw Error(Fault::usage, command_ + ": missing:" + missing + "; '" + program_name + " " +
                                      command_ + " --help' tells more");
    if (rest_)
        rest_->assign(places.begin() + std::ptrdiff_t(positionals_.size()) - 1, places.end());
    return values;
}

Options::Values Options::read_config(const std::string& file) const
{
    Values values;
    note_input(file);
    for (const ConfigLine& line : read_config_file(file)) {
        const Entry* entry = find(line.key);
        if (!entry || line.key == "config" || line.key == "help")
            throw Error(Fault::usage, line.place + ": " + line.key + ": unknown option" +
                                          suggestion(line.key, long_names()));
        put(values, line.place + ": ", line.key, line.value);
    }
    return values;
}

void Options::store(const Values& values, const std::string& prefix)
{
    for (const Entry& entry : entries_)
        if (const auto value = values.find(entry.name); value != values.end())
            entry.store(prefix + entry.name, value->second);
}

bool Options::parse(const std::vector<std::string>& arguments)
{
    arguments_ = arguments;
    for (const Entry& entry : entries_)
        defaults_[entry.name] = entry.show();
    given_ = read_arguments();
    if (given_.contains("help")) {
        print_help();
        return false;
    }
    if (const auto file = given_.find("config"); file != given_.end()) {
        Values rest = read_config(file->second);
        for (const auto& [name, text] : given_)
            rest.erase(name);
        store(rest, file->second + ": ");
        store(given_, "--");
        given_.merge(rest);
    } else {
        store(given_, "--");
    }
    if (quiet_ && verbose_)
        throw Error(Fault::usage, "--quiet: contradicts --verbose");
    if (threads_)
        use_threads(*threads_);
    start_threads();
    return true;
}

void Options::adopt(const Values& earlier, const std::vector<std::string>& may_change)
{
    const auto is_free = [&](const std::string& name) {
        return std::find(may_change.begin(), may_change.end(), name) != may_change.end();
    };
    for (const Entry& entry : entries_) {
        const auto then = earlier.find(entry.name);
        const auto now = given_.find(entry.name);
        if (now == given_.end()) {
            if (then != earlier.end())
                entry.store("--" + entry.name, then->second);
            continue;
        }
        if (is_free(entry.name))
            continue;
        std::string meant = defaults_[entry.name];
        if (then != earlier.end()) {
            entry.store("--" + entry.name, then->second);
            meant = entry.show();
        }
        entry.store("--" + entry.name, now->second);
        if (entry.show() == meant)
            continue;
        throw Error(Fault::restart, "--" + entry.name + ": " + now->second +
                                        ": cannot change in a run that goes on; it was " +
                                        (meant.empty() ? "not given" : meant));
    }
    for (const auto& [name, text] : earlier)
        given_.emplace(name, text);
}

Verbosity Options::verbosity() const
{
    return quiet_ ? Verbosity::quiet : verbose_ ? Verbosity::verbose : Verbosity::normal;
}

std::string Options::command_line() const
{
    std::string line = program_name + " " + command_;
    for (const std::string& argument : arguments_) {
        const bool plain = !argument.empty() &&
                           argument.find_first_of(" \t\n'\"\\$&|;<>()*?`#~!{}[]") == argument.npos;
        std::string quoted;
        for (char c : argument)
            quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
        line += plain ? " " + argument : " '" + quoted + "'";
    }
    return line;
}

std::vector<std::pair<std::string, std::string>> Options::values() const
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const Entry& entry : entries_)
        if (entry.group != "Common options")
            all.emplace_back(entry.name, entry.show());
    return all;
}

} // namespace chamomile::app
