#include "chamomile/force/pairs/text/text_law.hpp"

#include <cmath>
#include <cstring>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/pairs/simd/text_kernels.hpp"
#include "chamomile/force/pairs/text/device_law.hpp"
#include "chamomile/force/pairs/text/device_source.hpp"
#include "chamomile/force/pairs/text/program.hpp"

namespace chamomile {
namespace {

PairKernel host_kernel(int set, bool double_precision)
{
    switch (set) {
#ifdef CHAMOMILE_X86
    case 2:
        return avx512::text_kernel(double_precision);
    case 1:
        return avx2::text_kernel(double_precision);
#endif
    case 0:
        return baseline::text_kernel(double_precision);
    default:
        return nullptr;
    }
}

} // namespace

TextLaw::TextLaw(std::string_view text, const std::string& name)
    : text_(std::make_shared<LawText>(read_law(text, name))), compiled_(compile(*text_))
{
    code_.name = name;
    code_.shape = text_->shape();
    code_.positions = text_->positions;
    code_.bytes = sizeof(TextLawData) + compiled_->shared.size() * sizeof(double);
    for (int set = 0; set < instruction_set_count; ++set)
        for (const bool precise : {false, true})
            code_.host[set][precise] = host_kernel(set, precise);
    code_.program = compiled_;
    code_.device =
        make_text_device_law(name, device_source(*text_, *compiled_), code_.shape, code_.positions);
    for (const LawParameter& parameter : text_->parameters)
        parameters_.push_back(parameter.value);
    fill();
}

void TextLaw::set(const std::string& parameter, double value)
{
    std::vector<std::string> names;
    for (const LawParameter& p : text_->parameters)
        names.push_back(p.name);
    if (!std::isfinite(value))
        throw Error(Fault::usage, code_.name + ": parameter " + parameter + ": must be finite");
    for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == parameter) {
            parameters_[k] = value;
            return fill();
        }
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? ": must be one of " : ", ") + name;
    throw Error(Fault::usage, code_.name + ": parameter " + parameter + ": unknown" +
                                  suggestion(parameter, names) +
                                  (all.empty() ? ": the law has no parameters" : all));
}

void TextLaw::fill()
{
    static_assert(sizeof(TextLawData) == sizeof(double));
    const auto numbers = shared_numbers(*text_, *compiled_, parameters_);
    const TextLawData header{&compiled_->program};
    data_.resize(1 + numbers.size());
    std::memcpy(data_.data(), &header, sizeof header);
    std::copy(numbers.begin(), numbers.end(), data_.begin() + 1);
}

} // namespace chamomile
