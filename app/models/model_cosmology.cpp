/// \file  `chamomile model cosmology`.
#include "app/models/model_cosmology.hpp"

#include <cmath>
#include <cstdio>

#include "app/command_files.hpp"
#include "app/command_ranks.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/softening_words.hpp"
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/initial/cosmology/initial_plan.hpp"
#include "chamomile/run/structures/linear_theory.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

struct Request {
    InitialConditionsOptions model;
    std::optional<double> omega_lambda;
    std::string table;
    bool in_Mpc = false;
    std::optional<double> softening;
    SofteningKind softening_kind = SofteningKind::plummer;
    double physical_softening = 0;

    Request() { model.power.background = {.omega_matter = 0.3089, .hubble = 0.6774}; }
};

void add_background(Options& options, Request& request)
{
    OptionRows<Request> t;
    t.group("Background and power spectrum (defaults near those of Planck 2015 and 2018)");
    t.number(
        "omega-m", [](Request & o) -> auto& { return o.model.power.background.omega_matter; },
        ranges::omega_matter, "matter today");
    t.number("omega-l", &Request::omega_lambda, ranges::omega_lambda,
             "dark energy today; what makes space flat unless given");
    t.number(
        "omega-r", [](Request & o) -> auto& { return o.model.power.background.omega_radiation; },
        ranges::omega_radiation, "radiation today");
    t.number(
        "w0", [](Request & o) -> auto& { return o.model.power.background.w0; }, ranges::w0,
        "of dark energy, w = w0 + wa (1 - a)");
    t.number(
        "wa", [](Request & o) -> auto& { return o.model.power.background.wa; }, ranges::wa,
        "of dark energy");
    t.number(
        "hubble", [](Request & o) -> auto& { return o.model.power.background.hubble; },
        ranges::hubble, "H0 in 100 km/s/Mpc");
    t.number(
        "omega-b", [](Request & o) -> auto& { return o.model.power.omega_baryon; },
        ranges::positive, "baryons, part of the matter");
    t.number(
        "n-s", [](Request & o) -> auto& { return o.model.power.spectral_index; }, ranges::any,
        "spectral index");
    t.number(
        "sigma8", [](Request & o) -> auto& { return o.model.power.sigma8; }, Range{0, 3, true},
        "rms in spheres of 8 Mpc/h today, linear; 0.811 unless given, or a power "
        "table's own normalisation");
    t.number(
        "A-s", [](Request & o) -> auto& { return o.model.power.primordial; }, ranges::positive,
        "amplitude of the primordial spectrum at 0.05/Mpc, instead");
    t.choice(
        "transfer", [](Request & o) -> auto& { return o.model.power.transfer; }, transfer_names(),
        "Eisenstein & Hu's (1998) fit, with or without acoustic oscillations, or a table");
    t.text("table", &Request::table, "FILE",
           "of lines 'k T' (or CAMB's 7 columns and more) or 'k P', k in h/Mpc");
    options.add(t.take(), request);
}

void add_box(Options& options, Request& request)
{
    OptionRows<Request> t;
    t.group("Box");
    t.number(
         "box", [](Request & o) -> auto& { return o.model.side; }, ranges::positive,
         "side in Mpc/h")
        .in(dimensions::length);
    t.number(
        "n", [](Request & o) -> auto& { return o.model.particles; },
        ranges::between(2, max_particles_along_side), "particles along a side, an even number");
    t.number(
        "z-start", [](Request & o) -> auto& { return o.model.redshift; },
        Range{ranges::redshift.min, 1e4}, "redshift");
    t.number(
        "lpt", [](Request & o) -> auto& { return o.model.order; }, ranges::between(1, 2),
        "order of perturbation theory: 1 Zel'dovich, 2 2LPT");
    t.number(
        "seed", [](Request & o) -> auto& { return o.model.field.seed; }, ranges::not_negative,
        "same seed, same waves for any n, same bytes for any number of threads");
    t.flag(
        "fixed", [](Request & o) -> auto& { return o.model.field.fixed; },
        "amplitudes exactly those of the spectrum");
    t.flag(
        "paired", [](Request & o) -> auto& { return o.model.field.paired; },
        "all waves with the opposite sign");
    t.choice(
        "load", [](Request & o) -> auto& { return o.model.load; },
        {{"grid", ParticleLoad::grid}, {"glass", ParticleLoad::glass}},
        "where particles are without waves");
    t.number(
        "glass", [](Request & o) -> auto& { return o.model.glass; }, ranges::between(2, 512),
        "particles along a side of the repeated glass; must divide n");
    t.group("File");
    t.flag("Mpc", &Request::in_Mpc, "write Mpc/h instead of kpc/h");
    t.number("eps", &Request::softening, ranges::not_negative,
             "comoving softening length in these units; 1/30 of the mean spacing unless given")
        .in(dimensions::length);
    t.choice("softening", &Request::softening_kind, softening_words(), "law of the softening");
    t.number("eps-max", &Request::physical_softening, ranges::not_negative,
             "largest physical softening length; 0: no limit")
        .in(dimensions::length);
    options.add(t.take(), request);
}

/// Converts quantities with units to Mpc/h, and softening lengths further to the file's unit.
void set_units(Options& options, Request& request)
{
    const auto had_unit = [&](const char* name) {
        return options.given(name) && has_unit(options.given_values().at(name));
    };
    const bool eps = had_unit("eps"), eps_max = had_unit("eps-max");
    Units in_Mpc = Units::gadget(true);
    in_Mpc.length_in_cm *= 1000;
    options.set_units({.units = in_Mpc, .hubble = request.model.power.background.hubble});
    const double unit = request.in_Mpc ? 1 : 1000;
    if (eps)
        *request.softening *= unit;
    if (eps_max)
        request.physical_softening *= unit;
}

void resolve(const Options& options, Request& request)
{
    PowerOptions& power = request.model.power;
    Background& background = power.background;
    background.omega_lambda =
        request.omega_lambda.value_or(1 - background.omega_matter - background.omega_radiation);
    const bool is_table = power.transfer == TransferKind::power_table ||
                          power.transfer == TransferKind::transfer_table;
    const auto refuse = [&](const std::string& line) {
        throw Error(Fault::usage, options.command() + ": " + line);
    };
    if (is_table && request.table.empty())
        refuse("--transfer: a table: needs --table FILE");
    refuse_idle(options,
                {{!is_table, "table", "needs --transfer transfer-table or power-table"},
                 {is_table, "omega-b", "needs the fit of Eisenstein & Hu: a table has no baryons"},
                 {power.transfer == TransferKind::power_table, "n-s",
                  "contradicts a power table, which sets the slope"},
                 {request.model.load != ParticleLoad::glass, "glass", "needs --load glass"}});
    power.table = request.table;
    record_input(request.table);
}

/// Makes the particles. Ranks, if any, keep positions and velocities.
Snapshot make(const Request& request, LedParticles* ranks)
{
    InitialConditionsOptions model = request.model;
    Snapshot snapshot;
    snapshot.units = Units::gadget(true);
    Units in_Mpc = snapshot.units;
    in_Mpc.length_in_cm *= 1000;
    const double unit = model.length_unit = request.in_Mpc ? 1 : 1000;
    const InitialPlan plan = plan_initial_conditions(model, in_Mpc.gravitational_constant(),
                                                     ranks ? ranks->ranks().size() : 1);
    if (request.in_Mpc)
        snapshot.units = in_Mpc;
    if (ranks) {
        ranks->make_particles(plan);
        Particles& particles = snapshot.particles;
        const std::size_t n = std::size_t(model.particles), count = n * n * n;
        resize_large(count, particles.mass);
        particles.type.resize(count, 1);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < count; ++i)
            particles.mass[i] = plan.facts.mass;
    } else
        snapshot.particles = make_initial_conditions(plan, nullptr);
    snapshot.box_size = unit * model.side;
    const double spacing = snapshot.box_size / model.particles;
    snapshot.softening =
        Softening{request.softening_kind, request.softening.value_or(spacing / 30)};
    const Background& b = model.power.background;
    const double a = scale_factor_of(model.redshift);
    snapshot.time = a;
    snapshot.comoving = ComovingFrame{a,
                                      b.omega_matter,
                                      b.omega_lambda,
                                      b.hubble,
                                      b.omega_radiation,
                                      b.w0,
                                      b.wa,
                                      request.physical_softening};
    const LinearPower linear(model.power);
    snapshot.provenance[provenance_sigma8] = number_text(linear.sigma(8));
    add_note(snapshot, sigma8_note(linear.sigma(8)));
    const TransferKind transfer = model.power.transfer;
    for (const auto& [name, kind] : transfer_names())
        if (kind == transfer)
            snapshot.provenance[provenance_transfer] = name;
    if (transfer != TransferKind::power_table)
        snapshot.provenance[provenance_spectral_index] = number_text(model.power.spectral_index);
    if (transfer == TransferKind::eisenstein_hu || transfer == TransferKind::no_wiggle)
        snapshot.provenance[provenance_omega_baryon] = number_text(model.power.omega_baryon);
    return snapshot;
}

/// Returns a note on a box beyond the observable universe, for example in kpc/h.
std::string box_note(const Options& options, double side)
{
    constexpr double max = 2e4; // Mpc/h
    return side > max ? formatted("--box %s: %.6g Mpc/h, more than the observable universe; check "
                                  "the unit, as in --box 50Mpc/h",
                                  options.given_values().at("box").c_str(), side)
                      : "";
}

} // namespace

int model_cosmology(const std::vector<std::string>& arguments)
{
    Request request;
    Output output;
    CommandRanks ranks;
    Options options("model cosmology",
                    "Writes a periodic box of dark matter at high redshift, by Lagrangian "
                    "perturbation theory from a Gaussian random field.");
    add_box(options, request);
    add_background(options, request);
    ranks.add(options);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    set_units(options, request);
    resolve(options, request);
    ranks.resolve(options, "cpu");
    keep_freed_memory(); // for meshes one after the other
    LedParticles* const led = ranks.start();
    const auto made = [&] {
        const double start = wall_clock_seconds();
        Snapshot snapshot = make(request, led);
        if (options.verbosity() == Verbosity::verbose)
            std::printf("the particles took %.3g s\n", wall_clock_seconds() - start);
        add_note(snapshot, box_note(options, request.model.side));
        print_notes(options, snapshot);
        return snapshot;
    };
    return write_output(options, output, made, led);
}

} // namespace chamomile::app
