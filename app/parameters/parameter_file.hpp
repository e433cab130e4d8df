/// \file  Translates parameter files from other codes into options for `run`.
///
/// A table in app/parameters/CODE.cpp lists the keys of each code. The code's functions compute
/// options that depend on several keys or on a formula. Every value then goes through the option's
/// own reader, like a line in the --config file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/options/config_file.hpp"
#include "chamomile/core/options/option_row.hpp"

namespace chamomile::app {

/// The effect of a key.
enum class Meaning {
    option,  ///< value of an option
    read,    ///< read by the code's function
    nothing, ///< no effect: file names and numbers, memory, gas parameters
    refused  ///< switches on unsupported physics
};

/// A ParameterRow is one key of a code. A key ending in ":" matches a whole section.
struct ParameterRow {
    const char* key;
    Meaning meaning;
    const char* plain = nullptr;    ///< option in plain time; null: no effect
    const char* comoving = nullptr; ///< option for comoving runs
};

/// A Translation holds the options translated from a parameter file.
struct Translation {
    std::string file, code;
    std::vector<ConfigLine> options; ///< "FILE" is the initial conditions
    /// Options dropped because the user gave a conflicting option, and the conflicting option.
    std::vector<std::pair<ConfigLine, std::string>> displaced;
    std::vector<std::string> idle; ///< known keys without effect
    std::vector<std::string> unknown;
    std::map<int, std::string> unsoftened; ///< types with softening 0, and their keys

    /// Returns the log lines; `replaced` holds options given in addition to the file.
    std::vector<std::string> lines(const GivenOptions& replaced) const;
    /// Returns a note on unknown keys, or "".
    std::string note() const;
};

/// A ParameterFile holds the keys and values of a parameter file.
class ParameterFile {
public:
    /// A Parameter is a key with value and line number.
    struct Parameter {
        std::string key, value;
        int line;
    };

    /// Throws Error(usage) if a key appears twice with different values. `given` holds options
    /// given in addition to the file, with "FILE" for the initial conditions.
    ParameterFile(std::string file, std::vector<Parameter> parameters, GivenOptions given);

    const std::string& name() const { return file_; }
    bool has(const std::string& key) const { return find(key) != nullptr; }
    bool is_given(const std::string& option) const { return given_.contains(option); }
    /// Returns "file: line: key".
    std::string place(const std::string& key) const;
    /// Returns the value as written, or "".
    std::string text(const std::string& key) const;
    /// Returns the key's number, if present. Throws Error(usage).
    std::optional<double> number(const std::string& key) const;
    /// Returns the number, and refuses a file without the key.
    double needed(const std::string& key, const std::string& because) const;
    /// Returns whether the key exists and is neither 0 nor "no" or "false".
    bool is_on(const std::string& key) const;
    /// Throws Error(usage) "file: line: key: value: needed".
    [[noreturn]] void refuse(const std::string& key, const std::string& needed) const;

    /// Sets an option derived from the key.
    void give(const std::string& key, const std::string& option, const std::string& text);
    void give(const std::string& key, const std::string& option, double value);

    /// Sets --units from cgs units, per h in comoving runs; otherwise multiplies in the units' h.
    void give_units(const std::string& key, double length, double mass, double velocity,
                    std::optional<double> per_hubble);
    /// A TypedLength is the softening for a particle type and its key.
    struct TypedLength {
        std::string key;
        double length, largest_physical; ///< the latter 0: no limit
    };
    /// Sets --eps, or --eps-type if types differ; --eps-max in comoving runs; and the spline.
    void give_softenings(const std::map<int, TypedLength>& types, bool comoving);
    /// An OutputPlan holds the first output and the interval: a difference, or a factor in comoving
    /// runs.
    struct OutputPlan {
        std::string key;
        double begin, end, first, interval;
    };
    void give_outputs(const OutputPlan& plan, bool comoving);
    /// Sets the listed times within the run. `option` is --output-times, --outputs-a or
    /// --outputs-z.
    void give_listed(const std::string& key, const std::string& option, std::vector<double> times,
                     double begin, double end);

    /// Sets options from the rows, and returns all options.
    template <std::size_t N>
    Translation translated(const std::string& code, const ParameterRow (&rows)[N], bool comoving)
    {
        return translated(code, {rows, rows + N}, comoving);
    }

private:
    const Parameter* find(const std::string& key) const;
    Translation translated(const std::string& code, const std::vector<ParameterRow>& rows,
                           bool comoving);

    std::string file_;
    std::vector<Parameter> parameters_;
    GivenOptions given_;
    mutable std::set<std::string> asked_; ///< keys read so far
    Translation translation_;
};

/// Sets --potential for each SWIFT section with an external potential. Throws Error(usage) for
/// parameters that --potential does not support.
void give_swift_potentials(ParameterFile& file);

// The codes.
Translation translate_gadget(ParameterFile& file);
Translation translate_changa(ParameterFile& file);
Translation translate_swift(ParameterFile& file);
Translation translate_bonsai(ParameterFile& file);

/// Returns the options translated from a file. Drops options that conflict with a given option.
/// Throws Error(usage) for a missing or contradictory file, and for unsupported physics.
Translation read_parameters(const std::string& file, const GivenOptions& given);

/// Returns output times from a list file: the first word per line, without comments. `place` names
/// the list in errors.
std::vector<double> read_output_list(const std::string& place, const std::string& file);

} // namespace chamomile::app
