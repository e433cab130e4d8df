// Converts device words such as gpu:0,2 to GPU numbers.
#include <algorithm>
#include <charconv>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {
namespace {

/// Returns the numbers n,m,... ; empty for any other text or a repeated number.
std::vector<int> numbers_in(std::string_view text)
{
    std::vector<int> numbers;
    const char *next = text.data(), *end = next + text.size();
    for (;;) {
        int number = 0;
        const auto result = std::from_chars(next, end, number);
        if (result.ec != std::errc() || number < 0 ||
            std::find(numbers.begin(), numbers.end(), number) != numbers.end())
            return {};
        numbers.push_back(number);
        if (result.ptr == end)
            return numbers;
        if (*result.ptr != ',')
            return {};
        next = result.ptr + 1;
    }
}

} // namespace

std::vector<int> choose_gpus(const std::string& device)
{
    if (device == "cpu" || (device == "auto" && list_gpus().empty()))
        return {};
    const bool all = device == "gpu:all";
    std::vector<int> numbers{0};
    if (device.starts_with("gpu:") && !all)
        numbers = numbers_in(std::string_view(device).substr(4));
    else if (device != "auto" && device != "gpu" && !all)
        numbers.clear();
    if (numbers.empty())
        throw Error(Fault::usage, "device: " + device +
                                      ": must be auto, cpu, gpu, gpu:NUMBER, a list of different "
                                      "GPUs as in gpu:0,2, or gpu:all");
    const int count = int(list_gpus().size());
    if (count == 0)
        throw Error(Fault::device, "device: " + device + ": " + why_no_gpu());
    if (*std::max_element(numbers.begin(), numbers.end()) >= count)
        throw Error(Fault::device, "device: " + device + ": this machine has " +
                                       std::to_string(count) + " GPU" + (count == 1 ? "" : "s") +
                                       ", numbered from 0");
    if (all) {
        numbers.resize(std::size_t(count));
        std::iota(numbers.begin(), numbers.end(), 0);
    }
    return numbers;
}

int first_gpu(const std::string& device)
{
    const std::vector<int> numbers = choose_gpus(device);
    return numbers.empty() ? -1 : numbers[0];
}

std::string name_of_gpus(const std::vector<int>& numbers)
{
    std::string name = "gpu:";
    for (const int number : numbers)
        name += (name.back() == ':' ? "" : ",") + std::to_string(number);
    return name;
}

int choose_gpu(const std::string& device)
{
    const std::vector<int> numbers = choose_gpus(device);
    if (numbers.size() > 1)
        throw Error(Fault::usage, "device: " + device + ": must be one GPU");
    return numbers.empty() ? -1 : numbers[0];
}

} // namespace chamomile
