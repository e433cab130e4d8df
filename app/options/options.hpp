/// \file  Arguments and options of a subcommand.
///
/// How to add a command NAME: write app/NAME.cpp with the function declared in app/command.hpp and
/// a row in app/main.cpp.
///
///     struct Request {
///         std::string file;
///         double theta = SolverOptions().theta;           // the library's default
///     };
///
///     int info(const std::vector<std::string>& arguments)
///     {
///         Request request;
///         Options options("info", "Tells what is in a snapshot.");
///         options.positional("FILE", request.file, "the snapshot");
///         OptionRows<Request> rows;                       // core/options/option_row.hpp
///         rows.group("Forces");
///         rows.number("theta", &Request::theta, ranges::positive, "opening angle");
///         options.add(rows.take(), request);
///         if (!options.parse(arguments))
///             return 0;                                   // --help was given
///         ...                                             // throw Error(Fault::..., one line)
///         return 0;
///     }
///
/// Each option is bound to a variable. The variable's value at binding is the default shown by
/// --help; parse() overwrites it. app/options/solver_options.hpp has the force options, and
/// core/text/table.hpp prints tables on standard output. Every command also takes --config
/// FILE.ini, --threads, --quiet/-q, --verbose/-v, --help/-h and --help-all. Only commands print to
/// standard output.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/options/command_page.hpp"
#include "app/options/config_file.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/run/journal.hpp"

namespace chamomile::app {

enum class Need { required, optional };

/// Options declares and reads the arguments and options of a subcommand.
class Options {
public:
    /// `summary` is the first paragraph of --help.
    Options(std::string command, std::string summary);

    /// Adds the next positional argument, in call order.
    void positional(const std::string& metavar, std::string& value, const std::string& help,
                    Need need = Need::required);
    /// Adds all remaining arguments, at least one. Must be the last positional() call.
    void positional(const std::string& metavar, std::vector<std::string>& values,
                    const std::string& help);

    /// Adds an option by its row, bound to `settings`. It replaces an option of the same name: a
    /// command may bind a common option to a member of its own.
    template <class Settings>
    void add(const OptionRow<Settings>& row, std::type_identity_t<Settings>& settings)
    {
        bind(
            row,
            [put = row.put, &settings](const std::string& option, const std::string& text) {
                put(settings, option, text);
            },
            [text = row.text, &settings] { return text(settings); });
    }
    /// Adds the options of a table.
    template <class Settings>
    void add(const std::vector<OptionRow<Settings>>& rows, std::type_identity_t<Settings>& settings)
    {
        for (const auto& row : rows)
            add(row, settings);
    }

    /// Adds an option for a file in another code's format: `read` translates it to --config lines.
    /// `given` names options from arguments and --config, and positional arguments such as FILE;
    /// they override the file.
    using ForeignReader =
        std::function<std::vector<ConfigLine>(const std::string& file, const GivenOptions& given)>;
    void translate(std::string name, ForeignReader read);

    /// Selects the options that --help lists; --help-all lists all. Call it after all options,
    /// before parse(). Without this call, --help lists all.
    void common(const std::vector<std::string>& names);

    /// Call before parse() if the command calls set_units(): quantities may then have units, as in
    /// --eps 50pc. Until set_units(), a variable holds the number before the unit.
    void expect_units() { expects_units_ = true; }

    /// Converts quantities with units to particle units and stores them as given values. Throws
    /// Error(usage) if the particles have no units.
    void set_units(const UnitFrame& frame);
    /// Replaces an option's value. Throws Error(usage).
    void replace(const std::string& name, const std::string& text);
    /// Returns whether a quantity was given with a unit.
    bool has_units() const { return !quantities_.empty(); }
    /// Returns a line per quantity, such as "--t-end 1 Gyr = 1.0227". Call set_units() first.
    std::vector<std::string> quantities() const;
    /// Returns quantities with units by option name, as typed.
    const std::map<std::string, std::string>& typed_quantities() const { return quantities_; }

    /// Reads the arguments, then the --config file for options not yet given. Returns false if
    /// --help or --help-all was given and printed. Throws Error(usage) for the first error.
    bool parse(const std::vector<std::string>& arguments);

    /// Returns an option as it is typed, such as "--theta" or "--set frames.every".
    std::string typed(const std::string& name) const;

    /// Returns whether arguments or the --config file contain the option.
    bool given(const std::string& name) const { return given_.contains(name); }

    /// Returns the options in arguments and file, with their texts.
    const std::map<std::string, std::string>& given_values() const { return given_; }
    /// Returns the given option names, without flags given as false.
    GivenOptions asked() const;

    /// Adopts options from an earlier call unless given now; they count as given. Throws
    /// Error(restart) for the first option in this call that may not change and differs from its
    /// earlier value or, if not given then, from its default.
    void adopt(const std::map<std::string, std::string>& earlier,
               const std::vector<std::string>& may_change);

    Verbosity verbosity() const;
    const std::string& command() const { return command_; }

    /// Returns the description for --help, manual and completions.
    CommandPage page() const;

    /// Returns the command line as typed, for provenance.
    std::string command_line() const;

    /// Returns every option with its current value, in --help order.
    std::vector<std::pair<std::string, std::string>> values() const;

private:
    using Values = std::map<std::string, std::string>; ///< texts by name
    using Store = std::function<void(const std::string& option, const std::string& text)>;
    using Show = std::function<std::string()>;

    struct Entry : PageOption {
        Store store;
        Show show;
    };
    struct Positional {
        PageArgument page;
        std::string* value;
    };
    /// The options of every command.
    struct Common {
        std::string config;
        std::optional<int> threads;
        bool quiet = false, verbose = false, help = false;
        std::vector<std::string> settings; ///< of --set; read_arguments() takes them
    };

    void bind(const OptionTerms& terms, Store store, Show show);
    const Entry* find(const std::string& name) const;
    const Entry* find_key(const std::string& key) const;
    const Entry* nearest(const std::string& name) const;
    Values read_arguments();
    std::vector<std::string> with_numbers_left_out() const;
    std::pair<const Entry*, std::string> read_setting(const std::string& text) const;
    Values read_config(const std::string& file) const;
    void parse_foreign(const std::string& file);
    void store(const Values& values, const std::string& place);
    void store_one(const Entry& entry, const std::string& option, const std::string& text);

    std::string command_, summary_;
    Values defaults_; ///< as shown by --help
    std::vector<Entry> entries_;
    std::vector<Positional> positionals_;
    std::vector<std::string>* rest_ = nullptr; ///< receives arguments after the last positional
    std::string first_of_rest_;
    std::vector<std::string> arguments_;
    Values given_;
    Values quantities_; ///< quantities with units, as given
    bool expects_units_ = false;
    std::string foreign_; ///< the option that names a file of options in other words
    ForeignReader read_foreign_;
    Common common_;
};

} // namespace chamomile::app
