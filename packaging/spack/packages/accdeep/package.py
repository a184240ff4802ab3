from spack.package import *


class Accdeep(CMakePackage):
    """Finds data errors in OpenACC and OpenMP programs: runs programs of gcc and clang on a simulated device, and reports
    missing updates, unattached pointers, sections that are too short, and missing waits. No GPU is needed."""

    homepage = "https://HOST/accdeep"
    git = "https://HOST/accdeep"

    # No licence has been chosen yet: license() gets its SPDX identifier from lua/package/licence.
    version("main", branch="main")

    variant("cuda_device", default=True, description="Scenarios run on NVIDIA GPUs, by the driver; needs no toolkit")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("lua@5.4", type=("build", "link", "run"))
    depends_on("lua-lpeg@1.0.2:", type=("build", "run"))
    depends_on("elfutils", type=("build", "run"))  # lines and names in reports
    depends_on("gcc@12:", type="run")  # compiles the programs that are checked

    # Lua modules of the program, which has them inside after the build.
    resource(
        name="argparse",
        git="https://github.com/luarocks/argparse",
        commit="27967d7b52295ea7885671af734332038c132837",  # 0.7.1
        placement="argparse",
    )
    resource(
        name="dkjson",
        git="https://github.com/LuaDist-testing/dkjson",
        commit="840f43fb08b7243b2030e1c4cae4d2e3cddb2dca",  # 2.5
        placement="dkjson",
    )

    def setup_build_environment(self, env):
        source = self.stage.source_path
        for folder in (join_path(source, "argparse", "src"), join_path(source, "dkjson")):
            env.prepend_path("LUA_PATH", join_path(folder, "?.lua"), separator=";")

    def setup_run_environment(self, env):
        # `accdeep exec` looks libdw.so.1 up at run time
        env.prepend_path("LD_LIBRARY_PATH", self.spec["elfutils"].prefix.lib)

    def cmake_args(self):
        return [self.define_from_variant("ACCDEEP_CUDA", "cuda_device")]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        accdeep = Executable(self.prefix.bin.accdeep)
        accdeep("run", join_path(self.prefix.share, "accdeep", "spec", "language"))
