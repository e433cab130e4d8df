// Quantities with units against hand-computed factors, and refusals.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/options/typed_number.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/io/unit_conversion.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("quantity");

namespace {

const UnitFrame galactic{Units::gadget(false)}, per_h{Units::gadget(true), 0.7, false},
    per_unknown_h{Units::gadget(true)}, nbody;

std::string said(const char* text, Dimension dimension, const UnitFrame& frame)
{
    try {
        return in_frame("--x", text, dimension, frame);
    } catch (const Error& error) {
        CHECK(error.fault() == Fault::usage);
        return error.what();
    }
}

constexpr Dimension named[] = {dimensions::length,         dimensions::mass,
                               dimensions::time,           dimensions::velocity,
                               dimensions::acceleration,   dimensions::momentum,
                               dimensions::energy,         dimensions::angular_momentum,
                               dimensions::potential,      dimensions::gravity,
                               dimensions::surface_density};

} // namespace

TEST_CASE("quantities convert to numbers in the unit frame")
{
    struct Case {
        const char* text;
        Dimension dimension;
        const UnitFrame& frame;
        double value;
    };
    const Case cases[] = {{"1 Gyr", dimensions::time, galactic, 3.15576e16 / 3.085678e16},
                          {"1Myr", dimensions::time, galactic, 1.0227120e-3},
                          {"-2.5e1 Myr", dimensions::time, galactic, -0.0255678},
                          {"50pc", dimensions::length, galactic, 0.05},
                          {"+5 AU", dimensions::length, galactic, 5 * 1.495978707e13 / 3.085678e21},
                          {"1e12Msun", dimensions::mass, galactic, 100},
                          {"3 1e10 Msun", dimensions::mass, galactic, 3},
                          {"220 km/s", dimensions::velocity, galactic, 220},
                          {"1 kpc/Gyr", dimensions::velocity, galactic, 3.085678e16 / 3.15576e16},
                          {"10 Msun/pc^2", dimensions::surface_density, galactic, 1e-3},
                          {"4.30071e-6 kpc km^2/s^2/Msun", dimensions::gravity, galactic, 43007.1},
                          {"4.30071e-6kpc (km/s)^2/Msun", dimensions::gravity, galactic, 43007.1},
                          {"50Mpc/h", dimensions::length, per_h, 50000},
                          {"50Mpc", dimensions::length, per_h, 35000},
                          {"50Mpc/h", dimensions::length, per_unknown_h, 50000},
                          {"1e12 Msun", dimensions::mass, per_h, 70},
                          {"7kpc/h", dimensions::length, {galactic.units, 0.7, true}, 10},
                          {"1 km/s", dimensions::velocity, per_unknown_h, 1}};
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(std::stod(said(c.text, c.dimension, c.frame)) ==
              doctest::Approx(c.value).epsilon(1e-6));
    }
    CHECK(said("0.25", dimensions::length, nbody) ==
          "0.25"); // plain numbers stay unchanged in any units
    CHECK(said("0.1,0.20", dimensions::length, galactic) == "0.1,0.20");
    CHECK(said("1pc, 2, 3 kpc", dimensions::length, galactic) == "0.001,2,3");
    CHECK(said("0,1:3:1kpc,5", dimensions::length, galactic) == "0,1:3:1,5");
    CHECK(said("1pc:3:1kpc", dimensions::length, galactic) == "0.001:3:1");
}

TEST_CASE("wrong quantities are refused with an error line")
{
    struct Case {
        const char* text;
        Dimension dimension;
        const UnitFrame& frame;
        const char* line;
    };
    const Case cases[] = {
        {"3Gyr", dimensions::length, galactic, "3Gyr: is a time: must be a length, such as 50 pc"},
        {"3 Mpc/h", dimensions::time, galactic,
         "3 Mpc/h: is a length: must be a time, such as 1 Gyr"},
        {"3 h", dimensions::length, galactic, "3 h: is a pure number: must be a length"},
        {"3kpx", dimensions::length, galactic, "3kpx: kpx: unknown unit: must be one of cm, m, km"},
        {"3kpx", dimensions::length, galactic, "did you mean 'kpc'?"},
        {"3 kpc//s", dimensions::length, galactic, "'/s': not a unit"},
        {"3 (kpc", dimensions::length, galactic, "'': not a unit"},
        {"3 kpc^", dimensions::length, galactic, "'': not a unit"},
        {"3 kpc^99", dimensions::length, galactic, "unit"},
        {"3 0 kpc", dimensions::length, galactic, "unit"},
        {"3 kpc", dimensions::length, nbody,
         "the particles are in N-body units (G = 1): must be a plain number"},
        {"3 kpc", dimensions::length, per_unknown_h,
         "h is unknown: must be a quantity per h, as in 1 kpc/h"},
        {"2 Gyr", dimensions::time, per_unknown_h,
         "h is unknown: must be a quantity per h, as in 1 Gyr/h"},
        {"3 kpc/h", dimensions::length, galactic, "h is unknown: must be a quantity without h"},
        {"3 Myr", dimensions::time, per_h, "times of a comoving run are ln a"}};
    for (const Case& c : cases) {
        const std::string line = said(c.text, c.dimension, c.frame);
        CAPTURE(line);
        CHECK(line.starts_with(std::string("--x: ") + c.text + ": "));
        CHECK(line.find(c.line) != std::string::npos);
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("printed unit names can be read back")
{
    for (const char* system : {"galactic", "stellar", "planetary", "cosmological", "gadget",
                               "pc,1e6Msun,km/s", "3.5kpc,5.6e10Msun", "Gpc,Msun,kpc/Gyr"}) {
        const UnitFrame frame{unit_system("--units", system), 0, true};
        for (const Dimension d : named) {
            const std::string name = unit_name(d, frame.units);
            CAPTURE(name);
            CHECK(std::stod(said(("1 " + name).c_str(), d, frame)) ==
                  doctest::Approx(1).epsilon(1e-4));
            CHECK(name.find(',') == std::string::npos); // appears in CSV headings
        }
    }
    CHECK(unit_name(dimensions::time, galactic.units) == "kpc/(km/s)");
    CHECK(unit_name(dimensions::energy, galactic.units) == "1e10 Msun (km/s)^2");
    CHECK(unit_name(dimensions::surface_density, per_h.units) == "1e10 Msun/h/(kpc/h)^2");
    CHECK(unit_name(dimensions::length, nbody.units).empty());
    CHECK(heading("r50", dimensions::length, galactic.units) == "r50 [kpc]");
    CHECK(heading("r50", dimensions::length, nbody.units) == "r50");
    CHECK(time_quantity(1.02272, galactic.units) == "1.02272 (1.00001 Gyr)");
}

TEST_CASE("number series expand as typed; malformed series are refused")
{
    using List = std::vector<double>;
    const auto read = [](const char* text) { return parse_series("--x", text, ranges::any); };
    CHECK(read("0,0.5,1:5:1") == List{0, 0.5, 1, 2, 3, 4, 5});
    CHECK(read("0.1:0.4:0.1") == List{0.1, 0.2, 0.3, 0.4}); // as typed, unrounded
    CHECK(read("0:1:0.4") == List{0, 0.4, 0.8});
    CHECK(read("9:0:-3") == List{9, 6, 3, 0});
    CHECK(read("-0.3:0.3:0.3") == List{-0.3, 0, 0.3});
    CHECK(read("2:2:1") == List{2});
    CHECK(read("0:1e-3:1e-5").size() == 101);
    for (const char* wrong :
         {"", "1,", "1:2", "1:2:3:4", "1:2:0", "2:1:1", "0:1:1e-7", "0:inf:1", "1:2:x", "nan"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(read(wrong), const Error&);
    }
}

TEST_CASE("unit systems have the right G; malformed systems are refused")
{
    CHECK(unit_system("--units", "galactic").gravitational_constant() ==
          doctest::Approx(43007.1).epsilon(1e-5));
    CHECK(unit_system("--units", "planetary").gravitational_constant() == doctest::Approx(1));
    const Units planets = unit_system("--units", "planetary"); // a year equals 2 pi
    CHECK(std::stod(said("1 yr", dimensions::time, {planets})) ==
          doctest::Approx(6.2832).epsilon(1e-3));
    for (const char* wrong : {"galactik", "kpc", "kpc,Msun,km/s,s", "Msun,kpc", "kpc/h,Msun",
                              "kpc/h,Msun/h,km/s/h", "kpc,,km/s", ""}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(unit_system("--units", wrong), const Error&);
    }
}

TEST_CASE("unit conversion preserves dimensionless ratios")
{
    Snapshot snapshot = make_plummer({.particles = 40, .seed = 3});
    choose_units(snapshot, unit_system("", "3kpc,2e10Msun"), ""); // N-body units get names
    CHECK(snapshot.G() == 1);
    snapshot.softening = Softening{SofteningKind::spline, 0.1};
    snapshot.time = 2;
    snapshot.box_size = 8;
    const Snapshot before = snapshot;
    convert_units(snapshot, Units::gadget(false), "");
    CHECK(snapshot.particles.position[7].x == doctest::Approx(3 * before.particles.position[7].x));
    CHECK(snapshot.particles.mass[7] == doctest::Approx(2 * before.particles.mass[7]));
    CHECK(snapshot.softening->length == doctest::Approx(0.3));
    CHECK(snapshot.box_size == doctest::Approx(24));
    const auto ratio = [](const Snapshot& s) { // G m / (x v^2) is dimensionless
        return s.G() * s.particles.mass[7] / s.particles.position[7].x /
               (s.particles.velocity[7].y * s.particles.velocity[7].y);
    };
    const auto turns = [](const Snapshot& s) {
        return s.particles.velocity[7].y * s.time / s.particles.position[7].x;
    };
    CHECK(ratio(snapshot) == doctest::Approx(ratio(before)));
    CHECK(turns(snapshot) == doctest::Approx(turns(before)));
    convert_units(snapshot, before.units, "");
    CHECK(snapshot.time == doctest::Approx(2));

    Snapshot stated = make_plummer({.particles = 4});
    CHECK_THROWS_WITH_AS(choose_units(stated, Units::gadget(false), "--units: galactic"),
                         doctest::Contains("in N-body units (G = 1)"), const Error&);
    stated.has_stated_units = false;
    choose_units(stated, Units::gadget(false), "--units: galactic");
    CHECK(stated.G() == doctest::Approx(43007.1).epsilon(1e-5));
    CHECK_THROWS_WITH_AS(choose_units(stated, Units::gadget(true), "--units: gadget"),
                         doctest::Contains("h is unknown"), const Error&);

    Snapshot rounded = make_plummer({.particles = 4}); // a text file with '# G: 0.0045'
    rounded.gravitational_constant = 0.0045;
    CHECK_THROWS_WITH_AS(choose_units(rounded, Units::gadget(false), "--units: galactic"),
                         doctest::Contains("galactic: the file states G = 0.0045, but 43007.1057"),
                         const Error&);
    choose_units(rounded, unit_system("--units", "pc,Msun,pc/Myr"), "--units");
    CHECK(rounded.units.physical);
    CHECK(rounded.G() == 0.0045);
}

TEST_SUITE_END();
