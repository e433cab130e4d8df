# A recipe for Spack: copy it to a repository of yours, as packages/chamomile/package.py, and set `git` to where your clone is.
from spack.package import *


class Chamomile(CMakePackage, CudaPackage):
    """Gravity for N particles by a hybrid treecode on CPUs and GPUs."""

    git = "file:///path/to/chamomile"

    license("Apache-2.0")

    version("0.2.0", tag="v0.2.0")

    variant("fft", default="fftw", values=("fftw", "kissfft"), multi=False, description="Fourier transforms; kissfft is free of the GPL")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.74:+program_options")
    depends_on("hdf5~mpi")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("fftw@3:+openmp~mpi precision=float,double", when="fft=fftw")
    depends_on("kissfft", when="fft=kissfft")
    depends_on("cuda@12:", when="+cuda")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("CHAMOMILE_CUDA", "cuda"),
            self.define_from_variant("CHAMOMILE_FFT", "fft"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CHAMOMILE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
