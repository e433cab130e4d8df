#include "chamomile/force/pairs/text/law_text.hpp"

#include <cmath>

#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/pairs/text/expression_reader.hpp"

namespace chamomile {
namespace {

constexpr int max_values = 32;

/// Reads a law line by line.
class LawReader {
public:
    LawReader(std::string_view text, const std::string& name)
        : words_(text, name), expressions_(words_, law_, names_)
    {
        law_.name = name;
    }

    /// Sets target, source and sum; the text then does not declare them.
    void declare(const LawText& declared)
    {
        is_declared_ = true;
        const auto number = [](std::map<std::string, int, std::less<>>& names,
                               const std::vector<std::string>& list) {
            for (const std::string& name : list)
                names.emplace(name, int(names.size()));
        };
        law_.target = declared.target;
        law_.source = declared.source;
        law_.sum = declared.sum;
        number(names_.target, law_.target);
        number(names_.source, law_.source);
        number(names_.sum, law_.sum);
        sum_places_.assign(law_.sum.size(), Place{1, 1});
    }

    LawText law()
    {
        if (words_.at_end())
            words_.refuse(
                {1, 1},
                is_declared_
                    ? "empty text: must have a line " + law_.sum.front() + " += ..."
                    : "empty law: must have lines of target, source and sum, and lines SUM += ...");
        while (!words_.at_end()) {
            line();
            words_.take(); // the end of the line
        }
        if (!in_assignments_)
            end_declarations(words_.now());
        for (std::size_t k = 0; k < law_.sum.size(); ++k)
            if (law_.added[k] < 0)
                words_.refuse(sum_places_[k], law_.sum[k] +
                                                  ": sum without terms: must have a line " +
                                                  law_.sum[k] + " += ...");
        return std::move(law_);
    }

private:
    void line()
    {
        const Word& word = words_.now();
        if (word.kind != Word::Kind::name)
            words_.refuse(word.place,
                          quoted(word) + ": must be a declaration, NAME = ... or SUM += ...");
        const bool declares = word.is("target") || word.is("source") || word.is("sum") ||
                              word.is("parameter") || word.is("dimensions");
        if (declares && is_declared_ && !word.is("parameter"))
            words_.refuse(word.place, quoted(word) + ": already declared: must be a parameter");
        if (!declares) {
            if (!in_assignments_ && is_assignment())
                end_declarations(word);
            assignment();
        } else if (in_assignments_) {
            words_.refuse(word.place, quoted(word) + ": must be before the first assignment");
        } else if (word.is("parameter")) {
            parameter();
        } else if (word.is("dimensions")) {
            dimensions();
        } else {
            row();
        }
    }

    bool is_assignment() const
    {
        const Word& next = words_.then();
        return next.is("=") || next.is("+=") || next.is("-=") || next.is("[");
    }

    /// Reads an unused name, to declare it as `what`.
    std::string free_name(const std::string& what)
    {
        const Word word = words_.take();
        if (word.kind != Word::Kind::name)
            words_.refuse(word.place, quoted(word) + ": must be the name of " + what);
        const std::string use = names_.use_of(word.text);
        if (!use.empty())
            words_.refuse(word.place, quoted(word) + ": is " + use + " already: " + what +
                                          " needs another name");
        return std::string(word.text);
    }

    void row()
    {
        const Word kind = words_.take();
        const bool is_target = kind.is("target"), is_sum = kind.is("sum");
        auto& list = is_target ? law_.target : is_sum ? law_.sum : law_.source;
        auto& names = is_target ? names_.target : is_sum ? names_.sum : names_.source;
        if (!list.empty())
            words_.refuse(kind.place,
                          quoted(kind) + ": declared twice: must be one line with all values");
        const Place position = words_.now().place;
        const bool has_position = !is_sum && words_.take("position");
        const std::string what = "a value of the " + std::string(kind.text);
        while (!words_.at_end_of_line()) {
            if (words_.now().is("position"))
                words_.refuse(words_.now().place,
                              is_sum ? "'position': must not be in a sum"
                                     : "'position': must be before all other values");
            sum_place(is_sum, words_.now().place);
            // A target and a source may share a name.
            const std::string name = is_sum ? free_name("a sum") : row_name(is_target, what);
            names.emplace(name, int(list.size()));
            list.push_back(name);
            words_.take(",");
            if (list.size() > std::size_t(max_values))
                words_.refuse(kind.place, quoted(kind) + ": too many values: must be at most " +
                                              std::to_string(max_values));
        }
        if (list.empty())
            words_.refuse(kind.place, quoted(kind) + ": no names: must be at least one");
        if (has_position && list.size() < 3)
            words_.refuse(position, "'position': must be followed by three names");
        (is_target ? target_position_ : source_position_) |= has_position;
        (is_target ? target_place_ : is_sum ? sum_place_ : source_place_) = kind.place;
    }

    std::string row_name(bool is_target, const std::string& what)
    {
        const auto& other = is_target ? names_.source : names_.target;
        const auto& own = is_target ? names_.target : names_.source;
        const Word& word = words_.now();
        if (word.kind == Word::Kind::name && other.contains(word.text) && !own.contains(word.text))
            return std::string(words_.take().text);
        return free_name(what);
    }

    void sum_place(bool is_sum, Place place)
    {
        if (is_sum)
            sum_places_.push_back(place);
    }

    void parameter()
    {
        words_.take();
        const Place place = words_.now().place;
        const std::string name = free_name("a parameter");
        if (!words_.take("="))
            words_.refuse(words_.now().place, "missing '=' and default of " + name);
        const Place value_place = words_.now().place;
        const int value = expressions_.number_line();
        if (law_.expressions[value].op != Op::constant)
            words_.refuse(value_place,
                          "default of " + name + ": must be a constant of numbers and pi");
        if (int(law_.parameters.size()) == max_values)
            words_.refuse(place, name + ": too many parameters: must be at most " +
                                     std::to_string(max_values));
        names_.parameter.emplace(name, int(law_.parameters.size()));
        law_.parameters.push_back({name, law_.expressions[value].number});
    }

    void dimensions()
    {
        dimensions_ = words_.take();
        if (counts_[0] > 0)
            words_.refuse(dimensions_.place, "'dimensions': declared twice");
        for (int& count : counts_) {
            const Word word = words_.take();
            if (word.kind != Word::Kind::number || word.number != std::floor(word.number) ||
                word.number < 1 || word.number > max_values)
                words_.refuse(word.place, quoted(word) +
                                              ": must be three whole numbers from 1 to " +
                                              std::to_string(max_values) +
                                              ": values of a target, a source, a sum");
            count = int(word.number);
        }
        numbered_positions_ = words_.take("positions");
        if (!words_.at_end_of_line())
            words_.refuse(words_.now().place,
                          quoted(words_.now()) + ": must be 'positions' or the end of the line");
        if (numbered_positions_ && (counts_[0] < 3 || counts_[1] < 3))
            words_.refuse(dimensions_.place,
                          "'positions': needs targets and sources of at least three values");
    }

    /// Numbers values without names, and checks names against the dimensions.
    void complete_names(std::vector<std::string>& list, int count, const std::string& kind,
                        char letter, Place place, const Word& first)
    {
        if (list.empty()) {
            if (count == 0)
                words_.refuse(first.place, "no '" + kind +
                                               "' line: target, source and sum must be declared "
                                               "before the first assignment");
            for (int k = 0; k < count; ++k)
                list.push_back(std::string(1, letter) + "[" + std::to_string(k) + "]");
        }
        if (count > 0 && list.size() != std::size_t(count))
            words_.refuse(place, "'" + kind + "': " + std::to_string(list.size()) +
                                     " names: must be " + std::to_string(count) +
                                     ", by the dimensions of line " +
                                     std::to_string(dimensions_.place.line));
    }

    void end_declarations(const Word& first)
    {
        in_assignments_ = true;
        if (is_declared_)
            return law_.added.assign(law_.sum.size(), -1);
        const bool named_target = !law_.target.empty(), named_source = !law_.source.empty();
        complete_names(law_.target, counts_[0], "target", 'i', target_place_, first);
        complete_names(law_.source, counts_[1], "source", 'j', source_place_, first);
        complete_names(law_.sum, counts_[2], "sum", 'f', sum_place_, first);
        target_position_ |= numbered_positions_;
        source_position_ |= numbered_positions_;
        if (target_position_ != source_position_) {
            const bool named = target_position_ ? named_source : named_target;
            words_.refuse(!named             ? dimensions_.place
                          : target_position_ ? source_place_
                                             : target_place_,
                          std::string("'position' only in the ") +
                              (target_position_ ? "target" : "source") +
                              ": must be in both target and source, or in neither");
        }
        law_.positions = target_position_;
        law_.added.assign(law_.sum.size(), -1);
        sum_places_.resize(law_.sum.size(), dimensions_.place);
    }

    void assignment()
    {
        const Word name = words_.take();
        if (name.is("f") && words_.now().is("["))
            return add_to(expressions_.bracketed("f", int(law_.sum.size())), name);
        if (const auto sum = names_.sum.find(name.text); sum != names_.sum.end())
            return add_to(sum->second, name);
        const Word sign = words_.now();
        if (!sign.is("=") && !sign.is("+=") && !sign.is("-=")) {
            const std::vector<std::string> starts = {"target", "source", "sum", "parameter",
                                                     "dimensions"};
            words_.refuse(name.place, quoted(name) + ": must begin a declaration or an assignment" +
                                          suggestion(std::string(name.text), starts));
        }
        const std::string use = names_.use_of(name.text);
        if (!use.empty())
            words_.refuse(name.place,
                          quoted(name) + ": is " + use + ": " +
                              (names_.temporary.contains(name.text) ? "must be another name"
                                                                    : "cannot be assigned"));
        if (!sign.is("=")) {
            std::vector<std::string> sums = law_.sum;
            words_.refuse(name.place, quoted(name) + ": not a sum" +
                                          suggestion(std::string(name.text), sums) +
                                          ": must be a sum before += and -=; = assigns a name");
        }
        words_.take();
        const int value = expressions_.line();
        names_.temporary.emplace(name.text, value);
    }

    void add_to(int sum, const Word& name)
    {
        const Word sign = words_.take();
        if (!sign.is("+=") && !sign.is("-="))
            words_.refuse(sign.place, quoted(sign) + ": " + law_.sum[std::size_t(sum)] +
                                          " is a sum: must be += or -= after " +
                                          std::string(name.text));
        Expressions& all = law_.expressions;
        int value = expressions_.number_line();
        int& added = law_.added[std::size_t(sum)];
        if (added >= 0)
            value = all.apply(sign.is("+=") ? Op::add : Op::subtract, added, value);
        else if (sign.is("-="))
            value = all.apply(Op::negate, value);
        added = value;
    }

    LawText law_;
    Names names_;
    Words words_;
    ExpressionReader expressions_;
    bool in_assignments_ = false, is_declared_ = false;
    bool target_position_ = false, source_position_ = false, numbered_positions_ = false;
    Place target_place_, source_place_, sum_place_;
    std::vector<Place> sum_places_; ///< for each sum's declaration
    Word dimensions_{Word::Kind::end, {}, {}};
    int counts_[3] = {};
};

} // namespace

LawText read_law(std::string_view text, const std::string& name)
{
    return LawReader(text, name).law();
}

LawText read_law(std::string_view text, const std::string& name, const LawText& declared)
{
    LawReader reader(text, name);
    reader.declare(declared);
    return reader.law();
}

void add_pair(const LawText& law, std::span<const double> parameters,
              std::span<const double> target, std::span<const double> source,
              std::span<double> sums)
{
    const auto values = evaluate(law.expressions, {parameters, target, source});
    for (std::size_t k = 0; k < law.added.size(); ++k)
        sums[k] += values[std::size_t(law.added[k])];
}

} // namespace chamomile
