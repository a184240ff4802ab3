-- Pointers and allocatables of Fortran.
scenario { title = "Fortran's pointers", language = "fortran", rules = "openacc-3.3" }
fortran [[
  type vector
    real, pointer :: data(:)
  end type
  real, target :: a(4), b(4)
  real, pointer :: p(:)
  type(vector) :: v
  a = 1.0
  b = 2.0
  p => a
  v%data => a
]]
vocabulary { bound = 3,
  acc "enter data copyin({a,b,p,v,v%data})",
  acc "exit data {delete,copyout}({a,p,v,v%data})",
  acc "enter data attach({p,v%data})",
  acc "exit data detach({p,v%data})",
  acc "update {self,device}({p,v})",
  fortran "p => {a,b}",
  fortran "nullify(p)",
  fortran "a(2) = 20.0",
}
