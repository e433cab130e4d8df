"""The text of help() on the options."""

import ast
import pathlib
import pydoc
from typing import get_type_hints

import chamomile


def test_every_option_is_explained():
    names = set(get_type_hints(chamomile.Options))
    assert names == set(chamomile.Solver().options) | set(chamomile.Solver(theta=0.5).options)
    for options in (chamomile.Options, chamomile.SimulationOptions, chamomile.RunSettings):
        text = pydoc.plain(pydoc.render_doc(options))
        for name in get_type_hints(options):
            line = next(line for line in text.splitlines() if line.strip(" |").startswith(f"{name} ("))
            assert len(line.partition("): ")[2]) > 20, line


def test_help_leads_to_them():
    for thing, options in ((chamomile.Solver, "Options"), (chamomile.Simulation, "SimulationOptions"), (chamomile.Simulation.run, "RunSettings"),
                           (chamomile.accuracy, "Options"), (chamomile.judge, "Options"), (chamomile.acceleration, "Options")):
        assert f"help(chamomile.{options})" in pydoc.plain(pydoc.render_doc(thing)), thing


def test_names_are_exported_as_type_checkers_read_them():
    body = ast.parse(pathlib.Path(chamomile.__file__).read_text()).body
    imported = {alias.asname or alias.name for line in body if isinstance(line, ast.ImportFrom) for alias in line.names}
    listed = next(ast.literal_eval(line.value) for line in body if isinstance(line, ast.Assign) and line.targets[0].id == "__all__")
    assert listed == sorted(imported - {"__version__"}) + ["__version__"] and set(listed) == imported
