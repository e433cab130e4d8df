// This file finds the device that a user's word means.
#include <charconv>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {

int choose_gpu(const std::string& device)
{
    if (device == "cpu")
        return -1;
    if (device == "auto")
        return list_gpus().empty() ? -1 : 0;
    int number = 0;
    if (device.rfind("gpu:", 0) == 0) {
        const char* end = device.data() + device.size();
        const auto result = std::from_chars(device.data() + 4, end, number);
        if (result.ptr != end || result.ec != std::errc() || number < 0)
            number = -1;
    } else if (device != "gpu") {
        number = -1;
    }
    if (number < 0)
        throw Error(Fault::usage, "device: " + device + ": must be auto, cpu, gpu or gpu:NUMBER");
    const auto gpus = list_gpus();
    if (gpus.empty())
        throw Error(Fault::device, "device: " + device + ": " + why_no_gpu());
    if (number >= int(gpus.size()))
        throw Error(Fault::device, "device: " + device + ": this machine has " +
                                       std::to_string(gpus.size()) + " GPU" +
                                       (gpus.size() == 1 ? "" : "s") + ", numbered from 0");
    return number;
}

} // namespace chamomile
