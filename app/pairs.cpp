/// \file  `chamomile pairs`: sums over pairs with any law, from columns of numbers.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"
#include "app/pairs/columns.hpp"
#include "app/pairs/named_law.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/pairs/pair_solver.hpp"

namespace chamomile::app {
namespace {

struct Request {
    std::string law, sources, targets;
    std::vector<std::string> settings;
    std::vector<double> period;
    bool without_self = false;
    int repeat = 1;
    PairOptions options;
    Output output;
};

void bind(Options& options, Request& request)
{
    std::string laws;
    for (const std::string& name : built_in_laws())
        laws += ", " + name;
    options.group("Pairs");
    options.text("law", "FILE|NAME", request.law,
                 "the text of a law (docs/howto/own_law.md), or one of the built-in laws" + laws);
    options.texts("parameter", "NAME=X,...", request.settings, "of the law; its defaults else");
    options.text("sources", "FILE", request.sources,
                 "columns of the law's source, in its order or named by '# columns: ...'");
    options.text("targets", "FILE", request.targets,
                 "columns of the law's target; left out: the targets are the sources");
    options.flag("no-self", request.without_self,
                 "where the targets are the sources: without the pair of each with itself");
    options.number("cutoff", request.options.cutoff, positive,
                   "sources beyond this distance are not looked at");
    options.numbers("period", request.period, positive, "sides of a periodic box, one or three");
    add_machine_options(options, request.options);
    options.group("Options");
    options.number("repeat", request.repeat, between(1, 1e6),
                   "sums so many times and tells the median time");
    options.group("Output");
    options.text("output,o", "FILE", request.output.file,
                 "columns of the law's sums; left out: standard output");
    options.flag("overwrite", request.output.overwrite, "replace a file of that name");
}

void resolve(const Options& options, Request& request)
{
    for (const auto& [name, value] :
         {std::pair("--law", &request.law), std::pair("--sources", &request.sources)})
        if (value->empty())
            throw Error(Fault::usage, std::string("pairs: missing: ") + name +
                                          "; 'chamomile "
                                          "pairs --help' tells more");
    refuse_idle(options,
                {{!request.targets.empty(), "no-self",
                  "needs targets that are the sources: leave --targets out"},
                 {request.output.file.empty(), "repeat overwrite", "needs --output FILE"}});
    if (request.period.size() == 1)
        request.period.assign(3, request.period[0]);
    if (!request.period.empty() && request.period.size() != 3)
        throw Error(Fault::usage, "--period: one side or three are needed");
    if (!request.period.empty())
        request.options.period = {request.period[0], request.period[1], request.period[2]};
    for (const std::string& file : {request.sources, request.targets})
        record_input(file);
    if (const auto laws = built_in_laws();
        std::find(laws.begin(), laws.end(), request.law) == laws.end())
        record_input(request.law);
    if (!request.output.file.empty())
        require_writable(options.command(), request.output);
}

} // namespace

int pairs(const std::vector<std::string>& arguments)
{
    Request request;
    Options options("pairs", "Sums over all pairs of targets and sources by any pairwise law: a "
                             "text of a few lines, or a built-in one.");
    bind(options, request);
    if (!options.parse(arguments))
        return 0;
    resolve(options, request);

    const NamedLaw law = find_law(request.law, request.settings);
    const Columns source_file(request.sources, law.source);
    const std::vector<double> sources = source_file.rows_of(law.source);
    const std::vector<double> targets =
        request.targets.empty() ? source_file.rows_of(law.target)
                                : Columns(request.targets, law.target).rows_of(law.target);
    PairTask task{targets, sources, {}, {}};
    std::vector<std::uint32_t> self(request.without_self ? source_file.rows() : 0);
    std::iota(self.begin(), self.end(), 0u);
    task.self = self;
    std::vector<double> sums(targets.size() / law.target.size() * law.sum.size());
    const auto solver = make_pair_solver(law.code, law.data.data(), request.options);
    PairStatistics statistics;
    std::vector<double> seconds;
    for (int k = 0; k < request.repeat; ++k) {
        const double start = wall_clock_seconds();
        statistics = solver->sum(task, sums);
        seconds.push_back(wall_clock_seconds() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];

    const std::string text = columns_text(
        {"chamomile " + std::string(version), "command: " + options.command_line(),
         "law: " + law.code.name + (law.parameters.empty() ? "" : " with ") + law.parameters,
         "device: " + solver->device()},
        law.sum, sums);
    if (request.output.file.empty()) {
        std::fputs(text.c_str(), stdout);
        return 0;
    }
    write_text(request.output, text);
    const std::string alone =
        statistics.device_busy > 0
            ? formatted(", kernel %.3g ms", 1e3 * statistics.device_busy) // from the last sum
            : std::string();
    if (options.verbosity() != Verbosity::quiet)
        std::printf("%s: %.4g pairs, %s, %.3g pairs/s%s\nwrote %s: %zu rows\n",
                    solver->device().c_str(), double(statistics.pairs),
                    duration_text(median).c_str(), double(statistics.pairs) / median, alone.c_str(),
                    request.output.file.c_str(), targets.size() / law.target.size());
    return 0;
}

} // namespace chamomile::app
