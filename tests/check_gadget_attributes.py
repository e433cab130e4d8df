#!/usr/bin/env python3
"""Initial conditions and snapshots of a cosmological run have Gadget-4's attributes, by h5py."""
import tempfile

from cosmological_run import BOX, H, N, OMEGA, made, near
from program import end, need

need("h5py")
import h5py  # noqa: E402
import numpy as np  # noqa: E402


def check_attributes(path, a, velocities):
    with h5py.File(path, "r") as file:
        for group in "Header", "Parameters":
            attributes = file[group].attrs
            for name, value in (("Omega0", OMEGA), ("OmegaLambda", 1 - OMEGA), ("HubbleParam", H), ("BoxSize", 1000 * BOX)):
                near(f"{group}/{name}", attributes[name], value, 1e-12)
        header, parameters = file["Header"].attrs, file["Parameters"].attrs
        near("Time", header["Time"], a, 1e-12)
        near("Redshift", header["Redshift"], 1 / a - 1, 1e-12)
        near("ComovingIntegrationOn", parameters["ComovingIntegrationOn"], 1)
        near("UnitLength_in_cm", parameters["UnitLength_in_cm"], 3.085678e21)
        near("UnitMass_in_g", parameters["UnitMass_in_g"], 1.989e43)
        near("UnitVelocity_in_cm_per_s", parameters["UnitVelocity_in_cm_per_s"], 1e5)
        near("SofteningComovingClass0", parameters["SofteningComovingClass0"], 1000 * BOX / N / 30)
        near("SofteningMaxPhysClass0", parameters["SofteningMaxPhysClass0"], 50)
        near("u = v / sqrt(a)", file["PartType1/Velocities"][:] * np.sqrt(a), velocities, 1e-9)
        near("a_scaling of Velocities", file["PartType1/Velocities"].attrs["a_scaling"], 0.5)


with tempfile.TemporaryDirectory() as scratch:
    for file, scale_factor, v in made(scratch):
        check_attributes(file, scale_factor, v)
end("initial conditions and snapshots have all attributes")
