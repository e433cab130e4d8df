#include "app/options/cosmology_options.hpp"

#include "app/options/option_uses.hpp"
#include "app/options/solver_options.hpp"

namespace chamomile::app {

void add_cosmology_options(Options& options, CosmologyRequest& request)
{
    OptionRows<CosmologyRequest> rows;
    rows.group("Cosmology, of comoving files");
    rows.flag(
        "cosmology", &CosmologyRequest::asked,
        "evolve a comoving file in its periodic box, in the background that it states; any of "
        "the following and any setting [cosmology] means it too");
    options.add(rows.take(), request);
    options.add(cosmology_options(), request);
}

void resolve_cosmology(const Options& options, CosmologyRequest& request, Scheme& scheme,
                       std::optional<double>& end_time)
{
    for (const auto& row : cosmology_options()) {
        if (options.given(row.name) && options.given("cosmology") && !request.asked)
            require(options, options.typed(row.name) + ": contradicts --cosmology=false");
        request.asked |= options.given(row.name);
    }
    if (!request.asked)
        return;
    refuse_idle(
        options,
        {{true, "t-end duration", "is of plain time; a cosmological run takes --z-end or --a-end"},
         {true, "model",
          "is of plain time; a cosmological run takes a FILE, which 'chamomile model "
          "cosmology' makes"}});
    require(options, chamomile::resolve_cosmology(request, scheme, options.asked()));
    end_time = end_of(request);
}

} // namespace chamomile::app
