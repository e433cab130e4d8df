/// \file  A law given as text, in the spirit of the pipeline description in Hamada & Iitaka (2007).
///
///     const std::string gravity = R"(
///         target position x y z
///         source position x y z, m
///         sum ax ay az
///         parameter eps2 = 0
///         dx = source.x - target.x
///         dy = source.y - target.y
///         dz = source.z - target.z
///         ri = rsqrt(dx*dx + dy*dy + dz*dz + eps2)
///         w = m * ri^3
///         ax += w*dx
///         ay += w*dy
///         az += w*dz)";
///     TextLaw law(gravity, "gravity");
///     law.set("eps2", 1e-4);
///     const auto solver = make_pair_solver(law);   // force/pairs/pair_solver.hpp
///
/// See docs/howto/own_law.md for the language.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/force/pairs/text/law_text.hpp"

namespace chamomile {

struct CompiledText;

/// A law's code with its parameter values.
class TextLaw {
public:
    /// Reads and compiles the law.
    /// Throws Error(input) `NAME: line L, column C: what is wrong: what is allowed`.
    TextLaw(std::string_view text, const std::string& name);

    /// Returns records and their names, parameters and their defaults.
    const LawText& text() const { return *text_; }
    /// Returns the parameters by number.
    const std::vector<double>& parameters() const { return parameters_; }
    /// Sets a parameter. Throws Error(usage) for an unknown parameter or a non-finite value.
    void set(const std::string& parameter, double value);

    const LawCode& code() const { return code_; }
    /// Returns the bytes that make_pair_solver() copies, with the parameters in force.
    const void* data() const { return data_.data(); }

private:
    void fill();

    std::shared_ptr<const LawText> text_;
    std::shared_ptr<const CompiledText> compiled_;
    LawCode code_;
    std::vector<double> parameters_, data_;
};

inline std::unique_ptr<PairSolver> make_pair_solver(const TextLaw& law,
                                                    const PairOptions& options = {})
{
    return make_pair_solver(law.code(), law.data(), options);
}

} // namespace chamomile
