-- The profile of scenarios that choose none.
local default_profile = require "accdeep.script.default_profile"
local profiles = require "accdeep.definitions.profiles"

local NEWEST = profiles.newest "openmp"

describe("the default profile", function()
  it("is OpenMP's newest for directives and routines of OpenMP alone", function()
    for _, text in ipairs { 'omp "target map(x)"', '-- acc\nomp "x"', '--[[ acc ]] omp "x"', 'x.acc = omp "y"',
      'local s = "acc" omp [[target]]', "expect.equal(omp_get_num_devices(), 1)", "fortran [[\n!$OMP target\n]]",
      'declare "#pragma omp declare target"', 'accx = 1 omp "y"', [[print("\" acc", 'acc') omp "x"]],
      'omp [[ acc', 'omp"',
      'n = 0xacc omp "x"' } do
      assert.equal(NEWEST, default_profile.of(text), text)
    end
  end)

  it("is tr14 for every other scenario", function()
    for _, text in ipairs { "", "print(1)", 'acc "data copy(x)"', 'omp "x" acc "y"', 'omp "x" acc_copyin "y"',
      'print [[omp]]', "-- omp", 'n = 1 .. acc_get_num_devices(0), omp', 'omp "x" declare [==[ ]] #pragma acc x ]==]',
      'omp "x" fortran "!$acc data copy(x)"' } do
      assert.equal("tr14", default_profile.of(text), text)
    end
  end)

  it("reads texts in linear time", function()
    local started = os.clock()
    default_profile.of("omp" .. ("[["):rep(100000) .. ("[=[x"):rep(100000) .. ('"\\"'):rep(100000))
    assert.is_true(os.clock() - started < 5)
  end)
end)
