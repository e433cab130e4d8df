// Tipsy files built byte by byte.
#include <bit>
#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "tests/unit/snapshot_fixture.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("tipsy");

namespace {

struct Variant {
    bool big_endian = true;
    int header_bytes = 32;
    bool double_positions = false;
};

constexpr std::int32_t gas = 2, dark = 3, star = 4;

ByteOrder order_of(const Variant& variant)
{
    const bool host_is_big = std::endian::native == std::endian::big;
    return host_is_big == variant.big_endian ? ByteOrder::host : ByteOrder::swapped;
}

/// `phi` for all particles: a float, or the bits of an integer.
template <class Phi>
std::string tipsy_file(const Variant& variant, Phi phi, float dark_softening = 0.5f)
{
    Bytes file(order_of(variant));
    file.add(2.5).add(gas + dark + star).add(std::int32_t(3)).add(gas).add(dark).add(star);
    if (variant.header_bytes == 32)
        file.add(std::int32_t(0));
    for (std::int32_t i = 0; i < gas + dark + star; ++i) {
        file.add(float(i + 1));
        for (int axis = 0; axis < 3; ++axis)
            if (variant.double_positions)
                file.add(double(i) + 0.1 * axis);
            else
                file.add(float(i) + 0.5f * float(axis));
        for (int axis = 0; axis < 3; ++axis)
            file.add(float(-i) - float(axis));
        if (i < gas)
            file.add(7.0f).add(8.0f).add(0.5f).add(9.0f);
        else if (i < gas + dark)
            file.add(dark_softening);
        else
            file.add(7.0f).add(8.0f).add(0.5f);
        file.add(phi);
    }
    return file.text();
}

} // namespace

TEST_CASE("readers accept standard and native byte order, both headers and double positions")
{
    const TemporaryFolder folder;
    for (bool big_endian : {true, false})
        for (int header_bytes : {28, 32})
            for (bool double_positions : {false, true}) {
                make_file(folder / "a",
                          tipsy_file({big_endian, header_bytes, double_positions}, -2.0f));
                const Snapshot snapshot = read_snapshot(folder / "a");
                CAPTURE(snapshot.format);
                CHECK(contains(snapshot.format, big_endian ? "standard" : "native"));
                CHECK(contains(snapshot.format, "double") == double_positions);
                const Particles& particles = snapshot.particles;
                REQUIRE(particles.size() == gas + dark + star);
                CHECK(snapshot.time == 2.5);
                CHECK(snapshot.G() == 1);
                CHECK(snapshot.has_potentials);
                REQUIRE(snapshot.softening.has_value());
                CHECK(snapshot.softening->kind == SofteningKind::spline);
                CHECK(snapshot.softening->reach() == within(1e-14, 1));
                for (int i = 0; i < gas + dark + star; ++i) {
                    const auto k = std::size_t(i);
                    CHECK(particles.type[k] == (i < gas ? 0 : i < gas + dark ? 1 : 4));
                    CHECK(particles.mass[k] == i + 1);
                    CHECK(particles.position[k].z ==
                          (double_positions ? double(i) + 0.1 * 2 : double(i) + 1.0));
                    CHECK(particles.velocity[k] == Vec3<double>{-i + 0.0, -i - 1.0, -i - 2.0});
                    CHECK(particles.potential[k] == -2);
                }
            }
}

TEST_CASE("truncated files and wrong counts are refused")
{
    const TemporaryFolder folder;
    const std::string whole = tipsy_file({}, 0.0f);
    for (std::size_t size = 1; size < whole.size(); ++size) {
        make_file(folder / "cut", whole.substr(0, size));
        CHECK(!reading_error(folder / "cut").empty());
    }
    std::string wrong = whole;
    wrong[11] = char(wrong[11] + 1); // nbodies
    make_file(folder / "sum", wrong);
    CHECK(contains(reading_error(folder / "sum"), "nbodies: 10"));
}

TEST_CASE("readers recognise integers in place of potentials")
{
    const TemporaryFolder folder;
    make_file(folder / "a", tipsy_file({.big_endian = false}, std::int32_t(4711)));
    const Snapshot snapshot = read_snapshot(folder / "a");
    CHECK_FALSE(snapshot.has_potentials);
    CHECK_FALSE(snapshot.softening.has_value());
    REQUIRE(snapshot.notes.size() == 1);
    CHECK(contains(snapshot.notes[0], "Bonsai"));
}

TEST_CASE("invalid potentials and softenings are skipped with a note")
{
    const TemporaryFolder folder;
    const struct {
        float phi, eps; ///< eps: for dark particles; others have 0.5
        bool potentials, softening;
        const char* note;
    } cases[] = {
        {-2.0f, 0.5f, true, true, nullptr},
        {0.0f, 0.5f, false, true, nullptr},
        {4.6e-4f, 0.5f, false, true, "potentials not read: value 0.00046 is not negative"},
        {1e31f, 0.5f, false, true, "potentials not read: value 1e+31 is not negative"},
        {NAN, 0.5f, false, true, "potentials not read: value nan"},
        {std::bit_cast<float>(100000000), 0.5f, false, false, "integer ids of Bonsai"},
        {std::bit_cast<float>(200000000), 0.5f, false, false, "integer ids of Bonsai"},
        {-2.0f, -0.5f, true, false, "softenings not read: value -0.5 is not a length"},
        {-2.0f, NAN, true, false, "softenings not read: value nan"},
        {-2.0f, std::bit_cast<float>(4711), true, false, "softenings not read: value 6.60152e-42"},
    };
    for (const auto& [phi, eps, potentials, softening, note] : cases) {
        CAPTURE(phi);
        CAPTURE(eps);
        make_file(folder / "a", tipsy_file({}, phi, eps));
        const Snapshot snapshot = read_snapshot(folder / "a");
        CHECK(snapshot.has_potentials == potentials);
        CHECK(snapshot.softening.has_value() == softening);
        REQUIRE(snapshot.notes.size() == (note ? 1 : 0));
        if (note)
            CHECK(contains(snapshot.notes[0], note));
    }
}

TEST_CASE("differing softenings become per-particle softening")
{
    const TemporaryFolder folder;
    make_file(folder / "a", tipsy_file({}, 0.0f, 0.25f));
    const Snapshot snapshot = read_snapshot(folder / "a");
    CHECK(snapshot.notes.empty());
    REQUIRE(snapshot.softening);
    CHECK(snapshot.softening->per_particle);
    CHECK(snapshot.softening->length == 0.5 * 2 / 2.8);
    for (std::size_t i = 0; i < snapshot.particles.size(); ++i)
        CHECK(snapshot.particles.softening[i] ==
              (snapshot.particles.type[i] == 1 ? 0.25 : 0.5) * 2 / 2.8);
}

TEST_CASE("writers use the standard format, fold G into masses and keep the softening")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot();
    snapshot.units = Units::gadget(true);
    snapshot.softening = Softening{SofteningKind::spline, 0.7};
    write_snapshot(snapshot, folder / "a.tipsy");
    const Snapshot back = read_snapshot(folder / "a.tipsy");
    CHECK(contains(back.format, "standard"));
    CHECK(back.softening->length == within(1e-7, 0.7));
    const auto total = [](const Particles& p) {
        return std::accumulate(p.mass.begin(), p.mass.end(), 0.0);
    };
    CHECK(back.G() * total(back.particles) ==
          within(1e-6, snapshot.G() * total(snapshot.particles)));
    CHECK(back.time == snapshot.time);
    // Types 2, 3 and 4 are stars, 1 and 5 dark.
    const auto number = [&](int type) {
        return std::count(back.particles.type.begin(), back.particles.type.end(), type);
    };
    CHECK(number(0) + number(1) + number(4) == 597);
    CHECK(number(1) == 199);
    CHECK(number(4) == 298);
}

TEST_CASE("comoving boxes have side 1, critical density 1 and velocities dx/dt")
{
    const TemporaryFolder folder;
    Snapshot snapshot = sample_snapshot();
    const double side = 50000, h = 0.7, a = 0.25, omega = 0.3;
    snapshot.units = Units::gadget(true);
    snapshot.box_size = side;
    snapshot.time = a;
    snapshot.comoving = ComovingFrame{a, omega, 1 - omega, h};
    // 3 H0^2 / (8 pi G) in units of 1e10 Msun/h and kpc/h is 2.775e-8
    double mass = 0;
    for (double m : snapshot.particles.mass)
        mass += m;
    for (double& m : snapshot.particles.mass)
        m *= omega * 2.7755e-8 * side * side * side / mass;
    for (Vec3<double>& x : snapshot.particles.position)
        x = Vec3<double>{side / 2, side / 2, side / 2} + 20.0 * x;
    write_snapshot(snapshot, folder / "a.tipsy");

    Snapshot raw = read_snapshot(folder / "a.tipsy");
    double sum = 0;
    for (double m : raw.particles.mass)
        sum += m;
    CHECK(sum == within(1e-3, omega));
    CHECK(raw.time == a);
    // The side is 50 Mpc/h; H0 = 100 h km/s/Mpc is sqrt(8 pi/3) = 2.8944 in these units.
    const double unit = 5000 / 2.894405;
    const auto first_gas =
        std::size_t(std::find(snapshot.particles.type.begin(), snapshot.particles.type.end(), 0) -
                    snapshot.particles.type.begin());
    CHECK(raw.particles.velocity[0].x ==
          within(1e-5, snapshot.particles.velocity[first_gas].x / a / unit));
    CHECK(raw.particles.position[0].y ==
          within(1e-5, snapshot.particles.position[first_gas].y / side - 0.5));

    Snapshot back = raw;
    set_box_scale(back, {50 * 3.085678e24 / h, h}, "--box-length");
    REQUIRE(back.comoving.has_value());
    CHECK(back.box_size == 1);
    CHECK(back.comoving->omega_matter == within(1e-3, omega));
    CHECK(back.comoving->hubble == h);
    CHECK(back.G() == within(1e-12, 1));
    CHECK(back.units.hubble_rate(h) == within(1e-6, 2.894405));
    CHECK(back.particles.velocity[0].x * back.units.velocity_in_cm_per_s ==
          within(1e-5, 1e5 * snapshot.particles.velocity[first_gas].x));
    CHECK_THROWS_WITH_AS(set_box_scale(back, {1, h}, "--box-length"),
                         doctest::Contains("needs a file without units"), Error);
    raw.time = 0;
    CHECK_THROWS_WITH_AS(set_box_scale(raw, {1, h}, "--box-length"),
                         doctest::Contains("must be a scale factor"), Error);
}

TEST_CASE("an apparent comoving box gives a note with the options to read it")
{
    const TemporaryFolder folder;
    const struct {
        double time, side, middle, mass;
        bool told;
    } cases[] = {{0.01, 0.9375, 0, 0.3, true}, {1, 0.9999, 0, 1, true},
                 {0, 0.9375, 0, 0.3, false},   {1.5, 0.9375, 0, 0.3, false},
                 {0.01, 2, 0, 0.3, false},     {0.01, 0.9375, 0.5, 0.3, false},
                 {0.01, 0.5, 0, 0.3, false},   {0.01, 0.9375, 0, 2, false}};
    for (const auto& [time, side, middle, mass, told] : cases) {
        Snapshot snapshot;
        snapshot.time = time;
        snapshot.particles.resize(8);
        for (std::size_t i = 0; i < 8; ++i) {
            const auto x = [&](std::size_t bit) { return middle + side * (i & bit ? 0.5 : -0.5); };
            snapshot.particles.id[i] = i + 1;
            snapshot.particles.mass[i] = mass / 8;
            snapshot.particles.position[i] = {x(1), x(2), x(4)};
        }
        write_snapshot(snapshot, folder / "a.tipsy");
        Snapshot back = read_snapshot(folder / "a.tipsy");
        CAPTURE(time);
        CAPTURE(side);
        REQUIRE(back.notes.size() == (told ? 1 : 0));
        if (!told)
            continue;
        CHECK(contains(back.notes[0], "give run, info or convert {box-length}"));
        set_box_scale(back, {3e26, 0.7}, "--box-length");
        CHECK_FALSE(contains(back.notes[0], "looks like"));
    }
}

TEST_CASE("values beyond single precision are refused")
{
    const TemporaryFolder folder;
    for (double value : {1e40, 1e-60, 1e150}) {
        Snapshot snapshot = sample_snapshot(7);
        snapshot.particles.position[3].y = value;
        CHECK_THROWS_WITH_AS(
            write_snapshot(snapshot, folder / "a.tipsy"),
            doctest::Contains(("position of id " + std::to_string(snapshot.particles.id[3]) + ": " +
                               number_text(value) + ": must be in the range of single precision")
                                  .c_str()),
            Error);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_SUITE_END();
