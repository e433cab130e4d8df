// The C interface for laws given as text.
#include "chamomile/interfaces/c/chamomile_law.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/pairs/text/text_law.hpp"

using namespace chamomile;

/// A chm_law keeps a law with its options and solver between calls.
struct chm_law {
    std::optional<TextLaw> law;
    PairOptions options;
    std::unique_ptr<PairSolver> solver; // made on demand, and again after a change
    std::string error;
};

namespace {

/// Runs a call on a law. Returns the kind of its error.
template <class Call>
int guarded(chm_law* law, Call call) noexcept
{
    if (!law)
        return int(Fault::usage);
    try {
        try {
            call();
            return 0;
        } catch (const Error& error) {
            law->error = error.what();
            return int(error.fault());
        } catch (const std::exception& error) {
            law->error = error.what();
        }
    } catch (...) { // no memory for the message
    }
    return int(Fault::numeric);
}

void require_law(const chm_law* law)
{
    if (!law->law)
        throw Error(Fault::usage, "law: not compiled");
}

const std::vector<OptionRow<PairOptions>>& law_options()
{
    static const auto rows = [] {
        auto all = machine_options<PairOptions>();
        OptionRows<PairOptions> t;
        t.number("cutoff", &PairOptions::cutoff, ranges::any, "max distance of sources");
        t.number(
             "period", [](PairOptions & o) -> auto& { return o.period.x; }, ranges::any,
             "side of a periodic cube; 0: none")
            .put = [](PairOptions& o, const std::string& key, const std::string& text) {
            const double side = parse_number<double>(key, text, ranges::any);
            o.period = {side, side, side};
        };
        for (auto& row : t.take())
            all.push_back(std::move(row));
        return all;
    }();
    return rows;
}

void set_option(PairOptions& options, const std::string& key, const char* value)
{
    if (const auto* row = find_row(law_options(), key))
        return row->put(options, key, value);
    std::vector<std::string> keys;
    add_keys(keys, law_options());
    throw Error(Fault::usage,
                "option: " + key + ": unknown" + suggestion(key, keys) +
                    ": must be one of device, precision, instruction_set, cutoff, period");
}

std::size_t count(const char* what, int64_t n)
{
    if (n < 0)
        throw Error(Fault::usage,
                    std::string(what) + ": " + std::to_string(n) + ": must be 0 or more");
    return std::size_t(n);
}

void require_pointer(const void* pointer, const char* what)
{
    if (!pointer)
        throw Error(Fault::usage, std::string(what) + ": must not be NULL");
}

} // namespace

extern "C" {

int chm_law_create(chm_law** law, const char* text, const char* name)
{
    if (!law)
        return int(Fault::usage);
    *law = new (std::nothrow) chm_law;
    if (!*law)
        return int(Fault::numeric);
    return guarded(*law, [&] {
        if (!text || !name)
            throw Error(Fault::usage, "law: text or name: must not be NULL");
        (*law)->law.emplace(text, name);
    });
}

void chm_law_destroy(chm_law* law)
{
    delete law;
}

const char* chm_law_last_error(const chm_law* law)
{
    return law ? law->error.c_str() : "out of memory";
}

int chm_law_shape(chm_law* law, int* target, int* source, int* sum)
{
    return guarded(law, [&] {
        require_law(law);
        for (const int* number : {target, source, sum})
            require_pointer(number, "shape");
        const LawShape& shape = law->law->code().shape;
        *target = shape.target;
        *source = shape.source;
        *sum = shape.sum;
    });
}

int chm_law_set_parameter(chm_law* law, const char* name, double value)
{
    return guarded(law, [&] {
        require_law(law);
        require_pointer(name, "parameter: name");
        law->law->set(name, value);
        law->solver.reset();
    });
}

int chm_law_set_option(chm_law* law, const char* key, const char* value)
{
    return guarded(law, [&] {
        require_law(law);
        require_pointer(key, "option: key");
        require_pointer(value, "option: value");
        PairOptions options = law->options;
        set_option(options, key, value);
        law->options = options;
        law->solver.reset();
    });
}

int chm_law_sum(chm_law* law, int64_t targets, const double* target_rows, int64_t sources,
                const double* source_rows, const int64_t* self, double* sum_rows)
{
    return guarded(law, [&] {
        require_law(law);
        const std::size_t n = count("targets", targets), m = count("sources", sources);
        if (n > 0) {
            require_pointer(target_rows, "target rows");
            require_pointer(sum_rows, "sum rows");
        }
        if (m > 0)
            require_pointer(source_rows, "source rows");
        const LawShape& shape = law->law->code().shape;
        if (!law->solver)
            law->solver = make_pair_solver(*law->law, law->options);
        std::vector<std::uint32_t> own;
        for (std::size_t i = 0; self && i < n; ++i) {
            if (self[i] < -1 || self[i] >= sources)
                throw Error(Fault::usage, "self: " + std::to_string(self[i]) +
                                              ": must be -1 or below " + std::to_string(m));
            own.push_back(self[i] < 0 ? no_source : std::uint32_t(self[i]));
        }
        law->solver->sum({{target_rows, n * std::size_t(shape.target)},
                          {source_rows, m * std::size_t(shape.source)},
                          own,
                          {}},
                         {sum_rows, n * std::size_t(shape.sum)});
    });
}

} // extern "C"
