/// \file  Kernels for laws given as text, with CUDA.
#pragma once

#include <memory>
#include <string>

#include "chamomile/force/pairs/law_code.hpp"

namespace chamomile {

/// Returns kernels for `struct TextLaw` (force/pairs/text/device_source.hpp), compiled at first
/// use; null without CUDA. `name`: the law, in errors.
std::shared_ptr<const DeviceLaw> make_text_device_law(const std::string& name,
                                                      const std::string& law, LawShape shape,
                                                      bool positions);

} // namespace chamomile
