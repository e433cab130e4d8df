/// \file  What a build with CUDA adds to laws given as text.
#pragma once

#include <memory>
#include <string>

#include "chamomile/pairs/law_code.hpp"

namespace chamomile {

/// Kernels for `struct TextLaw` (pairs/text/device_source.hpp), compiled when they are first asked
/// for; null in a build without CUDA. `name`: as errors call the law.
std::shared_ptr<const DeviceLaw> make_text_device_law(const std::string& name,
                                                      const std::string& law, LawShape shape,
                                                      bool positions);

} // namespace chamomile
