// Writes standard Tipsy files: big endian, 32-byte header, single precision, readable by all tools.
// If G is not 1, masses are multiplied by G: the file then has Tipsy's G = 1 and unchanged forces,
// velocities and times. A comoving box gets the units of box_units.hpp.
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "chamomile/io/tipsy/layout.hpp"
#include "chamomile/io/type_order.hpp"

namespace chamomile {
namespace {

constexpr ByteOrder big_endian =
    std::endian::native == std::endian::big ? ByteOrder::host : ByteOrder::swapped;

/// A TipsyWriter writes records in big endian.
class TipsyWriter {
public:
    TipsyWriter(const Snapshot& snapshot, PendingFile& file)
        : snapshot_(snapshot), particles_(snapshot.particles), file_(file), G_(snapshot.G()),
          softening_(snapshot.softening ? snapshot.softening->length / tipsy_softening_to_ours : 0)
    {}

    void write(const TypeOrder& types)
    {
        const auto count = [&](int type) { return std::int32_t(types.count(type)); };
        write_number(snapshot_.time);
        for (std::int32_t number : {std::int32_t(particles_.size()), 3, count(0),
                                    count(1) + count(5), count(2) + count(3) + count(4), 0})
            write_number(number);
        const auto write_type = [&](int type, TipsyKind kind) {
            for (std::size_t k = types.begin[type]; k < types.begin[type + 1]; ++k)
                write_record(types.order[k], kind);
        };
        write_type(0, TipsyKind::gas);
        write_type(1, TipsyKind::dark);
        write_type(5, TipsyKind::dark);
        for (int type : {2, 3, 4})
            write_type(type, TipsyKind::star);
    }

private:
    void write_record(Index i, TipsyKind kind)
    {
        write_float(G_ * particles_.mass[i], i, "mass");
        write_vector(particles_.position[i], i, "position");
        write_vector(particles_.velocity[i], i, "velocity");
        if (kind == TipsyKind::gas) // density, temperature, then smoothing length and metals
            for (double value : {0.0, 0.0, softening(i), 0.0})
                write_float(value, i, "softening");
        else if (kind == TipsyKind::dark)
            write_float(softening(i), i, "softening");
        else // metals, time of formation, softening
            for (double value : {0.0, 0.0, softening(i)})
                write_float(value, i, "softening");
        write_float(snapshot_.has_potentials ? particles_.potential[i] : 0, i, "potential");
    }

    double softening(Index i) const
    {
        return particles_.softening.empty() ? softening_
                                            : particles_.softening[i] / tipsy_softening_to_ours;
    }

    void write_vector(const Vec3<double>& v, Index i, const char* field)
    {
        for (double value : {v.x, v.y, v.z})
            write_float(value, i, field);
    }

    void write_float(double value, Index i, const char* field)
    {
        const float single = float(value);
        if (!std::isfinite(single) || (single == 0 && value != 0))
            throw bad_output(
                file_.target(), std::string(field) + " of id " + std::to_string(particles_.id[i]),
                number_text(value), "must be in the range of single precision, for Tipsy");
        write_number(single);
    }

    template <class T>
    void write_number(T value)
    {
        file_.write_value(in_host_order(value, big_endian));
    }

    const Snapshot& snapshot_;
    const Particles& particles_;
    PendingFile& file_;
    double G_, softening_;
};

} // namespace

void write_tipsy(const Snapshot& snapshot, PendingFile& file)
{
    if (snapshot.particles.size() > std::size_t(std::numeric_limits<std::int32_t>::max()))
        throw bad_output(file.target(), "number of particles",
                         std::to_string(snapshot.particles.size()),
                         "must be at most 2^31 - 1 for Tipsy; write .hdf5 instead");
    if (is_tipsy_box(snapshot))
        TipsyWriter(as_tipsy_box(snapshot), file).write(TypeOrder(snapshot.particles));
    else
        TipsyWriter(snapshot, file).write(TypeOrder(snapshot.particles));
}

} // namespace chamomile
