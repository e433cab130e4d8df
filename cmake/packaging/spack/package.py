# A recipe for Spack 1.0 or later. Copy it to your repository as packages/chamomile/package.py, and set `git` to your
# clone. Fourier transforms use FFTW, because Spack lacks KissFFT; docs/howto/licences.md states the consequences for
# binaries.
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Chamomile(CMakePackage, CudaPackage):
    """Gravity for N particles by a hybrid treecode on CPUs and GPUs."""

    git = "file:///path/to/chamomile"

    license("Apache-2.0")

    version("0.2.0", tag="v0.2.0")

    variant("mpi", default=False, description="Runs of several processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.74:+program_options")
    depends_on("hdf5~mpi")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("fftw@3:+openmp~mpi precision=float,double")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12:", when="+cuda")

    conflicts("cuda_arch=none", when="+cuda", msg="choose the compute capability of your card, such as cuda_arch=90")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("CHAMOMILE_CUDA", "cuda"),
            self.define_from_variant("CHAMOMILE_MPI", "mpi"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CHAMOMILE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
