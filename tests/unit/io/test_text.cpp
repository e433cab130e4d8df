// Text columns as written by people and other programs.
#include <clocale>

#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("text");

namespace {

Snapshot read_text_of(const std::string& text)
{
    const TemporaryFolder folder;
    make_file(folder / "a.txt", text);
    return read_snapshot(folder / "a.txt");
}

std::string error_of(const std::string& text)
{
    const TemporaryFolder folder;
    make_file(folder / "a.txt", text);
    return reading_error(folder / "a.txt");
}

} // namespace

TEST_CASE("files with 4, 7, 8, 11 and 12 columns are read")
{
    const Snapshot four = read_text_of("1 2 3 4\n5 6 7 8\n");
    CHECK(four.particles.size() == 2);
    CHECK(four.particles.position[1] == Vec3<double>{6, 7, 8});
    CHECK(four.particles.id == std::vector<std::uint64_t>{1, 2});
    CHECK(four.particles.type[0] == 1);
    CHECK(four.notes.size() == 1); // about the velocities

    const Snapshot seven = read_text_of("1 2 3 4 5 6 7\n");
    CHECK(seven.particles.velocity[0] == Vec3<double>{5, 6, 7});
    CHECK(seven.notes.empty());
    CHECK(read_text_of("1 2 3 4 5 6 7 18446744073709551615").particles.id[0] == ~std::uint64_t(0));

    const Snapshot eleven = read_text_of("1 2 3 4 5 6 7 8 9 10 -11\n");
    CHECK(eleven.has_potentials);
    CHECK(eleven.particles.acceleration[0] == Vec3<double>{8, 9, 10});
    const Snapshot twelve = read_text_of("1 2 3 4 5 6 7 99 8 9 10 -11\n");
    CHECK(twelve.has_accelerations);
    CHECK(twelve.particles.id[0] == 99);
    CHECK(twelve.particles.potential[0] == -11);
}

TEST_CASE("named columns can be in any order")
{
    const Snapshot snapshot = read_text_of("# columns: id z y x mass potential\n7 3 2 1 5 -4\n");
    CHECK(snapshot.particles.id[0] == 7);
    CHECK(snapshot.particles.mass[0] == 5);
    CHECK(snapshot.particles.position[0] == Vec3<double>{1, 2, 3});
    CHECK(snapshot.has_potentials);
    CHECK_FALSE(snapshot.has_accelerations);
}

TEST_CASE("readers accept comments, blank lines, tabs, commas, Windows line ends and plus signs")
{
    const Snapshot snapshot = read_text_of("\xef\xbb\xbf# time: 1.5\r\n# a remark\r\n\r\n"
                                           "+1,2,3,4\r\n 1\t2 3e0 -4.5  # the second\r\n");
    CHECK(snapshot.time == 1.5);
    REQUIRE(snapshot.particles.size() == 2);
    CHECK(snapshot.particles.position[1] == Vec3<double>{2, 3, -4.5});
}

TEST_CASE("a comoving file without a time uses its scale factor")
{
    CHECK(read_text_of("# scale_factor: 0.25\n1 2 3 4\n").time == 0.25);
    CHECK(read_text_of("# scale_factor: 0.25\n# time: 7\n1 2 3 4\n").time == 7);
}

TEST_CASE("Fortran exponents are read")
{
    const Snapshot snapshot = read_text_of("# time: 2.5D-01\n1.0D+00 2d1 -3.D0 4.5E0\n");
    CHECK(snapshot.time == 0.25);
    CHECK(snapshot.particles.mass[0] == 1);
    CHECK(snapshot.particles.position[0] == Vec3<double>{20, -3, 4.5});
    CHECK(contains(error_of("1 2 3 0d\n"), "(z): 0d: must be a number"));
}

TEST_CASE("a comment that may name the columns in another order gives a note")
{
    const struct {
        const char *comment, *row;
        bool noted;
    } cases[] = {
        {"# id ax ay az\n", "1 2 3 4\n", true},
        {"# id ax ay az\n# of my program\n", "1 2 3 4\n", true},
        {"# x y z mass\n", "1 2 3 4\n", true},
        {"# mass x y z\n", "1 2 3 4\n", false},
        {"# m, x[pc], y[pc], z[pc]\n", "1 2 3 4\n", false},
        {"# M X Y Z VX VY VZ\n", "1 2 3 4 5 6 7\n", false},
        {"# mass pos_x pos_y pos_z\n", "1 2 3 4\n", false},
        {"# Mass PosX[pc] PosY[pc] PosZ[pc] VelX VelY VelZ ParticleID\n", "1 2 3 4 5 6 7 8\n",
         false},
        {"# masses x0 y0 z0 v_x0 v_y0 v_z0 ID\n", "1 2 3 4 5 6 7 8\n", false},
        {"# m x_pos y_pos z_pos vel_x vel_y vel_z acc_x acc_y acc_z pot\n",
         "1 2 3 4 5 6 7 8 9 1 2\n", false},
        {"# mass coord_x coord_y coord_z x_velocity y_velocity z_velocity\n", "1 2 3 4 5 6 7\n",
         false},
        {"# mass vel_x vel_y vel_z pos_x pos_y pos_z\n", "1 2 3 4 5 6 7\n", true},
        {"# mass pos_y pos_x pos_z\n", "1 2 3 4\n", true},
        {"# by my own program\n", "1 2 3 4 5 6 7\n", false},
        {"# columns: mass x y z\n# id ax ay az\n", "1 2 3 4\n", false},
    };
    for (const auto& [comment, row, noted] : cases) {
        CAPTURE(comment);
        const Snapshot snapshot = read_text_of(std::string(comment) + row);
        CHECK((!snapshot.notes.empty() && contains(snapshot.notes[0], "despite the comment")) ==
              noted);
    }
    CHECK(read_text_of("# id ax ay az\n1 2 3 4\n").notes[0] ==
          "columns read as mass x y z, despite the comment 'id ax ay az'; name others by '# "
          "columns: ...'");
}

TEST_CASE("very long lines and files without a final newline are read")
{
    std::string text;
    for (int i = 0; i < 300000; ++i)
        text += "1 " + std::to_string(i) + ".25 0 0\n";
    text += "1 -1 0 0 # " + std::string(5 << 20, 'x');
    const Snapshot snapshot = read_text_of(text);
    REQUIRE(snapshot.particles.size() == 300001);
    CHECK(snapshot.particles.position[299999].x == 299999.25);
    CHECK(snapshot.particles.position[300000].x == -1);
}

TEST_CASE("the user's locale does not affect reading")
{
    const char* found = std::setlocale(LC_ALL, "de_DE.UTF-8");
    if (!found)
        MESSAGE("no German locale installed: tested in the C locale only");
    CHECK(read_text_of("0.5 1.5 2.5 3.5\n").particles.mass[0] == 0.5);
    std::setlocale(LC_ALL, "C");
}

TEST_CASE("errors name line and column")
{
    CHECK(contains(error_of("1 2 3 4\n1 2 x 4\n"), "line 2, column 3 (y): x: must be a number"));
    CHECK(contains(error_of("1 2 3 0,5\n"), "5 columns"));
    CHECK(contains(error_of("1 2 3 4\n1 2 3\n"), "line 2: 3 columns"));
    CHECK(contains(error_of("1 2 3 4 5 6 7 8.5\n"), "(id): 8.5"));
    CHECK(contains(error_of("1 2 3 4 5 6 7 -8\n"), "(id): -8"));
    CHECK(contains(error_of("1 2 3 4e999\n"), "(z): 4e999"));
    CHECK(contains(error_of("1 2 3 nan\n"), "particle 0 (id 1), position z: nan"));
    CHECK(contains(error_of("# columns: mass x y\n1 2 3\n"), "must include mass x y z"));
    CHECK(contains(error_of("# columns: mass x y w\n1 2 3 4\n"), "columns: w"));
    CHECK(contains(error_of("# columns: mass x y z vx\n1 2 3 4 5\n"), "need three columns"));
    CHECK(contains(error_of("# columns: mass x y z\n1 2 3 4 5\n"),
                   "5 columns: must be 4, as in the comment"));
    CHECK(contains(error_of("# time: soon\n1 2 3 4\n"), "line 1, time: soon"));
    CHECK(contains(error_of("# unit_length_in_cm: -1\n1 2 3 4\n"), "must be a number > 0"));
    CHECK(contains(error_of("# types: 1*2\n1 2 3 4\n"), "line 1, types: 1*2"));
    CHECK(contains(error_of("# types: 9*1\n1 2 3 4\n"), "types: 9*1"));
    CHECK(contains(error_of("# types: 1\n1 2 3 4\n"), "types: 1"));
    CHECK(contains(error_of("# softening_kind: soft\n1 2 3 4\n"), "must be plummer or spline"));
    CHECK(contains(error_of("Lorem ipsum\n"), "line 1: 2 columns"));
}

TEST_CASE("ambiguous files are refused with an error line")
{
    const std::string particle = "1 2 3 4\n", units = "# unit_mass_in_g: 1\n";
    const struct {
        std::string text;
        const char* part;
    } cases[] = {
        {"0.1,,1,2,0,0,0,1\n", "line 1: 0.1,,1,2,0,0,0,1: must have no empty field between commas"},
        {particle + "1, 2, 3, ,\n", "line 2: 1, 2, 3, ,: must have no empty field between commas"},
        {",1 2 3 4\n", "must have no empty field between commas"},
        {"1,2,3,4,\n", "must have no empty field between commas"},
        {particle + "# columns: x y z mass\n" + particle,
         "line 2, columns: x y z mass: must be before the first particle"},
        {"# columns: mass x y z x\n1 2 3 4 5\n", "columns: x: must be named once"},
        {units + particle, "line 1, unit_mass_in_g: 1: unit_velocity_in_cm_per_s must be stated"},
        {"# unit_velocity_in_cm_per_s: 1\n" + units + particle, "unit_length_in_cm must be stated"},
        {"# unit_length_in_cm: 1\n" + particle, "unit_mass_in_g must be stated, too"},
        {"# units_per_h: 1\n" + particle, "unit_length_in_cm must be stated, too"},
        {"# softening_length: 0.3\n" + particle, "needs softening_kind, plummer or spline"},
        {"# softening_kind: spline\n" + particle, "needs softening_length"},
        {"# omega_matter: 0.3\n" + particle, "scale_factor must be stated, too"},
        {"# hubble: 0.7\n" + particle, "line 1, hubble: 0.7: scale_factor must be stated, too"},
        {"# G: 1\n# G: 2\n" + particle, "line 2, G: 2: line 1 states 1; must be stated once"},
        {"# columns: mass x y z\n# columns: x y z mass\n" + particle, "line 1 states mass x y z"},
        {"# G: -1\n" + particle, "line 1, G: -1: must be a number > 0"},
        {"# G: 0\n" + particle, "line 1, G: 0: must be a number > 0"},
        {"# box_size: 1e300\n" + particle,
         "box_size: 1e+300: must be a number from 1e-100 to 1e+100, or 0"},
        {"# scale_factor: 200\n" + particle,
         "scale_factor: 200: must be a number from 1e-06 to 100"},
        {"# unit_length_in_cm: 1e300\n# unit_velocity_in_cm_per_s: 1e300\n" + units + particle,
         "G of the units: 0: must be a number > 0"},
        {"1 2 3 1e-400\n", "column 4 (z): 1e-400: must be 0 or from 4.9e-324 to 1.8e308"},
        {"1 2 3 4\r5 6 7 8\r", "line 1: a carriage return inside: must end in a line feed"},
        {"# a comment\r1 2 3 4\r", "line 1: a carriage return inside"},
        {"-1 2 3 0 0 0 5\n", "mass: -1: must be finite and 0 or more; read as mass x y z vx vy "
                             "vz; name others by '# columns: ...'"},
    };
    for (const auto& [text, part] : cases) {
        CAPTURE(text);
        CHECK(contains(error_of(text), part));
    }
    // Repeated equal values are harmless, and with a named column nothing is assumed.
    CHECK(read_text_of("# G: 2\n1 2 3 4\n# G: 2\n").G() == 2);
    CHECK(error_of("# columns: mass x y z\n-1 2 3 4\n").ends_with("must be finite and 0 or more"));
    // Names of any length give short lines.
    CHECK(error_of("# columns: " + std::string(70000, 'x') + "\n" + particle).size() < 1000);
}

TEST_CASE("the header reveals a file cut between two lines")
{
    const TemporaryFolder folder;
    write_snapshot(sample_snapshot(7), folder / "a.txt");
    std::string text = file_bytes(folder / "a.txt");
    text.resize(text.rfind('\n', text.size() - 2) + 1);
    CHECK(contains(error_of(text), "types"));
}

TEST_SUITE_END();
