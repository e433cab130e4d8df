#include "chamomile/io/facts_archive.hpp"

#include <iterator>

namespace chamomile {

void exchange_units(Archive& archive, Units& units)
{
    archive("units/length", units.length_in_cm);
    archive("units/mass", units.mass_in_g);
    archive("units/velocity", units.velocity_in_cm_per_s);
    archive("units/physical", units.physical);
    archive("units/per_hubble", units.per_hubble);
}

void exchange_properties(Archive& archive, SnapshotFacts& facts)
{
    exchange_units(archive, facts.units);
    archive("snapshot/G", facts.gravitational_constant);
    Softening softening = facts.softening.value_or(Softening{});
    archive("snapshot/softening_kind", softening.kind, std::end(softening_forms)[-1].kind);
    archive("snapshot/softening_length", softening.length);
    if (archive.has("snapshot/softening_rule")) {
        archive("snapshot/softening_rule", softening.rule, SofteningRule::root_of_squares);
        archive("snapshot/softening_varies", softening.per_particle);
    }
    facts.softening = softening;
    archive("snapshot/box_size", facts.box_size);
    archive("snapshot/format", facts.format);
    archive("snapshot/provenance", facts.provenance);
    archive("snapshot/notes", facts.notes);
    if (facts.comoving) {
        ComovingFrame& frame = *facts.comoving;
        archive("comoving/scale_factor", frame.scale_factor);
        archive("comoving/omega_matter", frame.omega_matter);
        archive("comoving/omega_lambda", frame.omega_lambda);
        archive("comoving/omega_radiation", frame.omega_radiation);
        archive("comoving/hubble", frame.hubble);
        archive("comoving/w0", frame.w0);
        archive("comoving/wa", frame.wa);
        archive("comoving/physical_softening", frame.physical_softening);
    }
}

void exchange_facts(Archive& archive, SnapshotFacts& facts)
{
    archive("snapshot/time", facts.time);
    archive("snapshot/has_accelerations", facts.has_accelerations);
    archive("snapshot/has_potentials", facts.has_potentials);
    bool is_comoving = facts.comoving.has_value(), is_softened = facts.softening.has_value();
    archive("snapshot/is_comoving", is_comoving);
    archive("snapshot/is_softened", is_softened);
    if (is_comoving && !facts.comoving)
        facts.comoving.emplace();
    exchange_properties(archive, facts);
    if (!is_softened)
        facts.softening.reset();
}

} // namespace chamomile
