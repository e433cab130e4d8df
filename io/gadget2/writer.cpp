// Writes GADGET-2 binary snapshots in the machine's byte order. Accelerations and potentials need
// the labels of format 2, otherwise format 1 is written. Precision is single if nothing is lost,
// otherwise double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/gadget2/header.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/io/type_order.hpp"

namespace chamomile {
namespace {

/// A Gadget2Writer chooses format and precision of a file and writes its blocks.
class Gadget2Writer {
public:
    Gadget2Writer(const Snapshot& snapshot, PendingFile& file)
        : particles_(snapshot.particles), file_(file), types_(snapshot.particles),
          labelled_(snapshot.has_accelerations || snapshot.has_potentials)
    {}

    void write(const Snapshot& snapshot)
    {
        Gadget2Header header = header_of(snapshot);
        std::vector<Block> blocks;
        blocks.push_back({"POS ", components(particles_.position, 1)});
        blocks.push_back({"VEL ", components(particles_.velocity, velocity_factor(snapshot))});
        blocks.push_back({"MASS", masses_not_in(header)});
        if (snapshot.has_potentials)
            blocks.push_back({"POT ", potentials()});
        if (snapshot.has_accelerations)
            blocks.push_back({"ACCE", components(particles_.acceleration, 1)});
        header.double_precision =
            !std::all_of(blocks.begin(), blocks.end(), [&](const Block& block) {
                return fits_float(block.values, block.label == "VEL " && snapshot.comoving);
            });

        write_block("HEAD", std::as_bytes(std::span(&header, 1)));
        for (const Block& block : blocks) {
            if (block.values.empty())
                continue;
            if (header.double_precision)
                write_block(block.label, block.values);
            else
                write_block(block.label,
                            std::vector<float>(block.values.begin(), block.values.end()));
            if (block.label == "VEL ")
                write_ids();
        }
    }

private:
    struct Block {
        std::string_view label;
        std::vector<double> values;
    };

    Gadget2Header header_of(const Snapshot& snapshot) const
    {
        Gadget2Header header;
        for (int type = 0; type < 6; ++type) {
            header.count[type] = header.total[type] = std::uint32_t(types_.count(type));
            header.mass[type] = common_mass(type);
        }
        header.time = snapshot.time;
        header.box_size = snapshot.box_size;
        if (const auto& frame = snapshot.comoving) {
            header.redshift = 1 / frame->scale_factor - 1;
            header.omega_matter = frame->omega_matter;
            header.omega_lambda = frame->omega_lambda;
            header.hubble = frame->hubble;
        }
        header.write_units(snapshot.units, snapshot.G(), snapshot.comoving.has_value());
        return header;
    }

    /// Returns the mass of all particles of a type, or 0 if masses differ.
    double common_mass(int type) const
    {
        if (types_.count(type) == 0)
            return 0;
        const double mass = particles_.mass[types_.order[types_.begin[type]]];
        for (std::size_t k = types_.begin[type]; k < types_.begin[type + 1]; ++k)
            if (particles_.mass[types_.order[k]] != mass)
                return 0;
        return mass;
    }

    std::vector<double> components(const std::vector<Vec3<double>>& vectors, double divisor) const
    {
        std::vector<double> values;
        values.reserve(3 * vectors.size());
        for (Index i : types_.order)
            values.insert(values.end(),
                          {vectors[i].x / divisor, vectors[i].y / divisor, vectors[i].z / divisor});
        return values;
    }

    /// Returns whether floats hold the values, up to rounding if the values were scaled.
    static bool fits_float(const std::vector<double>& values, bool are_scaled)
    {
        const double rounding = are_scaled ? std::numeric_limits<double>::epsilon() : 0;
        return std::all_of(values.begin(), values.end(), [&](double value) {
            return std::abs(double(float(value)) - value) <= rounding * std::abs(value);
        });
    }

    std::vector<double> masses_not_in(const Gadget2Header& header) const
    {
        std::vector<double> masses;
        for (Index i : types_.order)
            if (header.mass[particles_.type[i]] == 0)
                masses.push_back(particles_.mass[i]);
        return masses;
    }

    std::vector<double> potentials() const
    {
        std::vector<double> potentials;
        for (Index i : types_.order)
            potentials.push_back(particles_.potential[i]);
        return potentials;
    }

    void write_ids()
    {
        std::vector<std::uint64_t> ids;
        std::uint64_t highest = 0;
        for (Index i : types_.order) {
            ids.push_back(particles_.id[i]);
            highest = std::max(highest, particles_.id[i]);
        }
        if (highest > std::numeric_limits<std::uint32_t>::max())
            write_block("ID  ", ids);
        else
            write_block("ID  ", std::vector<std::uint32_t>(ids.begin(), ids.end()));
    }

    template <class T>
    void write_block(std::string_view label, const std::vector<T>& values)
    {
        write_block(label, std::as_bytes(std::span(values)));
    }

    void write_block(std::string_view label, std::span<const std::byte> data)
    {
        if (data.size() > std::size_t(std::numeric_limits<std::int32_t>::max()))
            throw bad_output(file_.target(), "block " + std::string(label),
                             std::to_string(data.size()) + " bytes",
                             "the format ends at 2^31 - 1; write .hdf5 instead");
        if (labelled_) {
            file_.write_value(std::uint32_t(8));
            file_.write(std::as_bytes(std::span(label.data(), 4)));
            file_.write_value(std::uint32_t(data.size() + 8));
            file_.write_value(std::uint32_t(8));
        }
        file_.write_value(std::uint32_t(data.size()));
        file_.write(data);
        file_.write_value(std::uint32_t(data.size()));
    }

    const Particles& particles_;
    PendingFile& file_;
    TypeOrder types_;
    bool labelled_;
};

} // namespace

void write_gadget2(const Snapshot& snapshot, PendingFile& file)
{
    Gadget2Writer(snapshot, file).write(snapshot);
}

} // namespace chamomile
