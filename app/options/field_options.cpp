#include "app/options/field_options.hpp"

#include <cstdio>

#include "app/command_files.hpp"
#include "chamomile/integrate/external/potential_table.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile::app {

OptionRow<std::vector<std::string>> potential_row(const std::string& group)
{
    OptionRows<std::vector<std::string>> rows;
    rows.group(group);
    rows.repeated("potential", std::identity(), "NAME,PARAMETER=X,...",
                  "external potential: " + potential_forms() +
                      ". Each may have x,y,z,vx,vy,vz of its center or orbit=FILE, and from,to "
                      "between which it grows");
    return rows.take().front();
}

void check_potentials(const std::vector<std::string>& texts)
{
    for (const std::string& text : texts)
        check_potential("--potential", text);
}

std::shared_ptr<const ExternalField> field_for(const Snapshot& snapshot,
                                               const std::vector<std::string>& texts,
                                               double gravitational_constant)
{
    PotentialFiles files;
    const auto field = read_external_field("--potential", texts, unit_frame_of(snapshot),
                                           gravitational_constant, files);
    for (const auto& [file, content] : files)
        record_input(file);
    if (field)
        chamomile::require(
            refusal(*field, {.in_box = snapshot.box_size > 0 || snapshot.comoving.has_value()}));
    return field;
}

void print_field(const Options& options, const ExternalField& field)
{
    if (options.verbosity() == Verbosity::quiet)
        return;
    for (const Potential& potential : field.potentials())
        std::printf("potential    %s\n", potential.text_in_log().c_str());
}

} // namespace chamomile::app
