#include "chamomile/run/structures/linear_theory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "chamomile/core/cosmology/growth.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile {
namespace {

Background checked_background(const Snapshot& snapshot)
{
    if (!snapshot.comoving || !snapshot.units.physical)
        throw Error(Fault::usage,
                    "{fits}: needs a file in comoving coordinates and physical units");
    for (const auto& [name, value] : {std::pair("Omega_m", snapshot.comoving->omega_matter),
                                      std::pair("h", snapshot.comoving->hubble)})
        if (!(value > 0))
            throw Error(Fault::usage, "{fits}: needs " + std::string(name) + " in the file");
    const Background background = background_of(*snapshot.comoving);
    const double a = snapshot.comoving->scale_factor;
    validate(background, std::min(a, 1.), std::max(a, 1.));
    return background;
}

/// Returns a value stated by 'chamomile model cosmology' and runs of its boxes.
std::optional<double> provenance_number(const Snapshot& snapshot, const char* name)
{
    const auto found = snapshot.provenance.find(name);
    if (found == snapshot.provenance.end())
        return {};
    double value = 0;
    const std::string& text = found->second;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc() && value > 0 ? std::optional(value) : std::nullopt;
}

TransferKind transfer_in_provenance(const Snapshot& snapshot)
{
    const auto found = snapshot.provenance.find(provenance_transfer);
    for (const auto& [name, kind] : transfer_names())
        if (found != snapshot.provenance.end() && found->second == name)
            return kind;
    return TransferKind::eisenstein_hu;
}

PowerOptions power_of(const TheoryRequest& request, const Background& background,
                      const Snapshot& snapshot)
{
    PowerOptions power;
    power.background = background;
    power.sigma8 = request.sigma8 ? request.sigma8 : provenance_number(snapshot, provenance_sigma8);
    power.spectral_index = request.spectral_index.value_or(
        provenance_number(snapshot, provenance_spectral_index).value_or(power.spectral_index));
    power.omega_baryon = request.omega_baryon.value_or(
        provenance_number(snapshot, provenance_omega_baryon).value_or(power.omega_baryon));
    const TransferKind of_file = transfer_in_provenance(snapshot);
    if (!request.table.empty())
        power.transfer = TransferKind::power_table;
    else if (!request.transfer.empty())
        power.transfer = TransferKind::transfer_table;
    else if (of_file == TransferKind::no_wiggle)
        power.transfer = of_file;
    else if (of_file != TransferKind::eisenstein_hu && !request.omega_baryon)
        throw Error(Fault::usage,
                    "{fits}: initial conditions from a table: give the table as " +
                        std::string(of_file == TransferKind::power_table ? "{linear-power}"
                                                                         : "{transfer-table}") +
                        " FILE, or {omega-b} for the transfer function of Eisenstein & Hu");
    power.table = request.table.empty() ? request.transfer : request.table;
    return power;
}

double growth_since(const Background& background, double a)
{
    return growth(background, a).D1 / growth(background, 1).D1;
}

} // namespace

const std::vector<std::pair<std::string, TransferKind>>& transfer_names()
{
    static const std::vector<std::pair<std::string, TransferKind>> names{
        {"eisenstein-hu", TransferKind::eisenstein_hu},
        {"no-wiggle", TransferKind::no_wiggle},
        {"transfer-table", TransferKind::transfer_table},
        {"power-table", TransferKind::power_table}};
    return names;
}

std::string sigma8_note(double sigma8)
{
    constexpr double max = 2;
    return sigma8 > max
               ? formatted("sigma8 %.6g: observations give about 0.8; check the number", sigma8)
               : "";
}

Theory::Theory(const TheoryRequest& request, const Snapshot& snapshot)
    : background_(checked_background(snapshot)), power_(power_of(request, background_, snapshot)),
      linear_(power_),
      growth_squared_(std::pow(growth_since(background_, snapshot.comoving->scale_factor), 2)),
      to_per_hubble_(snapshot.units.per_hubble ? 1 : background_.hubble),
      halofit_([this](double k) { return linear(k); }, background_,
               snapshot.comoving->scale_factor),
      mass_function_(linear_, background_, redshift_of(snapshot))
{}

std::vector<std::string> Theory::assumed(const TheoryRequest& request,
                                         const Snapshot& snapshot) const
{
    const bool is_table = power_.transfer == TransferKind::power_table;
    const bool takes_baryons = power_.table.empty();
    std::string values, remedy;
    const auto add = [&](bool assumed, const char* name, double value, const char* option) {
        if (!assumed)
            return;
        values += (values.empty() ? "" : ", ") + formatted("%s %.6g", name, value);
        remedy += std::string(remedy.empty() ? "" : ", ") + option;
    };
    add(!request.sigma8 && !is_table && !provenance_number(snapshot, provenance_sigma8), "sigma8",
        linear_.sigma(8), "{sigma8}");
    add(!request.spectral_index && !is_table &&
            !provenance_number(snapshot, provenance_spectral_index),
        "n_s", power_.spectral_index, "{n-s}");
    add(!request.omega_baryon && takes_baryons &&
            !provenance_number(snapshot, provenance_omega_baryon),
        "Omega_b", power_.omega_baryon, "{omega-b}");
    std::vector<std::string> notes;
    if (!values.empty())
        notes.push_back("linear theory: neither the file nor the options give " + values +
                        ": assumed; give " + remedy);
    if (const std::string note = sigma8_note(linear_.sigma(8)); !note.empty())
        notes.push_back(note);
    return notes;
}

std::string Theory::heading() const
{
    const std::string begin = formatted("# linear theory: sigma8 %.6g, n_s %.6g, ",
                                        linear_.sigma(8), power_.spectral_index);
    if (!power_.table.empty())
        return begin + one_line(power_.table.string()) +
               formatted(", extrapolated below k = %.4g and beyond %.4g h/Mpc\n", linear_.min_k(),
                         linear_.max_k());
    return begin + formatted("Omega_b %.6g%s\n", power_.omega_baryon,
                             power_.transfer == TransferKind::no_wiggle ? ", no wiggles" : "");
}

std::unique_ptr<Theory> make_theory(const TheoryRequest& request, Snapshot& snapshot)
{
    if (!request.wanted)
        return nullptr;
    auto theory = std::make_unique<Theory>(request, snapshot);
    for (const std::string& note : theory->assumed(request, snapshot))
        snapshot.notes.push_back(note);
    return theory;
}

} // namespace chamomile
