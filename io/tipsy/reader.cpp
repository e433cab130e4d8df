// Reads Tipsy files: standard (big endian) and native (little endian), header of 28 or 32 bytes,
// positions in single or double precision. G = 1, units unknown.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "chamomile/io/tipsy/layout.hpp"

namespace chamomile {
namespace {

constexpr TipsyKind kinds[] = {TipsyKind::gas, TipsyKind::dark, TipsyKind::star};

/// A TipsyHeader is the file header with the detected layout.
struct TipsyHeader {
    ByteOrder order;
    double time;
    std::array<std::int64_t, 3> counts; ///< gas, dark, star
    std::int64_t bytes = 0;             ///< 28 or 32
    bool double_positions = false;
};

std::int64_t expected_size(const TipsyHeader& header)
{
    std::int64_t size = header.bytes;
    for (TipsyKind kind : kinds)
        size += header.counts[std::size_t(kind)] * TipsyRecord(kind, header.double_positions).bytes;
    return size;
}

/// Reads the header. The exact file size determines which of four layouts the file has.
TipsyHeader read_header(const InputFile& file)
{
    const auto dimensions = file.value<std::int32_t>(12);
    TipsyHeader header;
    header.order = dimensions >= 1 && dimensions <= 3 ? ByteOrder::host : ByteOrder::swapped;
    header.time = file.value<double>(0, header.order);
    const std::int64_t bodies = file.value<std::int32_t>(8, header.order);
    for (std::size_t k = 0; k < 3; ++k)
        header.counts[k] = file.value<std::int32_t>(std::int64_t(16 + 4 * k), header.order);
    const auto& [gas, dark, star] = header.counts;
    if (std::min({gas, dark, star}) < 0 || bodies != gas + dark + star)
        throw bad_input(file.path(), "nbodies", std::to_string(bodies),
                        "must be the sum of nsph, ndark and nstar: " + std::to_string(gas) + " + " +
                            std::to_string(dark) + " + " + std::to_string(star));
    if (!std::isfinite(header.time))
        throw bad_input(file.path(), "time", "not finite", "must be finite");

    std::string sizes;
    for (bool double_positions : {false, true})
        for (std::int64_t bytes : {28, 32}) {
            header.bytes = bytes;
            header.double_positions = double_positions;
            if (expected_size(header) == file.size())
                return header;
            sizes += (sizes.empty() ? "" : ", ") + std::to_string(expected_size(header));
        }
    throw bad_input(file.path(), "size", std::to_string(file.size()) + " bytes",
                    "truncated or not Tipsy: " + std::to_string(bodies) +
                        " particles need one of " + sizes + " bytes");
}

/// LastFields accumulates the softening and potential fields of all records.
struct LastFields {
    bool same_softening = true, any_softening = false;
    float softening = 0, wrong_softening = 0; ///< of the last record; an invalid one
    bool any_potential = false, all_below_1 = true, any_like_id = false;
    float wrong_potential = 0; ///< a positive, subnormal or non-finite one; 0: none

    void add(float eps, float phi, bool first)
    {
        same_softening = same_softening && (first || eps == softening);
        any_softening = any_softening || eps != 0;
        softening = eps;
        if (!(eps >= 0) || (eps != 0 && !std::isnormal(eps)))
            wrong_softening = eps;
        any_potential = any_potential || phi != 0;
        if (!(phi <= 0) || (phi != 0 && !std::isnormal(phi)))
            wrong_potential = phi;
        // Ids read as floats: integers below 1065353216 lie between 0 and 1, integers below
        // 500000000 below 1e-20. Real potentials are not that small.
        all_below_1 = all_below_1 && phi >= 0 && phi < 1;
        any_like_id = any_like_id || (phi > 0 && phi < 1e-20f);
    }
};

/// A RecordReader reads consecutive records through a buffer.
class RecordReader {
public:
    RecordReader(const InputFile& file, const TipsyHeader& header) : file_(file), header_(header) {}

    void read(TipsyKind kind, std::int64_t offset, std::size_t begin, Particles& particles,
              LastFields& last)
    {
        constexpr std::int64_t max = 1 << 14;
        const TipsyRecord record(kind, header_.double_positions);
        const std::int64_t count = header_.counts[std::size_t(kind)];
        const std::uint8_t types[] = {0, 1, 4};
        for (std::int64_t done = 0; done < count; done += max) {
            const std::int64_t n = std::min(max, count - done);
            bytes_.resize(std::size_t(n * record.bytes));
            file_.read(offset + done * record.bytes, bytes_);
            for (std::int64_t k = 0; k < n; ++k) {
                const std::size_t i = begin + std::size_t(done + k);
                const std::int64_t at = k * record.bytes;
                particles.id[i] = i + 1;
                particles.type[i] = types[std::size_t(kind)];
                particles.mass[i] = field<float>(at);
                particles.position[i] = header_.double_positions
                                            ? vector<double>(at + TipsyRecord::position)
                                            : vector<float>(at + TipsyRecord::position);
                particles.velocity[i] = vector<float>(at + record.velocity);
                const float phi = field<float>(at + record.potential);
                particles.potential[i] = phi;
                const float eps = field<float>(at + record.softening);
                particles.softening[i] = double(eps) * tipsy_softening_to_ours;
                last.add(eps, phi, i == 0);
            }
        }
    }

private:
    template <class T>
    T field(std::int64_t at) const
    {
        T value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return in_host_order(value, header_.order);
    }

    template <class T>
    Vec3<double> vector(std::int64_t at) const
    {
        constexpr std::int64_t step = sizeof(T);
        return {double(field<T>(at)), double(field<T>(at + step)), double(field<T>(at + 2 * step))};
    }

    const InputFile& file_;
    const TipsyHeader& header_;
    std::vector<std::byte> bytes_;
};

std::string float_text(float value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", double(value));
    return text;
}

/// Sets softening and potentials from these fields. Implausible values are dropped with a note.
void set_last_fields(const LastFields& last, Snapshot& snapshot)
{
    const bool wrong_potentials = last.wrong_potential != 0; // also true for NaN
    const bool ids = wrong_potentials && last.all_below_1 && last.any_like_id;
    snapshot.has_potentials = last.any_potential && !wrong_potentials;
    if (!snapshot.has_potentials)
        std::fill(snapshot.particles.potential.begin(), snapshot.particles.potential.end(), 0.0);
    if (ids)
        snapshot.notes.push_back("potentials look like integer ids of Bonsai: softenings and "
                                 "potentials not read, ids are 1 to N");
    else if (wrong_potentials)
        snapshot.notes.push_back("potentials not read: value " + float_text(last.wrong_potential) +
                                 " is not negative");
    std::vector<double>& own = snapshot.particles.softening;
    if (!ids && last.any_softening && last.wrong_softening == 0 && !last.same_softening) {
        snapshot.softening =
            Softening{SofteningKind::spline, *std::max_element(own.begin(), own.end())};
        snapshot.softening->per_particle = true;
        return;
    }
    own.clear();
    if (ids || !last.any_softening)
        return;
    if (last.wrong_softening != 0)
        snapshot.notes.push_back("softenings not read: value " + float_text(last.wrong_softening) +
                                 " is not a length");
    else
        snapshot.softening =
            Softening{SofteningKind::spline, double(last.softening) * tipsy_softening_to_ours};
}

} // namespace

Snapshot read_tipsy(const InputFile& file)
{
    const TipsyHeader header = read_header(file);
    Snapshot snapshot;
    const bool little =
        (std::endian::native == std::endian::little) == (header.order == ByteOrder::host);
    snapshot.format = std::string("Tipsy, ") +
                      (little ? "native (little endian)" : "standard (big endian)") +
                      (header.double_positions ? ", double-precision positions" : "");
    snapshot.time = header.time;
    snapshot.has_stated_units = false;
    const std::int64_t total = header.counts[0] + header.counts[1] + header.counts[2];
    Particles& particles = snapshot.particles;
    particles.resize(std::size_t(total));
    particles.softening.resize(particles.size());

    RecordReader reader(file, header);
    LastFields last;
    std::int64_t offset = header.bytes;
    std::size_t begin = 0;
    for (TipsyKind kind : kinds) {
        reader.read(kind, offset, begin, particles, last);
        offset +=
            header.counts[std::size_t(kind)] * TipsyRecord(kind, header.double_positions).bytes;
        begin += std::size_t(header.counts[std::size_t(kind)]);
    }
    set_last_fields(last, snapshot);
    warn_of_unscaled_box(snapshot);
    return snapshot;
}

} // namespace chamomile
