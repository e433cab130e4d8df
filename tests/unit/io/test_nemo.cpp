// NEMO files, built item by item from the description of NEMO's structured files.
#include <bit>

#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("nemo");

namespace {

/// A NemoFile appends items: a word, a type, a tag, dimensions ending with 0 for arrays, data.
class NemoFile {
public:
    explicit NemoFile(ByteOrder order = ByteOrder::host) : bytes_(order) {}

    NemoFile& begin(const std::string& tag) { return head(0x0992, "(", tag); }
    NemoFile& end()
    {
        bytes_.add(std::uint16_t(0x0992)).add_text(std::string(")\0", 2));
        return *this;
    }
    template <class T>
    NemoFile& one(const std::string& type, const std::string& tag, T value)
    {
        head(0x0992, type, tag);
        bytes_.add(value);
        return *this;
    }
    template <class T>
    NemoFile& many(const std::string& type, const std::string& tag,
                   const std::vector<std::int32_t>& dimensions, const std::vector<T>& values)
    {
        head(0x0b92, type, tag);
        for (std::int32_t n : dimensions)
            bytes_.add(n);
        bytes_.add(std::int32_t(0));
        for (T value : values)
            bytes_.add(value);
        return *this;
    }
    const std::string& text() const { return bytes_.text(); }

private:
    NemoFile& head(std::uint16_t word, const std::string& type, const std::string& tag)
    {
        bytes_.add(word).add_text(type + '\0').add_text(tag + '\0');
        return *this;
    }

    Bytes bytes_;
};

constexpr std::int32_t n = 5;

/// Values that encode their location: particle i in array `which`.
double value(int i, int which, int axis = 0)
{
    return 0.25 * i + 10 * which + 100 * axis - 3;
}

template <class T>
std::vector<T> values(int which, int components = 1)
{
    std::vector<T> all;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < components; ++k)
            all.push_back(T(value(i, which + k / 3, k % 3)));
    return all;
}

/// The contents of a snapshot besides masses, and their form.
struct Form {
    bool single = false, phase_space = true;
    std::int32_t coordinates = 0201402;
    std::vector<std::int32_t> keys = {};
};

template <class T>
void add_snapshot(NemoFile& file, const Form& form, double time)
{
    const std::string type = sizeof(T) == 4 ? "f" : "d";
    std::vector<T> masses;
    for (int i = 0; i < n; ++i)
        masses.push_back(T(i + 1));
    file.begin("SnapShot").begin("Parameters").one("i", "Nobj", n).one(type, "Time", T(time)).end();
    file.begin("Particles").one("i", "CoordSystem", form.coordinates);
    file.many(type, "Mass", {n}, masses);
    if (form.phase_space)
        file.many(type, "PhaseSpace", {n, 2, 3}, values<T>(1, 6));
    else
        file.many(type, "Position", {n, 3}, values<T>(1, 3))
            .many(type, "Velocity", {n, 3}, values<T>(2, 3));
    file.many(type, "Potential", {n}, values<T>(-7))
        .many(type, "Acceleration", {n, 3}, values<T>(4, 3));
    file.many(type, "Aux", {n}, values<T>(0));
    if (!form.keys.empty())
        file.many("i", "Key", {n}, form.keys);
    file.end().end();
}

std::string nemo_file(const Form& form, ByteOrder order = ByteOrder::host, int snapshots = 1)
{
    NemoFile file(order);
    const std::string history = "mkplummer out=x nbody=5";
    file.many("c", "History", {std::int32_t(history.size())},
              std::vector<char>(history.begin(), history.end()));
    file.begin("SnapShot").begin("Diagnostics").one("d", "Etot", -0.25).end().end();
    for (int k = 0; k < snapshots; ++k)
        if (form.single)
            add_snapshot<float>(file, form, 2.5 + k);
        else
            add_snapshot<double>(file, form, 2.5 + k);
    return file.text();
}

} // namespace

TEST_CASE("readers accept single and double, phase space and vectors, both byte orders")
{
    const TemporaryFolder folder;
    const std::vector<std::int32_t> keys = {7, 3, 0, 12, 4};
    for (bool single : {false, true})
        for (bool phase_space : {false, true})
            for (ByteOrder order : {ByteOrder::host, ByteOrder::swapped}) {
                make_file(
                    folder / "a",
                    nemo_file({.single = single, .phase_space = phase_space, .keys = keys}, order));
                const Snapshot snapshot = read_snapshot(folder / "a");
                CAPTURE(snapshot.format);
                const bool little =
                    (std::endian::native == std::endian::little) == (order == ByteOrder::host);
                CHECK(snapshot.format == (little ? "NEMO, little endian" : "NEMO, big endian"));
                CHECK(snapshot.time == 2.5);
                CHECK(snapshot.G() == 1);
                CHECK(snapshot.has_potentials);
                CHECK(snapshot.has_accelerations);
                CHECK(snapshot.notes == std::vector<std::string>{"not read: Aux"});
                REQUIRE(snapshot.particles.size() == n);
                for (int i = 0; i < n; ++i) {
                    const auto k = std::size_t(i);
                    const Particles& p = snapshot.particles;
                    CHECK(p.id[k] == std::uint64_t(keys[k]));
                    CHECK(p.type[k] == 1);
                    CHECK(p.mass[k] == i + 1);
                    CHECK(p.position[k] ==
                          Vec3<double>{value(i, 1), value(i, 1, 1), value(i, 1, 2)});
                    CHECK(p.velocity[k] ==
                          Vec3<double>{value(i, 2), value(i, 2, 1), value(i, 2, 2)});
                    CHECK(p.acceleration[k] ==
                          Vec3<double>{value(i, 4), value(i, 4, 1), value(i, 4, 2)});
                    CHECK(p.potential[k] == value(i, -7));
                }
            }
}

TEST_CASE("readers take the first of several snapshots and note keys unusable as ids")
{
    const TemporaryFolder folder;
    make_file(folder / "a", nemo_file({.keys = {1, 1, 2, 3, 4}}, ByteOrder::host, 3));
    const Snapshot snapshot = read_snapshot(folder / "a");
    CHECK(snapshot.time == 2.5);
    CHECK(snapshot.particles.id == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
    REQUIRE(snapshot.notes.size() == 3);
    CHECK(contains(snapshot.notes[0], "ids are 1 to N"));
    CHECK(contains(snapshot.notes[1], "file with 3 snapshots: reads the first"));
}

TEST_CASE("truncated and invalid files are refused with an error line")
{
    const TemporaryFolder folder;
    const std::string whole = nemo_file({});
    const std::size_t last = whole.size() - 4; // the end of the set
    for (std::size_t size = 5; size <= last; size += size < 200 || size + 40 > last ? 1 : 7) {
        make_file(folder / "cut", whole.substr(0, size));
        CHECK(!reading_error(folder / "cut").empty());
    }
    NemoFile no_mass, wrong_count, empty, no_number, characters;
    no_mass.begin("SnapShot").begin("Parameters").one("i", "Nobj", n).end();
    no_mass.begin("Particles").many("d", "PhaseSpace", {n, 2, 3}, values<double>(1, 6)).end().end();
    wrong_count.begin("SnapShot").begin("Parameters").one("i", "Nobj", n).end();
    std::vector<double> fewer = values<double>(1, 6);
    fewer.resize(6 * (n - 1));
    wrong_count.begin("Particles").many("d", "PhaseSpace", {n - 1, 2, 3}, fewer).end().end();
    empty.begin("SnapShot").begin("Diagnostics").one("d", "Etot", 1.0).end().end();
    no_number.begin("SnapShot")
        .begin("Particles")
        .many("d", "PhaseSpace", {n, 2, 3}, values<double>(1, 6))
        .end()
        .end();
    characters.begin("SnapShot").begin("Parameters").one("i", "Nobj", n).end();
    characters.begin("Particles").many("i", "Mass", {n}, std::vector<std::int32_t>(n, 1));
    characters.many("d", "PhaseSpace", {n, 2, 3}, values<double>(1, 6)).end().end();
    for (const auto& [text, line] :
         {std::pair(no_mass.text(), "Mass: missing"),
          {wrong_count.text(), "PhaseSpace: 24 values: must be 30"},
          {empty.text(), "SnapShot: none with particles"},
          {no_number.text(), "Nobj: missing"},
          {characters.text(), "Mass: i: must be type f or d"},
          {nemo_file({.coordinates = 0201401}), "CoordSystem: 66305"},
          {std::string("\x92\x09(\0SnapShot\0) ", 15), "must begin an item of NEMO"}}) {
        make_file(folder / "bad", text);
        CHECK(contains(reading_error(folder / "bad"), line));
    }
}

TEST_SUITE_END();
