/// \file  `chamomile power`: power spectra of snapshots.
#include <cstdio>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/command_ranks.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/structure_options.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {

int power(const std::vector<std::string>& arguments)
{
    std::string file;
    AnalysedMatter matter;
    PowerRequest request;
    TheoryRequest theory;
    Output output;
    bool linear = false;
    CommandRanks ranks;
    Options options("power", "Measures the power spectrum of the matter in a periodic box. Shot "
                             "noise is subtracted; errors are those of Gaussian fields.");
    options.positional("FILE", file, "the snapshot");
    add_analysed_matter(options, matter, "particle types looked at");
    add_power_options(options, request);
    OptionRows<bool> rows;
    rows.group("Measurement");
    rows.flag("linear", std::identity(), "bins of width 2 pi / side instead of {bins}");
    options.add(rows.take(), linear);
    add_theory_options(options, theory);
    ranks.add(options);
    options.add(output_rows("output,o", "FILE", "the table, as text; standard output without"),
                output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    record_input(file);
    if (!output.file.empty())
        require_writable("power", output);
    refuse_idle(options,
                {{linear, "bins", "contradicts --linear; give one"},
                 {request.measurement.foldings == 0, "fold-factor", "needs --fold 1 or more"},
                 {output.file.empty(), "overwrite", "needs --output FILE"}});
    require_theory(options, theory);
    ranks.resolve(options, "cpu");
    if (linear)
        request.measurement.bins = PowerBins::linear;

    Snapshot snapshot = ranks.read(file, false);
    options.set_units(unit_frame_of(snapshot));
    select_matter(matter, file, snapshot);
    if (!matter.types.empty() && theory.wanted)
        snapshot.notes.emplace_back(
            "the spectrum counts the chosen types, the fits describe all matter");
    const auto fits = make_theory(theory, snapshot);
    const PowerSpectrum spectrum = measured_power(snapshot, request, ranks.matter(matter.types));
    const std::string table =
        power_table(snapshot, spectrum, fits.get(),
                    one_line("power spectrum of " + file + ": " + options.command_line()) +
                        notes_text(snapshot));
    if (output.file.empty()) {
        std::fputs(table.c_str(), stdout);
        return 0;
    }
    write_text(output, table);
    if (options.verbosity() == Verbosity::quiet)
        return 0;
    std::printf("wrote %s: %zu bins\n", output.file.c_str(), spectrum.bins.size());
    print_notes(options, snapshot);
    return 0;
}

} // namespace chamomile::app
