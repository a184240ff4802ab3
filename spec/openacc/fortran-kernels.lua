-- Kernels, directives and routines in statements of Fortran.
scenario { title = "OpenACC: kernels and statements of Fortran", language = "fortran", rules = "openacc-3.3" }

fortran [[
  integer :: n = 3, i
  real, target :: a(0:9) = [(i, i = 0, 9)], b(2,3) = 0
  real :: total = 0
  real, pointer :: p(:), q(:,:), s
  real, allocatable :: c(:)
  type t
    integer :: k = 7
    real, pointer :: p(:,:)
    real, allocatable :: v(:)
  end type t
  type(t), target :: x, y(3)
  type(t), pointer :: xp, ys(:)
  c = [1.0, 2.0, 3.0]
]]

case("accepts: a kernel has descriptors of its own where none is present [ACC33-impl-1]", function()
  fortran "p => a(9:1:-2)\nq(0:,0:) => b"
  fortran "!$acc serial\nc(2) = p(1) + size(q) + lbound(q, 1)\nq(0,0) = 3\n!$acc end serial"
  expect.host("c(2)", 15) expect.host("b(1,1)", 3)
end)

case("accepts: private, firstprivate and reduction apply to variables of Fortran"
  .. " [ACC33-2.9-4 ACC33-2.9.11-1]", function()
  fortran "!$acc parallel loop reduction(+:total) copyin(c)\ndo i = 1, n\ntotal = total + c(i)\nend do"
  expect.host("total", 6)
  fortran "!$acc serial private(c)\nc = 9\n!$acc end serial"
  fortran "!$acc serial firstprivate(c)\nprint *, c\n!$acc end serial"
  expect.equal(output(), { "1.0 2.0 3.0" })
end)

case("accepts: a kernel in Lua uses arrays of Fortran [HOUSE-language]", function()
  acc "serial copy(b) copyin(c)" (function(d)
    d.b[3] = d.c[1] + d "c(3)"
    expect.equal(d.C(2), 2)
  end)
  expect.host("b(2,2)", 5)
end)

case("rejects: a kernel that fails changes nothing [HOUSE-expect ACC33-gloss-1 HOUSE-version]", function()
  acc "enter data copyin(b)"
  expect.fails("out-of-bounds", function() acc "serial present(b)" [[ b(1,1) = 7; b(1,4) = 1 ]] end)
  expect.device("b(1,1)", 0)
  expect.fails("unsupported", function() acc "serial" [[ allocate(p(3)) ]] end)
  expect.fails("null-pointer", function() acc "serial" [[ p(1) = 3 ]] end)
end)

case("accepts: a directive in a procedure sees the arguments of each call [ACC33-2.7.1-1]", function()
  fortran "contains\nsubroutine put(z)\nreal :: z(:)\n!$acc enter data copyin(z)\nend subroutine put"
  call "put(a(2:4))" call "put(b(:,1))"
  expect.present "a(2:4)" expect.present "b(:,1)" expect.absent "b(:,2)"
end)

case("accepts: a region ends when a statement leaves it or fails [ACC33-2.6.7-2]", function()
  fortran "contains\nsubroutine s()\n!$acc data copyin(a)\nif (n == 3) return\n!$acc end data\nend subroutine s"
  call "s()"
  expect.absent "a"
  expect.fails("out-of-bounds", function() fortran "!$acc data copyin(a)\na(20) = 1\n!$acc end data" end)
  expect.absent "a"
  fortran "!$acc data copyin(a)"
  expect.present "a"
  acc "end data"
  expect.absent "a"
end)

case("accepts: statements call routines of OpenACC [ACC33-3.2.18-1 ACC33-3.2.26-1]", function()
  fortran "call acc_copyin(a)\nprint *, acc_is_present(a), acc_is_present(b), acc_get_num_devices(1)"
  expect.equal(output(), { "T F 1" })
  fortran "a(1) = 50\ncall acc_update_device(a(1:1))"
  expect.device("a(1)", 50)
  fortran "call acc_delete(a)"
  expect.absent "a"
end)

case("accepts: statements call routines of OpenMP, and kernels those for kernels"
  .. " [OMP60-api-1 OMP60-api-14]", function()
  fortran "print *, omp_is_initial_device(), omp_get_device_num(), omp_target_is_present(a, 0)"
  expect.equal(output(), { "T 1 0" })
  acc "parallel copy(a)" "a(1) = omp_get_device_num()\nif (omp_is_initial_device()) a(1) = 9"
  fortran "print *, a(1)"
  expect.equal(output(), { "0.0" })
  expect.fails("region-nesting", function()
    fortran "!$acc parallel copy(a)\na(1) = omp_get_num_devices()\n!$acc end parallel"
  end)
end)

case("accepts: acc_on_device is true for the device that runs the statement [ACC33-3.2.15-1]", function()
  fortran "print *, acc_on_device(acc_device_host), acc_on_device(acc_device_nvidia)"
  expect.equal(output(), { "T F" })
  acc "parallel copy(a)" "a(1) = 0\nif (acc_on_device(acc_device_not_host)) a(1) = 1"
  expect.host("a(1)", 1)
end)

case("differs: acc_on_device is false for other devices [ACC33-3.2.15-1]", function()
  acc "parallel copy(a)" "a(1) = 0\nif (acc_on_device(acc_device_host)) a(1) = 1"
  expect.host("a(1)", 0)
end)

case("rejects: a routine without a number is an operand [HOUSE-language]", function()
  expect.fails("type-mismatch", function() fortran "a(1) = acc_malloc(8)" end)
  expect.fails("type-mismatch", function() fortran "a(1) = omp_target_alloc(8, 0)" end)
  expect.fails("type-mismatch", function() fortran "a(1) = acc_delete(a)" end)
end)
