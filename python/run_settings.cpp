#include "python/run_settings.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/nearest_name.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/range.hpp"
#include "python/options.hpp"

namespace chamomile::python {
namespace {

/// Reads a number of type T within a range.
template <class T>
T number(const std::string& key, nb::handle value, const Range& range)
{
    T result{};
    if (!nb::try_cast(value, result) || !range.contains(double(result)))
        throw Error(Fault::usage, key + ": " + nb::str(value).c_str() + ": " +
                                      (std::is_integral_v<T> ? "a whole number" : "a number") +
                                      range.words() + " is needed");
    return result;
}

bool flag(const std::string& key, nb::handle value)
{
    bool result = false;
    if (!nb::try_cast(value, result))
        throw nb::type_error((key + ": must be True or False").c_str());
    return result;
}

using Reader = std::function<void(FolderSettings&, const std::string&, nb::handle)>;

const std::vector<std::pair<std::string, Reader>>& readers()
{
    using F = FolderSettings;
    using S = const std::string&;
    using V = nb::handle;
    static constexpr Range positive = ranges::positive, not_negative = ranges::not_negative, one{1};
    using N = std::uint64_t;
    static const std::vector<std::pair<std::string, Reader>> all = {
        {"snapshot_every",
         [](F& f, S k, V v) { f.run.snapshot_every = number<double>(k, v, positive); }},
        {"energy_every",
         [](F& f, S k, V v) { f.run.energy_every = number<double>(k, v, positive); }},
        {"steps_every", [](F& f, S k, V v) { f.run.steps_every = number<N>(k, v, one); }},
        {"check_forces",
         [](F& f, S k, V v) { f.run.check_forces = number<N>(k, v, not_negative); }},
        {"check_forces_every",
         [](F& f, S k, V v) { f.run.check_forces_every = number<N>(k, v, one); }},
        {"frames", [](F& f, S k, V v) { f.run.frames = flag(k, v); }},
        {"frames_every",
         [](F& f, S k, V v) { f.run.frames_every = number<double>(k, v, positive); }},
        {"frame_width", [](F& f, S k, V v) { f.run.frame_width = number<double>(k, v, positive); }},
        {"checkpoint_every", [](F& f, S k, V v) { f.run.checkpoint_every = number<N>(k, v, one); }},
        {"checkpoint_walltime",
         [](F& f, S k, V v) { f.run.checkpoint_walltime = number<double>(k, v, not_negative); }},
        {"max_walltime",
         [](F& f, S k, V v) { f.run.max_walltime = number<double>(k, v, positive); }},
        {"max_energy_error",
         [](F& f, S k, V v) { f.run.max_energy_error = number<double>(k, v, positive); }},
        {"overwrite",
         [](F& f, S k, V v) {
             if (flag(k, v))
                 f.earlier = EarlierResults::replaced;
         }},
        {"restart",
         [](F& f, S k, V v) {
             if (!flag(k, v))
                 return;
             if (f.earlier == EarlierResults::replaced)
                 throw Error(Fault::usage, "restart: contradicts overwrite");
             f.earlier = EarlierResults::continued;
         }},
    };
    return all;
}

/// Options that may be others when a run goes on.
const std::set<std::string> changeable = {"t-end",        "checkpoint-every", "checkpoint-walltime",
                                          "max-walltime", "steps-every",      "device",
                                          "batch-size",   "max-energy-error"};

bool is_given(nb::dict keywords, const char* key)
{
    return keywords.contains(key) && !nb::object(keywords[key]).is_none();
}

} // namespace

FolderSettings read_run_settings(nb::dict keywords)
{
    FolderSettings settings;
    settings.run.names = {.folder = "folder",
                          .overwrite = "overwrite=True",
                          .restart = "restart=True",
                          .max_walltime = "max_walltime",
                          .max_energy_error = "max_energy_error"};
    settings.folder = nb::cast<std::string>(keywords["folder"]);
    std::vector<std::string> known;
    for (const auto& [key, read] : readers()) {
        known.push_back(key);
        if (is_given(keywords, key.c_str()))
            read(settings, key, keywords[key.c_str()]);
    }
    for (auto [key_object, value] : keywords) {
        const std::string key = nb::str(key_object).c_str();
        if (key != "folder" && std::find(known.begin(), known.end(), key) == known.end())
            throw Error(Fault::usage, key + ": unknown setting" + suggestion(key, known));
    }
    const auto need = [&](const char* key, bool used, const char* other) {
        if (is_given(keywords, key) && !used)
            throw Error(Fault::usage, std::string(key) + ": needs " + other);
    };
    need("check_forces_every", settings.run.check_forces > 0, "check_forces");
    need("frames_every", settings.run.frames, "frames");
    need("frame_width", settings.run.frames, "frames");
    return settings;
}

std::map<std::string, std::string> program_options(nb::dict keywords)
{
    std::map<std::string, std::string> options;
    for (auto [key_object, value] : keywords) {
        std::string key = nb::str(key_object).c_str();
        if (value.is_none() || key == "folder" || key == "overwrite" || key == "restart")
            continue;
        std::replace(key.begin(), key.end(), '_', '-');
        options[key] = nb::str(value).c_str();
        if (nb::isinstance<bool>(value))
            options[key] = nb::cast<bool>(value) ? "true" : "false";
    }
    return options;
}

void require_same_options(const std::map<std::string, std::string>& earlier,
                          const std::map<std::string, std::string>& now)
{
    std::set<std::string> names;
    for (const auto* options : {&earlier, &now})
        for (const auto& [name, text] : *options)
            if (!changeable.contains(name))
                names.insert(name);
    const auto text_of = [](const auto& options, const std::string& name) {
        const auto found = options.find(name);
        return found == options.end() ? std::string("not given") : found->second;
    };
    for (const std::string& name : names)
        if (text_of(earlier, name) != text_of(now, name))
            throw Error(Fault::restart, "restart: " + name + ": " + text_of(now, name) +
                                            ": cannot change in a run that goes on; it was " +
                                            text_of(earlier, name));
}

} // namespace chamomile::python
