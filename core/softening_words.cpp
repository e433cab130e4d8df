#include "chamomile/core/softening_words.hpp"

#include <iterator>

#include "chamomile/core/number_text.hpp"

namespace chamomile {

std::vector<std::pair<std::string, SofteningKind>> softening_words()
{
    std::vector<std::pair<std::string, SofteningKind>> words;
    for (const SofteningForm& form : softening_forms)
        words.emplace_back(form.word, form.kind);
    return words;
}

std::optional<SofteningKind> softening_kind_of(std::string_view word)
{
    for (const SofteningForm& form : softening_forms)
        if (word == form.word)
            return form.kind;
    return {};
}

std::string softening_choices()
{
    std::string choices;
    for (const SofteningForm& form : softening_forms) {
        const bool is_last = &form == std::end(softening_forms) - 1;
        choices += (choices.empty() ? "" : is_last ? " or " : ", ") + std::string(form.word);
    }
    return choices;
}

std::string reaches_text()
{
    std::string text;
    for (const SofteningForm& form : softening_forms)
        if (form.reach > 0)
            text += (text.empty() ? "the " : ", the ") + std::string(form.name) +
                    " is Newtonian beyond " + number_text(form.reach) + " lengths";
    return text;
}

} // namespace chamomile
