#include "app/measure/accuracy_table.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "app/measure/solver_sweep.hpp"
#include "app/options/solver_options.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile::app {
namespace {

using Words = std::vector<std::string>;

/// A Statistic is a column per kind of error.
struct Statistic {
    const char* name;
    double Percentiles::*value;
};
constexpr Statistic statistics[] = {
    {"rms", &Percentiles::rms},  {"median", &Percentiles::median}, {"90 %", &Percentiles::p90},
    {"99 %", &Percentiles::p99}, {"99.9 %", &Percentiles::p999},   {"max", &Percentiles::max}};

/// An ErrorKind is a quantity with measured errors.
struct ErrorKind {
    const char *prefix, *data; ///< of a column, and its data set
    Percentiles ForceErrors::*percentiles;
    std::vector<double> TargetErrors::*errors;
};
constexpr ErrorKind error_kinds[] = {
    {"", "acceleration", &ForceErrors::acceleration, &TargetErrors::acceleration},
    {"scaled ", "scaled", &ForceErrors::scaled, &TargetErrors::scaled},
    {"phi ", "potential", &ForceErrors::potential, &TargetErrors::potential}};

Words accuracy_headings()
{
    Words headings{"particles from", "N", "forces of"};
    for (const SettingColumn& column : setting_columns())
        headings.emplace_back(column.heading);
    return headings;
}

Words setting_words(const AccuracySample& sample, const AccuracyRow& row)
{
    Words words{sample.source, std::to_string(sample.particles),
                row.other.empty() ? "-" : row.other};
    for (const SettingColumn& column : setting_columns())
        words.push_back(row.other.empty() || column.heading == std::string("softening")
                            ? column.text(row.setting)
                            : "-");
    return words;
}

std::string today()
{
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%F", std::localtime(&now));
    return date;
}

Words everything_headings()
{
    Words headings = accuracy_headings();
    for (const ErrorKind& kind : error_kinds)
        for (const Statistic& statistic : statistics)
            headings.push_back(std::string(kind.prefix) + statistic.name);
    append(headings, {"|sum m a|", "particles", "cells", "far", "seconds", "evaluations", "sampled",
                      "targets", "worst index", "worst id", "worst x", "worst y", "worst z",
                      "machine", "threads", "reference", "version", "date"});
    return headings;
}

/// Returns "-" for unknown errors.
std::string error_word(const char* format, const AccuracyRow& row, const ErrorKind& kind,
                       double Percentiles::*value)
{
    const double error = row.statistics.*kind.percentiles.*value;
    if (std::isnan(error) || (row.errors.*kind.errors).empty())
        return "-";
    return formatted(format, error); // NOLINT: one of two literals
}

Words everything_words(const AccuracySample& sample, const AccuracyRow& row)
{
    Words words = setting_words(sample, row);
    for (const ErrorKind& kind : error_kinds)
        for (const Statistic& statistic : statistics)
            words.push_back(error_word("%.6e", row, kind, statistic.value));
    std::size_t worst = 0;
    while (sample.index[worst] != row.statistics.worst)
        ++worst;
    const Vec3<double>& x = sample.position[worst];
    append(words,
           {row.momentum ? formatted("%.6e", *row.momentum) : "-", formatted("%.6g", row.particles),
            formatted("%.6g", row.cells), formatted("%.6g", row.far_cells),
            formatted("%.6g", row.seconds), std::to_string(row.evaluations),
            std::to_string(sample.index.size()), std::to_string(row.targets),
            std::to_string(row.statistics.worst), std::to_string(sample.id[worst])});
    for (double coordinate : {x.x, x.y, x.z})
        words.push_back(number_text(coordinate));
    append(words,
           {row.machine, std::to_string(thread_count()), sample.reference, version, today()});
    return words;
}

/// Returns the word as a number if possible, else as a text.
DataGroup::Attribute attribute_of(const std::string& word)
{
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (!word.empty() && *end == '\0')
        return value;
    return word;
}

} // namespace

std::string AccuracyRow::method() const
{
    return other.empty() ? method_text(setting) : other;
}

void print_accuracy(const Samples& samples, const AccuracyRows& rows)
{
    const Words settings = accuracy_headings();
    Words headings = settings;
    append(headings, {"rms", "median", "90 %", "99 %", "99.9 %", "max", "scaled 99 %", "phi 99 %",
                      "|sum m a|", "particles", "cells", "far", "ms"});
    Table table(headings);
    for (const AccuracyRow& row : rows) {
        Words words = setting_words(samples[row.sample], row);
        for (const Statistic& statistic : statistics)
            words.push_back(error_word("%.2e", row, error_kinds[0], statistic.value));
        const bool is_own = row.other.empty(), all = row.targets == samples[row.sample].particles;
        const auto own = [&](const char* format, double value) {
            return is_own ? formatted(format, value) : "-";
        };
        append(words, {error_word("%.2e", row, error_kinds[1], &Percentiles::p99),
                       error_word("%.2e", row, error_kinds[2], &Percentiles::p99),
                       row.momentum ? formatted("%.2e", *row.momentum) : "-",
                       own("%.0f", row.particles), own("%.0f", row.cells),
                       own("%.3g", row.far_cells), all ? own("%.4g", 1e3 * row.seconds) : "-"});
        table.add(words);
    }
    std::printf("%s\n", table.remove_constant_columns(0, settings.size()).c_str());
    table.remove_empty_columns();
    std::fputs(table.text().c_str(), stdout);
}

Table accuracy_table(const Samples& samples, const AccuracyRows& rows)
{
    Table table(everything_headings());
    for (const AccuracyRow& row : rows)
        table.add(everything_words(samples[row.sample], row));
    return table;
}

std::vector<DataGroup> accuracy_data(const Samples& samples, const AccuracyRows& rows,
                                     const std::string& command)
{
    std::vector<DataGroup> groups{
        {"Header",
         {{"version", std::string(version)}, {"date", today()}, {"command", command}},
         {}}};
    for (std::size_t s = 0; s < samples.size(); ++s) {
        const AccuracySample& sample = samples[s];
        groups.push_back({formatted("Sample_%03zu", s),
                          {{"particles from", sample.source},
                           {"N", double(sample.particles)},
                           {"reference", sample.reference}},
                          {{"index", sample.index},
                           {"id", sample.id},
                           {"position", sample.position},
                           {"radius", sample.radius}}});
    }
    const Words headings = everything_headings();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const AccuracyRow& row = rows[r];
        const Words words = everything_words(samples[row.sample], row);
        DataGroup group{
            formatted("Setting_%04zu", r),
            {{"sample", formatted("Sample_%03zu", row.sample)}, {"method", row.method()}},
            {}};
        for (const ErrorKind& kind : error_kinds)
            if (!(row.errors.*kind.errors).empty())
                group.columns.emplace_back(kind.data, row.errors.*kind.errors);
        for (std::size_t c = 0; c < headings.size(); ++c)
            group.attributes.emplace_back(headings[c], attribute_of(words[c]));
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace chamomile::app
