/// \file  `chamomile model cosmology`.
#include "app/models/model_cosmology.hpp"

#include <cmath>

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/cosmology/initial_conditions.hpp"
#include "chamomile/run/structures/linear_theory.hpp"

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
    Background& background = request.model.power.background;
    options.group("Background and power spectrum (defaults near those of Planck 2015 and 2018)");
    options.number("omega-m", background.omega_matter, ranges::omega_matter, "matter today");
    options.number("omega-l", request.omega_lambda, ranges::omega_lambda,
                   "dark energy today; what makes space flat unless given");
    options.number("omega-r", background.omega_radiation, ranges::omega_radiation,
                   "radiation today");
    options.number("w0", background.w0, ranges::w0, "of dark energy, w = w0 + wa (1 - a)");
    options.number("wa", background.wa, ranges::wa, "of dark energy");
    options.number("hubble", background.hubble, ranges::hubble, "H0 in 100 km/s/Mpc");
    options.number("omega-b", request.model.power.omega_baryon, positive,
                   "baryons, part of the matter");
    options.number("n-s", request.model.power.spectral_index, any_number, "spectral index");
    options.number("sigma8", request.model.power.sigma8, Range{0, 3, true},
                   "rms in spheres of 8 Mpc/h today, linear; 0.811 unless given, or a power "
                   "table's own normalisation");
    options.number("A-s", request.model.power.primordial, positive,
                   "amplitude of the primordial spectrum at 0.05/Mpc, instead");
    options.choice(
        "transfer", request.model.power.transfer, transfer_names(),
        "Eisenstein & Hu's (1998) fit, with or without acoustic oscillations, or a table");
    options.text("table", "FILE", request.table,
                 "of lines 'k T' (or CAMB's 7 columns and more) or 'k P', k in h/Mpc");
}

void add_box(Options& options, Request& request)
{
    InitialConditionsOptions& model = request.model;
    options.group("Box");
    options.number("box", model.side, positive, "side in Mpc/h", dimensions::length);
    options.number("n", model.particles, between(2, 1624),
                   "particles along a side, an even number");
    options.number("z-start", model.redshift, Range{ranges::redshift.min, 1e4}, "redshift");
    options.number("lpt", model.order, between(1, 2),
                   "order of perturbation theory: 1 Zel'dovich, 2 2LPT");
    options.number("seed", model.field.seed, not_negative,
                   "same seed, same waves for any n, same bytes for any number of threads");
    options.flag("fixed", model.field.fixed, "amplitudes exactly those of the spectrum");
    options.flag("paired", model.field.paired, "all waves with the opposite sign");
    options.choice("load", model.load,
                   {{"grid", ParticleLoad::grid}, {"glass", ParticleLoad::glass}},
                   "where particles are without waves");
    options.number("glass", model.glass, between(2, 512),
                   "particles along a side of the glass that is repeated; a divisor of n");
    options.group("File");
    options.flag("Mpc", request.in_Mpc, "write Mpc/h instead of kpc/h");
    options.number(
        "eps", request.softening, not_negative,
        "comoving softening length in these units; 1/30 of the mean spacing unless given",
        dimensions::length);
    options.choice("softening", request.softening_kind,
                   {{"plummer", SofteningKind::plummer}, {"spline", SofteningKind::spline}},
                   "law of the softening");
    options.number("eps-max", request.physical_softening, not_negative,
                   "largest physical softening length; 0: no limit", dimensions::length);
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
                 {is_table, "omega-b", "is for the fit of Eisenstein & Hu; the table has its own"},
                 {power.transfer == TransferKind::power_table, "n-s",
                  "contradicts a power table, which has its own"},
                 {request.model.load != ParticleLoad::glass, "glass", "needs --load glass"}});
    power.table = request.table;
    record_input(request.table);
}

Snapshot make(const Request& request)
{
    const InitialConditionsOptions& model = request.model;
    Snapshot snapshot;
    snapshot.units = Units::gadget(true);
    Units in_Mpc = snapshot.units;
    in_Mpc.length_in_cm *= 1000;
    snapshot.particles = make_initial_conditions(model, in_Mpc.gravitational_constant());
    const double unit = request.in_Mpc ? 1 : 1000;
    if (request.in_Mpc)
        snapshot.units = in_Mpc;
    else
        for (Vec3<double>& x : snapshot.particles.position)
            x = unit * x;
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
    snapshot.provenance[provenance_sigma8] = shortest(linear.sigma(8));
    const TransferKind transfer = model.power.transfer;
    for (const auto& [name, kind] : transfer_names())
        if (kind == transfer)
            snapshot.provenance[provenance_transfer] = name;
    if (transfer != TransferKind::power_table)
        snapshot.provenance[provenance_spectral_index] = shortest(model.power.spectral_index);
    if (transfer == TransferKind::eisenstein_hu || transfer == TransferKind::no_wiggle)
        snapshot.provenance[provenance_omega_baryon] = shortest(model.power.omega_baryon);
    return snapshot;
}

} // namespace

int model_cosmology(const std::vector<std::string>& arguments)
{
    Request request;
    Output output;
    Options options("model cosmology",
                    "Writes a periodic box of dark matter at high redshift, by Lagrangian "
                    "perturbation theory from a Gaussian random field.");
    add_box(options, request);
    add_background(options, request);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    set_units(options, request);
    resolve(options, request);
    return write_output(options, output, [&] { return make(request); });
}

} // namespace chamomile::app
