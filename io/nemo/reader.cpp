// Reads NEMO snapshots, which are structured binary files (Barnes, Hut & Teuben). A file is a
// sequence of items: one-letter type, tag, dimensions and data. Sets begin with "(" and end with
// ")". The set SnapShot contains the sets Parameters and Particles. G = 1, units unknown.
#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_set>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {
namespace {

constexpr std::uint16_t single = 0x0992, plural = 0x0b92; ///< magic word before each item
constexpr std::int64_t longest_tag = 64, max_dimensions = 9;

/// Returns the bytes per value of a type; 0 for ends of sets and unknown types.
int width_of(char type)
{
    switch (type) {
    case 'a':
    case 'b':
    case 'c':
        return 1;
    case 's':
    case 'h':
        return 2;
    case 'i':
    case 'f':
        return 4;
    case 'l':
    case 'd':
        return 8;
    default:
        return 0;
    }
}

/// A NemoItem is the description of an item, without its data.
struct NemoItem {
    char type = 0;
    std::string tag;
    std::vector<std::int64_t> dimensions; ///< empty: a single value
    std::int64_t data = 0, count = 1;     ///< offset and number of values

    bool begins_set() const { return type == '('; }
    bool ends_set() const { return type == ')'; }
};

/// A NemoItems iterates over the items of a file.
class NemoItems {
public:
    explicit NemoItems(const InputFile& file) : file_(file)
    {
        const auto word = file.value<std::uint16_t>(0);
        order_ = word == single || word == plural ? ByteOrder::host : ByteOrder::swapped;
    }

    const InputFile& file() const { return file_; }
    ByteOrder order() const { return order_; }

    /// Returns the next item, or nothing at the end of the file.
    std::optional<NemoItem> next()
    {
        if (at_ == file_.size())
            return {};
        const auto word = take<std::uint16_t>();
        if (word != single && word != plural)
            throw bad_input(file_.path(), "byte " + std::to_string(at_ - 2), std::to_string(word),
                            "no item of NEMO begins here");
        NemoItem item;
        const std::string type = read_text("type");
        item.type = type.size() == 1 ? type[0] : '\0';
        if (!item.ends_set())
            item.tag = read_text("tag");
        if (word == plural)
            read_dimensions(item);
        item.data = at_;
        const int width = width_of(item.type);
        if (width == 0 && !item.begins_set() && !item.ends_set())
            throw bad_input(file_.path(), item.tag, type, "is no type of NEMO");
        if (item.count > (file_.size() - at_) / std::max(width, 1) && width > 0)
            throw bad_input(file_.path(), item.tag, std::to_string(item.count) + " values",
                            "are more than the file holds; it is truncated");
        at_ += item.count * width;
        return item;
    }

    /// Reads values of an item, starting at value `first`.
    void read_scalars(const NemoItem& item, std::int64_t first, std::span<double> values) const
    {
        const int width = width_of(item.type);
        file_.read_reals(item.data + first * width, width, order_, values);
    }

private:
    template <class T>
    T take()
    {
        const T value = file_.value<T>(at_, order_);
        at_ += sizeof(T);
        return value;
    }

    std::string read_text(const char* what)
    {
        std::string text;
        for (char c = take<char>(); c != '\0'; c = take<char>()) {
            if (std::int64_t(text.size()) == longest_tag)
                throw bad_input(file_.path(), what, text, "is longer than NEMO's longest");
            text += c;
        }
        return text;
    }

    void read_dimensions(NemoItem& item)
    {
        for (auto n = take<std::int32_t>(); n != 0; n = take<std::int32_t>()) {
            if (n < 0 || std::int64_t(item.dimensions.size()) == max_dimensions ||
                item.count > file_.size() / n)
                throw bad_input(file_.path(), item.tag, std::to_string(n),
                                "is no dimension of what the file can hold");
            item.dimensions.push_back(n);
            item.count *= n;
        }
    }

    const InputFile& file_;
    ByteOrder order_;
    std::int64_t at_ = 0;
};

/// A NemoSnapshot holds the items of one SnapShot that the reader needs.
struct NemoSnapshot {
    std::optional<NemoItem> bodies, time, coordinates, mass, phase_space, position, velocity,
        potential, acceleration, key, softening;

    bool has_particles() const { return phase_space || position; }

    /// Stores the item if the reader needs it. Returns whether it does.
    bool keep(const std::string& set, const NemoItem& item)
    {
        const struct {
            const char *set, *tag;
            std::optional<NemoItem>& place;
        } places[] = {{"Parameters", "Nobj", bodies},
                      {"Parameters", "Time", time},
                      {"Particles", "CoordSystem", coordinates},
                      {"Particles", "Mass", mass},
                      {"Particles", "PhaseSpace", phase_space},
                      {"Particles", "Position", position},
                      {"Particles", "Velocity", velocity},
                      {"Particles", "Potential", potential},
                      {"Particles", "Acceleration", acceleration},
                      {"Particles", "Key", key},
                      {"Particles", "Eps", softening}};
        for (const auto& [its_set, tag, place] : places)
            if (set == its_set && item.tag == tag) {
                place = item;
                return true;
            }
        return false;
    }
};

/// Contents holds the first snapshot with particles, and the number of snapshots.
struct Contents {
    NemoSnapshot first;
    std::size_t snapshots = 0;
    std::vector<std::string> others; ///< tags of unread particle data
};

Contents read_items(NemoItems& items)
{
    Contents contents;
    NemoSnapshot now;
    std::vector<std::string> sets;
    while (const std::optional<NemoItem> item = items.next()) {
        if (item->begins_set()) {
            sets.push_back(item->tag);
            continue;
        }
        if (item->ends_set()) {
            if (sets.empty())
                throw bad_input(items.file().path(), "sets", "an end without a beginning",
                                "the file is damaged");
            if (sets.size() == 1 && sets[0] == "SnapShot") {
                if (now.has_particles() && ++contents.snapshots == 1)
                    contents.first = now;
                now = {};
            }
            sets.pop_back();
            continue;
        }
        if (sets.size() == 2 && sets[0] == "SnapShot" && !now.keep(sets[1], *item) &&
            sets[1] == "Particles" && contents.snapshots == 0)
            contents.others.push_back(item->tag);
    }
    if (!sets.empty())
        throw bad_input(items.file().path(), "sets", sets.back() + " without its end",
                        "the file is truncated");
    return contents;
}

/// A NemoParticles converts the items of a snapshot to particles.
class NemoParticles {
public:
    NemoParticles(const NemoItems& items, const NemoSnapshot& from, Snapshot& to)
        : items_(items), from_(from), snapshot_(to), particles_(to.particles)
    {}

    void read()
    {
        const std::int64_t n = std::int64_t(whole(require(from_.bodies, "Nobj"), 1)[0]);
        if (n < 0 || n > items_.file().size())
            throw error("Nobj", std::to_string(n), "is no number of particles in this file");
        particles_.resize(std::size_t(n));
        std::fill(particles_.type.begin(), particles_.type.end(), std::uint8_t(1));
        read_coordinates();
        read_numbers(require(from_.mass, "Mass"), particles_.mass);
        if (from_.time) {
            require_shape(*from_.time, 1);
            items_.read_scalars(*from_.time, 0, std::span(&snapshot_.time, 1));
        }
        snapshot_.has_potentials = from_.potential.has_value();
        if (from_.potential)
            read_numbers(*from_.potential, particles_.potential);
        snapshot_.has_accelerations = from_.acceleration.has_value();
        if (from_.acceleration)
            read_vectors(*from_.acceleration, {&particles_.acceleration});
        read_ids();
        if (from_.softening)
            snapshot_.notes.push_back("the softenings of the particles (Eps) were not read: the "
                                      "file does not say of which law");
    }

private:
    FileError error(const std::string& field, const std::string& value, const std::string& allowed)
    {
        return bad_input(items_.file().path(), field, value, allowed);
    }

    const NemoItem& require(const std::optional<NemoItem>& item, const char* tag)
    {
        if (!item)
            throw error(tag, "missing", "is needed");
        return *item;
    }

    /// Throws unless the item has `count` real values.
    void require_shape(const NemoItem& item, std::int64_t count)
    {
        if (item.type != 'd' && item.type != 'f')
            throw error(item.tag, std::string(1, item.type), "type f or d is needed");
        if (item.count != count)
            throw error(item.tag, std::to_string(item.count) + " values",
                        std::to_string(count) + " are needed");
    }

    void read_coordinates()
    {
        constexpr int cartesian = 0201402; ///< positions and velocities in three dimensions
        if (from_.coordinates && whole(*from_.coordinates, 1)[0] != cartesian)
            throw error("CoordSystem", std::to_string(whole(*from_.coordinates, 1)[0]),
                        "66306 is needed: Cartesian positions and velocities in 3 dimensions");
        if (from_.phase_space)
            return read_vectors(*from_.phase_space, {&particles_.position, &particles_.velocity});
        read_vectors(*from_.position, {&particles_.position});
        if (from_.velocity)
            read_vectors(*from_.velocity, {&particles_.velocity});
        else
            snapshot_.notes.push_back("no velocities: they are zero");
    }

    void read_numbers(const NemoItem& item, std::vector<double>& numbers)
    {
        require_shape(item, std::int64_t(particles_.size()));
        items_.read_scalars(item, 0, numbers);
    }

    /// Reads the vectors of each particle into these arrays, which are interleaved in the file.
    void read_vectors(const NemoItem& item, std::vector<std::vector<Vec3<double>>*> arrays)
    {
        constexpr std::size_t max = 1 << 14;
        const std::size_t n = particles_.size(), each = 3 * arrays.size();
        require_shape(item, std::int64_t(n * each));
        std::vector<double> part;
        for (std::size_t done = 0; done < n; done += max) {
            part.resize(std::min(max, n - done) * each);
            items_.read_scalars(item, std::int64_t(done * each), part);
            for (std::size_t k = 0; k < part.size(); k += 3)
                (*arrays[k / 3 % arrays.size()])[done + k / each] = {part[k], part[k + 1],
                                                                     part[k + 2]};
        }
    }

    std::vector<std::int64_t> whole(const NemoItem& item, std::size_t count)
    {
        if (item.type != 'i' && item.type != 'l')
            throw error(item.tag, std::string(1, item.type), "type i or l is needed");
        if (item.count != std::int64_t(count))
            throw error(item.tag, std::to_string(item.count) + " values",
                        std::to_string(count) + " are needed");
        const int width = width_of(item.type);
        std::vector<std::uint64_t> bits(count);
        items_.file().read_integers(item.data, width, items_.order(), bits);
        std::vector<std::int64_t> values(count);
        for (std::size_t i = 0; i < count; ++i)
            values[i] = width == 4 ? std::int32_t(bits[i]) : std::int64_t(bits[i]);
        return values;
    }

    /// Uses NEMO's keys as ids if all differ and none is negative.
    void read_ids()
    {
        for (std::size_t i = 0; i < particles_.size(); ++i)
            particles_.id[i] = i + 1;
        if (!from_.key)
            return;
        const std::vector<std::int64_t> keys = whole(*from_.key, particles_.size());
        std::unordered_set<std::int64_t> seen(keys.begin(), keys.end());
        if (seen.size() == keys.size() &&
            std::all_of(keys.begin(), keys.end(), [](std::int64_t key) { return key >= 0; }))
            std::copy(keys.begin(), keys.end(), particles_.id.begin());
        else
            snapshot_.notes.push_back("the keys are not different: ids are 1 to N");
    }

    const NemoItems& items_;
    const NemoSnapshot& from_;
    Snapshot& snapshot_;
    Particles& particles_;
};

std::string listed(const std::vector<std::string>& names)
{
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : ", ") + name;
    return list;
}

} // namespace

Snapshot read_nemo(const InputFile& file)
{
    NemoItems items(file);
    const Contents contents = read_items(items);
    if (contents.snapshots == 0)
        throw bad_input(file.path(), "SnapShot", "none with particles", "one is needed");
    Snapshot snapshot;
    const bool little =
        (std::endian::native == std::endian::little) == (items.order() == ByteOrder::host);
    snapshot.format = std::string("NEMO, ") + (little ? "little endian" : "big endian");
    snapshot.has_stated_units = false;
    NemoParticles(items, contents.first, snapshot).read();
    if (contents.snapshots > 1)
        snapshot.notes.push_back("the file holds " + std::to_string(contents.snapshots) +
                                 " snapshots: the first was read");
    if (!contents.others.empty())
        snapshot.notes.push_back("not read: " + listed(contents.others));
    return snapshot;
}

} // namespace chamomile
