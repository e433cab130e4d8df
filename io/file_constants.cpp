#include "chamomile/io/file_constants.hpp"

#include "chamomile/core/softening_words.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

/// A StatedNumber is a number from a file, with its allowed range.
struct StatedNumber {
    const char* name;
    double value;
    Range range;
    const char* needed = nullptr; ///< replaces the range in error messages
};

/// Returns the numbers in the order of checking: units before G, because G may follow from the
/// units.
std::vector<StatedNumber> stated_numbers(const Snapshot& snapshot)
{
    const Units& units = snapshot.units;
    const Softening softening = snapshot.softening.value_or(Softening{});
    const ComovingFrame frame = snapshot.comoving.value_or(ComovingFrame{});
    return {
        {"time", snapshot.time, ranges::any},
        {"box size", snapshot.box_size, ranges::side_or_none},
        {"unit of length", units.length_in_cm, ranges::positive},
        {"unit of mass", units.mass_in_g, ranges::positive},
        {"unit of velocity", units.velocity_in_cm_per_s, ranges::positive},
        {"physical units", double(units.physical), ranges::any},
        {"units per h", double(units.per_hubble), ranges::any},
        {snapshot.gravitational_constant ? "G" : "G of the units", snapshot.G(), ranges::positive},
        {"softening length", softening.length, ranges::not_negative},
        {"kind of softening", double(softening.kind), ranges::any},
        {"comoving coordinates", double(snapshot.comoving.has_value()), ranges::any},
        {"scale factor", frame.scale_factor, ranges::scale_factor},
        {"Omega_m", frame.omega_matter, ranges::omega_matter_or_none},
        {"Omega_Lambda", frame.omega_lambda, ranges::omega_lambda},
        {"Omega_r", frame.omega_radiation, ranges::omega_radiation},
        {"w0", frame.w0, ranges::w0},
        {"wa", frame.wa, ranges::wa},
        {"h", frame.hubble, ranges::hubble_or_none, "must be H0 in 100 km/s/Mpc, such as 0.7"},
        {"largest physical softening length", frame.physical_softening, ranges::not_negative}};
}

void check(const std::filesystem::path& file, const std::string& field, double value,
           const Range& range, const char* needed)
{
    constexpr double rounding = 1e-9; // the final a of a run is exp(ln a)
    const bool finite = 0 * value == 0;
    if (finite && (range.contains(value) || range.contains(value * (1 - rounding)) ||
                   range.contains(value * (1 + rounding))))
        return;
    throw bad_input(file, field, number_text(value),
                    needed ? needed
                           : std::string(finite ? "must be a number" : "must be a finite number") +
                                 range.words());
}

} // namespace

double checked(const std::filesystem::path& file, const std::string& field, double value,
               const Range& range)
{
    check(file, field, value, range, nullptr);
    return value;
}

void check_stated(const Snapshot& snapshot, const std::filesystem::path& file)
{
    for (const auto& [name, value, range, needed] : stated_numbers(snapshot))
        check(file, name, value, range, needed);
}

void check_same(const Snapshot& first, const Snapshot& piece, const std::filesystem::path& file)
{
    const std::vector<StatedNumber> wanted = stated_numbers(first), found = stated_numbers(piece);
    for (std::size_t k = 0; k < wanted.size(); ++k)
        if (found[k].value != wanted[k].value)
            throw bad_input(file, found[k].name, number_text(found[k].value),
                            "must be equal to the first piece, " + number_text(wanted[k].value));
}

std::optional<Softening> stated_softening(const std::filesystem::path& file,
                                          const std::optional<std::string>& kind,
                                          const std::optional<double>& length)
{
    if (!kind && !length)
        return {};
    if (!kind)
        throw bad_input(file, "softening_length", number_text(*length),
                        "needs softening_kind, " + softening_choices());
    const std::optional<SofteningKind> known = softening_kind_of(*kind);
    if (!known)
        throw bad_input(file, "softening_kind", *kind, "must be " + softening_choices());
    if (!length)
        throw bad_input(file, "softening_kind", *kind, "needs softening_length");
    return Softening{*known, checked(file, "softening_length", *length, ranges::not_negative)};
}

} // namespace chamomile
