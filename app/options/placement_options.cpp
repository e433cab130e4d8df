#include "app/options/placement_options.hpp"

#include "chamomile/core/error.hpp"

namespace chamomile::app {

Vec3<double> three_numbers(const std::string& option, const std::string& text)
{
    const std::vector<double> numbers = parse_numbers<double>(option, text, any_number);
    if (numbers.size() != 3)
        throw Error(Fault::usage,
                    option + ": " + text + ": three numbers are needed, as in 0,0,30");
    return {numbers[0], numbers[1], numbers[2]};
}

std::array<double, 3> three_angles(const std::string& option, const std::string& text)
{
    const Vec3<double> angles = three_numbers(option, text);
    return {angles.x, angles.y, angles.z};
}

} // namespace chamomile::app
