#include "app/parameters/parameter_file.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile::app {
namespace {

std::string key_list(const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

std::string in_cm(double value, const char* unit)
{
    return number_text(value) + " " + unit;
}

} // namespace

ParameterFile::ParameterFile(std::string file, std::vector<Parameter> parameters,
                             GivenOptions given)
    : file_(std::move(file)), given_(std::move(given))
{
    for (Parameter& parameter : parameters) {
        const Parameter* earlier = find(parameter.key);
        if (earlier && earlier->value != parameter.value)
            throw Error(Fault::usage, file_ + ": line " + std::to_string(parameter.line) + ": " +
                                          parameter.key + ": given twice, as " + earlier->value +
                                          " and " + parameter.value);
        if (!earlier)
            parameters_.push_back(std::move(parameter));
    }
}

const ParameterFile::Parameter* ParameterFile::find(const std::string& key) const
{
    for (const Parameter& parameter : parameters_)
        if (parameter.key == key)
            return &parameter;
    return nullptr;
}

std::string ParameterFile::place(const std::string& key) const
{
    const Parameter* parameter = find(key);
    return file_ + ": " +
           (parameter ? "line " + std::to_string(parameter->line) + ": " : std::string()) + key;
}

std::string ParameterFile::text(const std::string& key) const
{
    asked_.insert(key);
    const Parameter* parameter = find(key);
    return parameter ? parameter->value : "";
}

std::optional<double> ParameterFile::number(const std::string& key) const
{
    asked_.insert(key);
    const Parameter* parameter = find(key);
    if (!parameter)
        return {};
    const std::optional<double> value = parsed_number<double>(parameter->value);
    if (!value || !std::isfinite(*value))
        refuse(key, "must be a number");
    return value;
}

double ParameterFile::needed(const std::string& key, const std::string& because) const
{
    const std::optional<double> value = number(key);
    if (!value)
        throw Error(Fault::usage, file_ + ": " + key + ": missing: " + because);
    return *value;
}

bool ParameterFile::is_on(const std::string& key) const
{
    const std::string value = text(key);
    if (const std::optional<double> number = parsed_number<double>(value))
        return *number != 0;
    return !value.empty() && value != "no" && value != "false" && value != "off";
}

void ParameterFile::refuse(const std::string& key, const std::string& needed) const
{
    const Parameter* parameter = find(key);
    throw Error(Fault::usage,
                place(key) + (parameter ? ": " + parameter->value : std::string()) + ": " + needed);
}

void ParameterFile::give(const std::string& key, const std::string& option, const std::string& text)
{
    translation_.options.push_back({option, text, place(key)});
}

void ParameterFile::give(const std::string& key, const std::string& option, double value)
{
    give(key, option, number_text(value));
}

void ParameterFile::give_units(const std::string& key, double length, double mass, double velocity,
                               std::optional<double> per_hubble)
{
    const double h = per_hubble.value_or(1);
    const char* per = per_hubble ? "" : "/h";
    give(key, "units",
         in_cm(length / h, "cm") + per + "," + in_cm(mass / h, "g") + per + "," +
             in_cm(velocity, "cm/s"));
}

void ParameterFile::give_softenings(const std::map<int, TypedLength>& types, bool comoving)
{
    std::string by_type;
    std::map<int, TypedLength> soft;
    for (const auto& [type, entry] : types) {
        if (entry.length < 0)
            refuse(entry.key, "must be a number >= 0");
        if (entry.length == 0) {
            translation_.unsoftened[type] = entry.key;
            continue;
        }
        soft.emplace(type, entry);
        by_type +=
            (by_type.empty() ? "" : ",") + std::to_string(type) + "=" + number_text(entry.length);
    }
    if (soft.empty())
        return;
    const TypedLength& first = soft.begin()->second;
    const auto differs = [&](double TypedLength::*member) {
        return std::find_if(soft.begin(), soft.end(), [&](const auto& other) {
            return other.second.*member != first.*member;
        });
    };
    if (differs(&TypedLength::length) == soft.end())
        give(first.key, "eps", first.length);
    else
        give(first.key, "eps-type", by_type);
    give(first.key, "softening", "spline"); // Newtonian beyond 2.8 lengths, as in GADGET
    if (!comoving)
        return;
    if (const auto other = differs(&TypedLength::largest_physical); other != soft.end()) {
        const bool no_limit = std::all_of(soft.begin(), soft.end(), [](const auto& one) {
            return one.second.largest_physical == 0 ||
                   one.second.largest_physical >= one.second.length; // no limit at a <= 1
        });
        if (!no_limit)
            throw Error(Fault::usage, place(other->second.key) +
                                          ": another largest physical softening than that of " +
                                          first.key + ": one for all types is possible");
    } else if (first.largest_physical > 0) {
        give(first.key, "eps-max", first.largest_physical);
    }
}

void ParameterFile::give_outputs(const OutputPlan& plan, bool comoving)
{
    constexpr std::size_t max = 100000;
    if (!(comoving ? plan.interval > 1 && plan.first > 0 : plan.interval > 0))
        refuse(plan.key, comoving ? "a factor > 1 between the scale factors of outputs, the first "
                                    "of which is > 0, is needed"
                                  : "must be a time > 0");
    const double rounding = 1e-9;
    const auto before_start = [&](double t) {
        return t < plan.begin - rounding * std::abs(comoving ? plan.begin : plan.interval);
    };
    const auto output = [&](double k) {
        return comoving ? plan.first * std::pow(plan.interval, k) : plan.first + k * plan.interval;
    };
    std::size_t from = 0;
    while (before_start(output(double(from))) && output(double(from)) < plan.end)
        if (++from == max)
            refuse(plan.key, "makes too many outputs");
    const double first = output(double(from));
    if (std::abs(first - plan.begin) <= rounding * std::abs(comoving ? first : plan.interval)) {
        give(plan.key, "snapshot-every", comoving ? std::log(plan.interval) : plan.interval);
        return;
    }
    std::string list;
    for (std::size_t k = from; output(double(k)) <= plan.end * (1 + rounding); ++k) {
        if (k == max)
            refuse(plan.key, "makes too many outputs");
        list += (list.empty() ? "" : ",") + number_text(output(double(k)));
    }
    if (!list.empty())
        give(plan.key, comoving ? "outputs-a" : "output-times", list);
}

void ParameterFile::give_listed(const std::string& key, const std::string& option,
                                std::vector<double> times, double begin, double end)
{
    const auto [low, high] = std::minmax(begin, end); // redshifts fall
    std::string list;
    for (double time : times)
        if (time >= low && time <= high)
            list += (list.empty() ? "" : ",") + number_text(time);
    if (list.empty())
        refuse(key,
               "has no time of the run from " + number_text(begin) + " to " + number_text(end));
    give(key, option, list);
}

Translation ParameterFile::translated(const std::string& code,
                                      const std::vector<ParameterRow>& rows, bool comoving)
{
    translation_.file = file_;
    translation_.code = code;
    std::size_t known = 0;
    for (const Parameter& parameter : parameters_) {
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const ParameterRow& one) {
            const std::string key = one.key;
            return key == parameter.key || (key.back() == ':' && parameter.key.starts_with(key));
        });
        if (row == rows.end()) {
            translation_.unknown.push_back(parameter.key);
            continue;
        }
        ++known;
        if (row->meaning == Meaning::refused && is_on(parameter.key))
            refuse(parameter.key, "is not computed: only gravity acts");
        const char* option = comoving ? row->comoving : row->plain;
        if (row->meaning == Meaning::option && option)
            give(parameter.key, option, parameter.value);
        else if (!asked_.contains(parameter.key))
            translation_.idle.push_back(parameter.key);
    }
    if (known == 0)
        throw Error(Fault::usage, "--parameters: " + file_ + ": has no key of " + code +
                                      ", though the format fits");
    return translation_;
}

std::vector<std::string> Translation::lines(const GivenOptions& replaced) const
{
    std::vector<std::string> all = {"parameters   " + file + ", of " + code};
    const auto add = [&](const ConfigLine& line, const std::string& end) {
        const std::string key = line.place.substr(line.place.rfind(": ") + 2);
        const bool is_setting = command_line_spelling().names->contains(line.key);
        const std::string option = line.key == "FILE"
                                       ? line.value
                                       : "{" + line.key + (is_setting ? "}=" : "} ") + line.value;
        all.push_back("parameters   " + key + ": " + option + end);
    };
    for (const ConfigLine& line : options)
        add(line, replaced.contains(line.key) ? "; that given beside the file holds" : "");
    for (const auto& [line, given] : displaced)
        add(line, "; falls away beside --" + given);
    if (!idle.empty())
        all.push_back("parameters   without effect here: " + key_list(idle));
    return all;
}

std::string Translation::note() const
{
    return unknown.empty() ? "" : file + ": not understood, and not used: " + key_list(unknown);
}

} // namespace chamomile::app
