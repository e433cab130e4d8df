#include "app/options/options.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include <boost/program_options.hpp>

#include "app/command_files.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::app {

namespace po = boost::program_options;

namespace {

/// Returns the text after an option; "true" for a flag.
std::string value_of(const po::option& option)
{
    if (option.value.empty())
        return "true";
    if (option.value.front().starts_with("--"))
        throw Error(Fault::usage, "--" + option.string_key + ": needs a value");
    return option.value.front();
}

/// Returns how an error names an option given in a place, such as "run.ini: line 3: ", or on the
/// command line if there is none.
std::string named(const OptionTerms& option, const std::string& place)
{
    return place.empty() ? option.typed() : place + option.key();
}

/// Records the text of one option; a second text must be equal.
void put(std::map<std::string, std::string>& values, const std::string& place,
         const OptionTerms& option, const std::string& text)
{
    const auto [known, is_new] = values.emplace(option.name, text);
    if (!is_new && option.repeats)
        known->second += ";" + text;
    else if (!is_new && known->second != text)
        throw Error(Fault::usage, named(option, place) + ": given twice, as " + known->second +
                                      " and " + text + "; give it once");
}

} // namespace

Options::Options(std::string command, std::string summary)
    : command_(std::move(command)), summary_(std::move(summary))
{
    OptionRows<Common> rows;
    rows.group(common_group);
    rows.text("config", &Common::config, "FILE.ini",
              "options from a file of lines 'name = value'; a comment begins with a '#' at the "
              "start of a line or after a blank");
    rows.number("threads", &Common::threads, ranges::between(1, max_threads),
                "host threads; all cores unless given, with a GPU at most 32");
    rows.flag("quiet,q", &Common::quiet, "print results and errors only");
    rows.flag("verbose,v", &Common::verbose, "print more");
    rows.flag("help,h", &Common::help, "print the common options and stop");
    rows.flag("help-all", &Common::help, "print all options and stop");
    add(rows.take(), common_);
}

void Options::positional(const std::string& metavar, std::string& value, const std::string& help,
                         Need need)
{
    positionals_.push_back({{metavar, help, need == Need::required}, &value});
}

void Options::positional(const std::string& metavar, std::vector<std::string>& values,
                         const std::string& help)
{
    positional(metavar, first_of_rest_, help);
    rest_ = &values;
}

void Options::bind(const OptionTerms& terms, Store store, Show show)
{
    if (!terms.setting.empty() && !find("set")) {
        OptionRows<Common> rows;
        rows.group(common_group);
        rows.repeated("set", &Common::settings, "SECTION.KEY=VALUE",
                      "a rare option; in a file of --config KEY = VALUE below [SECTION]");
        rows.flag("help-settings", &Common::help, "print these settings and stop");
        add(rows.take(), common_);
    }
    std::erase_if(entries_, [&](const Entry& other) { return other.name == terms.name; });
    entries_.push_back({{terms}, std::move(store), std::move(show)});
    Entry& entry = entries_.back();
    if (!entry.setting.empty())
        entry.group = "[" + entry.setting.substr(0, entry.setting.find('.')) + "]";
    else if (entry.group.empty())
        entry.group = "Options";
    entry.help = spelled(entry.help, command_line_spelling());
}

void Options::translate(std::string name, ForeignReader read)
{
    foreign_ = std::move(name);
    read_foreign_ = std::move(read);
}

void Options::common(const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        typed(name); // which must be there
    for (Entry& entry : entries_)
        entry.is_common =
            std::find(names.begin(), names.end(), entry.name) != names.end() ||
            (entry.group == common_group && entry.name != "set" && entry.name != "help-settings");
}

GivenOptions Options::asked() const
{
    GivenOptions names;
    for (const auto& [name, text] : given_)
        if (const Entry* entry = find(name); !entry || !entry->is_flag() || text != "false")
            names.insert(name);
    return names;
}

const Options::Entry* Options::find(const std::string& name) const
{
    for (const Entry& entry : entries_)
        if (entry.name == name)
            return &entry;
    return nullptr;
}

const Options::Entry* Options::find_key(const std::string& key) const
{
    for (const Entry& entry : entries_)
        if (entry.key() == key)
            return &entry;
    return nullptr;
}

/// Returns the option whose name or key is nearest, or null.
const Options::Entry* Options::nearest(const std::string& name) const
{
    std::vector<std::string> known;
    for (const Entry& entry : entries_) {
        known.push_back(entry.name);
        if (!entry.setting.empty())
            known.push_back(entry.setting);
    }
    const std::string found = nearest_name(name, known);
    const Entry* entry = find_key(found);
    return entry ? entry : find(found);
}

std::string Options::typed(const std::string& name) const
{
    if (const Entry* entry = find(name))
        return entry->typed();
    throw std::logic_error("--" + name + ": is no option of " + command_);
}

/// Returns the arguments with a stand-in value for each omitted optional number. The next
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
        if (!entry || !entry->may_lack_number)
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
        if (!entry.setting.empty())
            continue;
        const std::string name = entry.name + (entry.letter.empty() ? "" : ",") + entry.letter;
        if (entry.is_flag())
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
            else if (option.string_key != "set")
                put(values, "", *find(option.string_key), value_of(option));
            else if (const auto [entry, text] = read_setting(value_of(option)); entry)
                put(values, "", *entry, text);
        }
    } catch (const po::unknown_option& error) {
        std::string name = error.get_option_name();
        name.erase(0, name.find_first_not_of('-'));
        const Entry* meant = nearest(name);
        throw Error(Fault::usage, error.get_option_name() + ": unknown option" +
                                      (meant ? "; did you mean '" + meant->typed() + "'?" : "") +
                                      "; '" + program_name + " " + command_ +
                                      " --help-all' lists all");
    } catch (const po::invalid_command_line_syntax& error) {
        const bool extra = error.kind() == po::invalid_command_line_syntax::extra_parameter;
        throw Error(Fault::usage,
                    error.get_option_name() + (extra ? ": takes no value" : ": needs a value"));
    } catch (const po::error& error) {
        throw Error(Fault::usage, error.what());
    }
    if (values.contains("help") || values.contains("help-all") || values.contains("help-settings"))
        return values;
    if (places.size() > positionals_.size() && !rest_)
        throw Error(Fault::usage, places[positionals_.size()] + ": one argument too many; '" +
                                      program_name + " " + command_ +
                                      " --help-all' tells which are taken; several values of an "
                                      "option are one word with commas, such as 9,3,1");
    std::string missing;
    for (std::size_t k = 0; k < positionals_.size(); ++k) {
        if (k < places.size() && places[k].empty())
            throw Error(Fault::usage, positionals_[k].page.metavar + ": (empty): is required");
        if (k < places.size())
            *positionals_[k].value = places[k];
        else if (positionals_[k].page.is_required)
            missing += " " + positionals_[k].page.metavar;
    }
    if (!missing.empty())
        throw Error(Fault::usage, command_ + ": missing:" + missing + "; '" + program_name + " " +
                                      command_ + " --help-all' tells more");
    if (rest_)
        rest_->assign(places.begin() + std::ptrdiff_t(positionals_.size()) - 1, places.end());
    return values;
}

/// Returns the setting of --set and its text.
std::pair<const Options::Entry*, std::string> Options::read_setting(const std::string& text) const
{
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    const Entry* entry = find_key(key);
    if (!entry || entry->setting.empty()) {
        const Entry* meant = nearest(key);
        throw Error(Fault::usage, "--set " + key + ": unknown setting" +
                                      (meant ? "; did you mean '" + meant->typed() + "'?" : "") +
                                      "; '" + program_name + " " + command_ +
                                      " --help-settings' lists all");
    }
    if (equals == text.npos && !entry->is_flag())
        throw Error(Fault::usage,
                    entry->typed() + ": needs a value, as in " + entry->typed(entry->values));
    return {entry, equals == text.npos ? "true" : text.substr(equals + 1)};
}

Options::Values Options::read_config(const std::string& file) const
{
    Values values;
    record_input(file);
    for (const ConfigLine& line : read_config_file(file)) {
        const Entry* entry =
            line.section.empty() ? nullptr : find_key(line.section + "." + line.key);
        if (!entry)
            entry = find_key(line.key);
        if (!entry || entry->name == "config" || entry->name == "set" ||
            entry->name.starts_with("help")) {
            const Entry* meant = nearest(line.key);
            if (!meant)
                meant = nearest(line.section + "." + line.key);
            throw Error(Fault::usage, line.place + ": " + line.key + ": unknown option" +
                                          (meant ? "; did you mean '" + meant->key() + "'?" : ""));
        }
        put(values, line.place + ": ", *entry, line.value);
    }
    return values;
}

/// Sets options from the foreign file, unless given elsewhere.
void Options::parse_foreign(const std::string& file)
{
    record_input(file);
    GivenOptions before;
    for (const auto& [name, text] : given_)
        before.insert(name);
    for (const Positional& positional : positionals_)
        if (!positional.value->empty())
            before.insert(positional.page.metavar);
    for (const ConfigLine& line : read_foreign_(file, before)) {
        if (before.contains(line.key))
            continue;
        const auto argument =
            std::find_if(positionals_.begin(), positionals_.end(),
                         [&](const Positional& one) { return one.page.metavar == line.key; });
        if (argument != positionals_.end()) {
            *argument->value = line.value;
            continue;
        }
        const std::string option = line.place + ": " + typed(line.key);
        store_one(*find(line.key), option, line.value);
        given_[line.key] = line.value;
    }
}

void Options::store(const Values& values, const std::string& place)
{
    for (const Entry& entry : entries_)
        if (const auto value = values.find(entry.name); value != values.end())
            store_one(entry, named(entry, place), value->second);
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
    find(name)->store(typed(name), text);
}

void Options::set_units(const UnitFrame& frame)
{
    for (const auto& [name, text] : quantities_)
        replace(name, in_frame(typed(name), text, find(name)->dimension, frame));
}

std::vector<std::string> Options::quantities() const
{
    std::vector<std::string> lines;
    for (const auto& [name, text] : quantities_)
        lines.push_back(find(name)->typed(text) + " = " + given_.at(name));
    return lines;
}

bool Options::parse(const std::vector<std::string>& arguments)
{
    arguments_ = arguments;
    for (const Entry& entry : entries_)
        defaults_[entry.name] = entry.show();
    given_ = read_arguments();
    for (const auto& [name, extent] :
         {std::pair("help", Extent::common), std::pair("help-all", Extent::all),
          std::pair("help-settings", Extent::settings)})
        if (given(name)) {
            show_help(page(), extent);
            return false;
        }
    if (const auto file = given_.find("config"); file != given_.end()) {
        Values rest = read_config(file->second);
        for (const auto& [name, text] : given_)
            rest.erase(name);
        store(rest, file->second + ": ");
        store(given_, "");
        given_.merge(rest);
    } else {
        store(given_, "");
    }
    if (given(foreign_))
        parse_foreign(given_[foreign_]);
    if (common_.quiet && common_.verbose)
        throw Error(Fault::usage, "--quiet: contradicts --verbose");
    if (common_.threads)
        use_threads(*common_.threads);
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
                entry.store(entry.typed(), then->second);
            continue;
        }
        if (is_free(entry.name))
            continue;
        std::string meant = defaults_[entry.name];
        if (then != earlier.end()) {
            entry.store(entry.typed(), then->second);
            meant = entry.show();
        }
        entry.store(entry.typed(), now->second);
        if (entry.show() == meant)
            continue;
        const std::string usual = meant.empty() ? "" : " [" + meant + "]";
        const auto typed = quantities_.find(entry.name);
        throw Error(Fault::restart, entry.typed() + ": " +
                                        (typed == quantities_.end() ? now : typed)->second +
                                        ": cannot change in a run that goes on; it was " +
                                        (then == earlier.end() ? "not given" + usual : meant));
    }
    for (const auto& [name, text] : earlier)
        given_.emplace(name, text);
}

Verbosity Options::verbosity() const
{
    return common_.quiet     ? Verbosity::quiet
           : common_.verbose ? Verbosity::verbose
                             : Verbosity::normal;
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
            all.emplace_back(entry.key(), entry.show());
    return all;
}

CommandPage Options::page() const
{
    CommandPage page;
    page.command = command_;
    page.summary = summary_;
    for (const Positional& positional : positionals_)
        page.arguments.push_back(positional.page);
    page.repeats_last_argument = rest_ != nullptr;
    for (const Entry& entry : entries_) {
        page.options.push_back(entry);
        page.options.back().value = entry.is_flag() ? "" : entry.show();
    }
    const std::vector<std::string> titles = page.groups();
    const auto place = [&](const PageOption& option) {
        return std::tuple(!option.setting.empty(), option.group == common_group,
                          std::find(titles.begin(), titles.end(), option.group));
    };
    std::stable_sort(page.options.begin(), page.options.end(),
                     [&](const auto& a, const auto& b) { return place(a) < place(b); });
    return page;
}

} // namespace chamomile::app
