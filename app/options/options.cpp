#include "app/options/options.hpp"

#include <algorithm>

#include <boost/program_options.hpp>

#include "app/command_files.hpp"
#include "app/options/command_page.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile::app {

namespace po = boost::program_options;

namespace {

/// Placeholder for an omitted number.
const std::string any_number_text = "any";

/// Returns the text after an option; "true" for a flag.
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
    group(common_group);
    text("config", "FILE.ini", config_,
         "options from a file of lines 'name = value'; a comment begins with a '#' at the start of "
         "a line or after a blank");
    number("threads", threads_, between(1, max_threads),
           "host threads; all cores unless given, with a GPU at most 32");
    flag("quiet,q", quiet_, "print results and errors only");
    flag("verbose,v", verbose_, "print more");
    flag("help,h", help_, "print the common options and stop");
    flag("help-all", help_all_, "print all options and stop");
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
    entry.help = spelled(help, command_line_spelling);
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

void Options::repeated(const std::string& name, const std::string& metavar,
                       std::vector<std::string>& values, const std::string& help,
                       Dimension dimension)
{
    Entry& entry = add(name, metavar, help);
    entry.repeats = true;
    entry.dimension = dimension;
    entry.store = [&values](const std::string&, const std::string& text) {
        values.clear();
        for (std::size_t start = 0; start <= text.size();) {
            const std::size_t end = std::min(text.find(';', start), text.size());
            values.push_back(text.substr(start, end - start));
            start = end + 1;
        }
    };
    entry.show = [&values] {
        std::string list;
        for (const std::string& value : values)
            list.append(list.empty() ? "" : ";").append(value);
        return list;
    };
}

void Options::port(const std::string& name, std::optional<int>& value, const std::string& help)
{
    Entry& entry = add(name, "[PORT]", help);
    entry.has_optional_number = true;
    entry.store = [&value](const std::string& option, const std::string& text) {
        value = text == any_number_text ? 0 : parse_number<int>(option, text, between(1, 65535));
    };
    entry.show = [&value] {
        return !value ? "" : *value == 0 ? any_number_text : std::to_string(*value);
    };
}

void Options::foreign(const std::string& name, const std::string& help, ForeignReader read)
{
    text(name, "FILE", foreign_, help);
    read_foreign_ = std::move(read);
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

void Options::series(const std::string& name, std::vector<double>& values, Range range,
                     const std::string& help)
{
    numbers(name, values, range, help);
    Entry& entry = entries_.back();
    entry.metavar = "X,FIRST:LAST:STEP,...";
    entry.store = [&values, range](const std::string& option, const std::string& text) {
        values = parse_series(option, text, range);
    };
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

/// Records an option's value; a second value for the same option must be equal.
void Options::put(Values& values, const std::string& source, const std::string& name,
                  const std::string& text) const
{
    const auto [place, is_new] = values.emplace(name, text);
    const Entry* entry = find(name);
    if (!is_new && entry && entry->repeats)
        place->second += ";" + text;
    else if (!is_new && place->second != text)
        throw Error(Fault::usage, source + name + ": given twice, as " + place->second + " and " +
                                      text + "; give it once");
}

/// Returns the arguments with a placeholder value for each omitted optional number. The next
/// argument becomes the option's value only if it is a number.
std::vector<std::string> Options::with_numbers_left_out() const
{
    std::vector<std::string> whole;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
        whole.push_back(arguments_[k]);
        if (arguments_[k] == "--") {
            whole.insert(whole.end(), arguments_.begin() + std::ptrdiff_t(k) + 1, arguments_.end());
            break;
        }
        const Entry* entry =
            arguments_[k].starts_with("--") ? find(arguments_[k].substr(2)) : nullptr;
        if (!entry || !entry->has_optional_number)
            continue;
        const bool has_number =
            k + 1 < arguments_.size() && parsed_number<double>(arguments_[k + 1]).has_value();
        whole.back() += "=" + (has_number ? arguments_[++k] : any_number_text);
    }
    return whole;
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
        const auto parsed =
            po::command_line_parser(with_numbers_left_out()).options(known).style(style).run();
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
                        program_name + " " + command_ + " --help-all' lists all");
    } catch (const po::invalid_command_line_syntax& error) {
        const bool extra = error.kind() == po::invalid_command_line_syntax::extra_parameter;
        throw Error(Fault::usage,
                    error.get_option_name() + (extra ? ": takes no value" : ": needs a value"));
    } catch (const po::error& error) {
        throw Error(Fault::usage, error.what());
    }
    if (values.contains("help") || values.contains("help-all"))
        return values;
    if (places.size() > positionals_.size() && !rest_)
        throw Error(Fault::usage, places[positionals_.size()] + ": one argument too many; " + "'" +
                                      program_name + " " + command_ +
                                      " --help-all' tells which are taken");
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
                                      command_ + " --help-all' tells more");
    if (rest_)
        rest_->assign(places.begin() + std::ptrdiff_t(positionals_.size()) - 1, places.end());
    return values;
}

Options::Values Options::read_config(const std::string& file) const
{
    Values values;
    record_input(file);
    for (const ConfigLine& line : read_config_file(file)) {
        const Entry* entry = find(line.key);
        if (!entry || line.key == "config" || line.key == "help" || line.key == "help-all")
            throw Error(Fault::usage, line.place + ": " + line.key + ": unknown option" +
                                          suggestion(line.key, long_names()));
        put(values, line.place + ": ", line.key, line.value);
    }
    return values;
}

/// Sets options from the foreign file, unless given elsewhere.
void Options::parse_foreign()
{
    record_input(foreign_);
    GivenOptions before;
    for (const auto& [name, text] : given_)
        before.insert(name);
    for (const Positional& positional : positionals_)
        if (!positional.value->empty())
            before.insert(positional.metavar);
    for (const ConfigLine& line : read_foreign_(foreign_, before)) {
        if (before.contains(line.key))
            continue;
        const auto argument =
            std::find_if(positionals_.begin(), positionals_.end(),
                         [&](const Positional& one) { return one.metavar == line.key; });
        if (argument != positionals_.end()) {
            *argument->value = line.value;
            continue;
        }
        const Entry* entry = find(line.key);
        if (!entry)
            throw Error(Fault::usage,
                        line.place + ": needs --" + line.key + ", which is no option here");
        store_one(*entry, line.place + ": --" + line.key, line.value);
        given_[line.key] = line.value;
    }
}

void Options::store(const Values& values, const std::string& prefix)
{
    for (const Entry& entry : entries_)
        if (const auto value = values.find(entry.name); value != values.end())
            store_one(entry, prefix + entry.name, value->second);
}

/// Stores a text. For a quantity with a unit, stores the number only, until set_units().
void Options::store_one(const Entry& entry, const std::string& option, const std::string& text)
{
    if (entry.dimension.is_pure() || !has_unit(text))
        return entry.store(option, text);
    check_unit(option, text, entry.dimension);
    if (!expects_units_)
        refuse_unit(option, text, entry.dimension);
    if (text.find(':') == text.npos) // 1Myr:1Gyr:1Myr is not a series without its units
        entry.store(option, without_units(text));
    quantities_[entry.name] = text;
}

void Options::replace(const std::string& name, const std::string& text)
{
    given_[name] = text;
    find(name)->store("--" + name, text);
}

void Options::set_units(const UnitFrame& frame)
{
    for (const auto& [name, text] : quantities_) {
        given_[name] = in_frame("--" + name, text, find(name)->dimension, frame);
        find(name)->store("--" + name, given_[name]);
    }
}

std::vector<std::string> Options::quantities() const
{
    std::vector<std::string> lines;
    for (const auto& [name, text] : quantities_)
        lines.push_back("--" + name + " " + text + " = " + given_.at(name));
    return lines;
}

bool Options::parse(const std::vector<std::string>& arguments)
{
    arguments_ = arguments;
    for (const Entry& entry : entries_)
        defaults_[entry.name] = entry.show();
    given_ = read_arguments();
    if (given_.contains("help") || given_.contains("help-all")) {
        show_help(page(), given_.contains("help-all") ? Extent::all : Extent::common);
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
    if (!foreign_.empty())
        parse_foreign();
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
        const std::string usual = meant.empty() ? "" : " [" + meant + "]";
        const auto typed = quantities_.find(entry.name);
        throw Error(Fault::restart, "--" + entry.name + ": " +
                                        (typed == quantities_.end() ? now : typed)->second +
                                        ": cannot change in a run that goes on; it was " +
                                        (then == earlier.end() ? "not given" + usual : meant));
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
        if (entry.group != common_group)
            all.emplace_back(entry.name, entry.show());
    return all;
}

} // namespace chamomile::app
