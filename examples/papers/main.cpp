/// \file  The program `papers`: tables of the papers behind Chamomile, with its own measurements.
#include "app/program.hpp"
#include "examples/papers/papers.hpp"

int main(int argc, char** argv)
{
    using namespace chamomile::app;
    static constexpr Command tables[] = {
        {"chamomile", "Hamada & Iitaka (2007), table 2: errors of direct sums", chamomile_table},
        {"cunbody", "Hamada & Iitaka (2007), tables 2 and 3: the Chamomile scheme", cunbody},
        {"gems", "Nyland, Harris & Prins (2007): GPU Gems 3, chapter 31", gems},
        {"brook", "Elsen et al. (2006): BrookGPU", brook},
        {"targets", "no paper's: pairs per second over the number of targets", targets},
        {"field", "no paper's: what a field that is kept costs", field},
    };
    program_name = "papers";
    return run_program("Measures the tables of three papers again (docs/explanation/papers.md).",
                       tables, {argv + 1, argv + argc});
}
