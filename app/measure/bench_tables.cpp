#include "app/measure/bench_tables.hpp"

#include <algorithm>
#include <cstdio>

#include "chamomile/run/force_cost.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile::app {
namespace {

using Words = std::vector<std::string>;

std::string milliseconds(double seconds)
{
    return formatted("%.3f", 1e3 * seconds);
}

Words bench_headings()
{
    Words headings{"particles from", "N", "threads"};
    for (const SettingColumn& column : setting_columns())
        headings.emplace_back(column.heading);
    return headings;
}

Words setting_words(const BenchRow& row)
{
    Words words{row.source, std::to_string(row.particles), std::to_string(row.threads)};
    for (const SettingColumn& column : setting_columns())
        words.push_back(column.text(row.setting));
    return words;
}

const Words result_headings{"ms",        "min",   "max", "50 % error", "90 % error",  "99 % error",
                            "particles", "cells", "far", "pairs/s",    "of ceiling %"};

Words result_words(const BenchRow& row)
{
    const ForceCost cost(row.median);
    const double median = row.seconds[row.seconds.size() / 2];
    Words words{milliseconds(median), milliseconds(row.seconds.front()),
                milliseconds(row.seconds.back())};
    for (double Percentiles::*part : {&Percentiles::median, &Percentiles::p90, &Percentiles::p99})
        words.push_back(row.errors ? formatted("%.2e", *row.errors.*part) : "-");
    append(words,
           {formatted("%.0f", cost.particles), formatted("%.0f", cost.cells),
            formatted("%.3g", cost.far_cells), formatted("%.3e", cost.pairs / median),
            row.ceiling ? formatted("%.1f", 100 * cost.pairs / median / *row.ceiling) : "-"});
    return words;
}

const Words rank_headings{
    "ranks",         "imported %",         "imported cells", "MB between ranks",
    "exchanges",     "collectives",        "most/mean work", "most partners",
    "MB of imports", "most MB of imports", "most MB held"};

Words rank_words(const BenchRow& row)
{
    if (!row.median.ranks)
        return Words(rank_headings.size(), "-");
    const RankStatistics& ranks = *row.median.ranks;
    return {std::to_string(ranks.ranks),
            formatted("%.3g", 100 * double(ranks.imported_particles) / double(row.particles)),
            std::to_string(ranks.imported_cells),
            formatted("%.4g", 1e-6 * double(ranks.bytes)),
            std::to_string(ranks.exchanges),
            std::to_string(ranks.collectives),
            formatted("%.3f", ranks.imbalance),
            std::to_string(ranks.partners),
            formatted("%.4g", 1e-6 * double(ranks.import_bytes)),
            formatted("%.4g", 1e-6 * double(ranks.max_import_bytes)),
            ranks.max_memory > 0 ? formatted("%.4g", 1e-6 * double(ranks.max_memory)) : "-"};
}

/// Returns the phase names of all rows, in order of first appearance.
Words phase_names(const std::vector<BenchRow>& rows)
{
    Words names;
    for (const BenchRow& row : rows)
        for (const Profile::Phase& phase : row.median.profile.phases())
            if (std::find(names.begin(), names.end(), phase.name) == names.end())
                names.push_back(phase.name);
    return names;
}

Words phase_headings(const Words& names)
{
    Words headings;
    for (const std::string& name : names)
        headings.push_back(name + " ms");
    append(headings, device_headings);
    headings.push_back("batches"); // list batches: up to four launches each on a GPU
    return headings;
}

Words phase_words(const BenchRow& row, const Words& names)
{
    const ForceStatistics& s = row.median;
    Words words;
    for (const std::string& name : names) {
        const auto& phases = s.profile.phases();
        const bool present = std::any_of(phases.begin(), phases.end(),
                                         [&](const auto& phase) { return phase.name == name; });
        words.push_back(present ? milliseconds(s.profile.seconds(name)) : "-");
    }
    append(words, device_words(s, "-"));
    words.push_back(s.device_span > 0 ? std::to_string(s.batches) : "-");
    return words;
}

Words appended(Words words, const Words& more)
{
    append(words, more);
    return words;
}

} // namespace

void print_tables(const std::vector<BenchRow>& rows, bool phases)
{
    const Words settings = bench_headings(), names = phase_names(rows);
    Table results(appended(appended(appended(settings, result_headings), {device_headings[0]}),
                           rank_headings)),
        breakdown(appended(settings, phase_headings(names)));
    for (const BenchRow& row : rows) {
        results.add(appended(appended(appended(setting_words(row), result_words(row)),
                                      {device_words(row.median, "-")[0]}),
                             rank_words(row)));
        breakdown.add(appended(setting_words(row), phase_words(row, names)));
    }
    std::printf("%s\n", results.remove_constant_columns(0, settings.size()).c_str());
    breakdown.remove_constant_columns(0, settings.size());
    results.remove_empty_columns();
    breakdown.remove_empty_columns();
    std::fputs(results.text().c_str(), stdout);
    if (phases) {
        std::printf("\n");
        std::fputs(breakdown.text().c_str(), stdout);
    }
}

Table everything_table(const std::vector<BenchRow>& rows, const std::string& version,
                       const std::string& date)
{
    const Words names = phase_names(rows);
    Table table(appended(
        appended(appended(appended(bench_headings(), result_headings), phase_headings(names)),
                 rank_headings),
        {"ceiling pairs/s", "processor ms", "tuned", "groups", "tree cells", "repetitions",
         "machine", "version", "date"}));
    for (const BenchRow& row : rows)
        table.add(appended(appended(appended(appended(setting_words(row), result_words(row)),
                                             phase_words(row, names)),
                                    rank_words(row)),
                           {row.ceiling ? formatted("%.3e", *row.ceiling) : "-",
                            milliseconds(row.processor_seconds), row.tuned ? "yes" : "no",
                            std::to_string(row.median.groups), std::to_string(row.median.cells),
                            std::to_string(row.seconds.size()), row.machine, version, date}));
    return table;
}

} // namespace chamomile::app
