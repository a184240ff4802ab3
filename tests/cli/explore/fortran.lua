scenario { title = "Fortran", language = "fortran", rules = "openacc-3.3" }
fortran [[
  real, allocatable, target :: a(:)
  real, pointer :: p(:)
  a = [1.0, 2.0, 3.0]
  p => a
]]
vocabulary { bound = 3,
  fortran "deallocate(a)", fortran "allocate(a({2,4}))", fortran "p => a(1:2)", fortran "a(1) = 7.0",
  fortran "if (allocated(a)) p => null()",
  acc "enter data copyin({a,p})", acc "exit data {delete,copyout}(a)", acc "update self(a)",
}
