-- fortran_helpers.lua - external procedures of Fortran that generated procedures call (fortran_printer.lua): access to
-- the host's bytes, and the routines of OpenACC for C, which bind(C) interfaces reach.
--
-- Directives and routines of OpenMP replace the routines of OpenACC in units that become OpenMP. Addresses and numbers
-- of bytes are integers of 8 bytes. In a text, NAME is the name of the procedure, and {name} that of another helper.

local core = require "accdeep.core"

local fortran_helpers = {}

local scalar = core.scalar

-- Types that read a scalar of a code: {name, declaration}.
local loads = {
  [scalar.i8] = { "i8", "integer(c_int8_t)" }, [scalar.i16] = { "i16", "integer(c_int16_t)" },
  [scalar.i32] = { "i32", "integer(c_int32_t)" }, [scalar.i64] = { "i64", "integer(c_int64_t)" },
  [scalar.u64] = { "pointer", "type(c_ptr)" },
}

-- ---------------------------------------------------------------------------------------- OpenACC --

-- Text of a procedure that passes its arguments to a routine of C. PARAMETERS: the dummy arguments of the routine.
local ROUTINE = [[
subroutine NAME(ARGUMENTS)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: ARGUMENTS
  interface
    subroutine c_ROUTINE(PARAMETERS) bind(C, name='ROUTINE')
      import :: c_ptr, c_size_t
DECLARATIONS
    end subroutine c_ROUTINE
  end interface
  call c_ROUTINE(VALUES)
end subroutine NAME]]

-- Returns the text of the helper `name` that calls the routine `routine`. kinds: "address" or "bytes" for each
-- argument.
local function routine_text(name, routine, kinds)
  local arguments, declarations, values = {}, {}, {}
  for i, kind in ipairs(kinds) do
    arguments[i] = "argument_" .. i
    declarations[i] = ("      %s, value :: %s"):format(kind == "address" and "type(c_ptr)" or "integer(c_size_t)",
      arguments[i])
    values[i] = (kind == "address" and "transfer(%s, c_null_ptr)" or "int(%s, c_size_t)"):format(arguments[i])
  end
  local list = table.concat(arguments, ", ")
  return (ROUTINE:gsub("%u%u%u+", { NAME = name, ARGUMENTS = list, PARAMETERS = list, ROUTINE = routine,
    DECLARATIONS = table.concat(declarations, "\n"), VALUES = table.concat(values, ", ") }))
end

local ADDRESS, RANGE = { "address" }, { "address", "bytes" }
local routines = { acc_copyin = RANGE, acc_create = RANGE, acc_copyout = RANGE, acc_copyout_finalize = RANGE,
  acc_delete = RANGE, acc_delete_finalize = RANGE, acc_update_device = RANGE, acc_update_self = RANGE,
  acc_attach = ADDRESS, acc_detach = ADDRESS, acc_detach_finalize = ADDRESS,
  bcopy = { "address", "address", "bytes" }, free = ADDRESS }

-- Helpers that are no routines of C.
local helpers = {}
helpers.present = [[
integer(8) function NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  interface
    integer(c_int) function c_acc_is_present(address, bytes) bind(C, name='acc_is_present')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
    end function c_acc_is_present
  end interface
  NAME = c_acc_is_present(transfer(address, c_null_ptr), int(bytes, c_size_t))
end function NAME]]
helpers.save = [[
integer(8) function NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  interface
    type(c_ptr) function c_malloc(bytes) bind(C, name='malloc')
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: bytes
    end function c_malloc
    subroutine c_bcopy(from, to, bytes) bind(C, name='bcopy')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: from, to
      integer(c_size_t), value :: bytes
    end subroutine c_bcopy
  end interface
  NAME = transfer(c_malloc(int(bytes, c_size_t)), NAME)
  call c_bcopy(transfer(address, c_null_ptr), transfer(NAME, c_null_ptr), int(bytes, c_size_t))
end function NAME]]
helpers.accdeep_require = [[
subroutine NAME(is_valid)
  implicit none
  integer(8) :: is_valid
  if (is_valid == 0) error stop 'the elements of a component are not contiguous'
end subroutine NAME]]
helpers.accdeep_deeper = [[
subroutine NAME(by)
  implicit none
  integer(8) :: by
  integer(8), save :: depth = 0
  depth = depth + by
  if (depth > 40000) error stop 'accdeep: more than 40000 objects follow one another: lower with --to accdeep'
end subroutine NAME]]
local LOAD = [[
integer(8) function NAME(address)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address
  TYPE, pointer :: at
  call c_f_pointer(transfer(address, c_null_ptr), at)
  NAME = VALUE
end function NAME]]
-- Attaches or detaches a pointer whose data begin at `base`: its target is changed to the base for that time. Here and
-- for values that are saved bcopy copies, which `accdeep cc` does not check: these are no accesses of the program.
local ATTACH_AT = [[
subroutine NAME(pointer_cell, base)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: pointer_cell, base
  interface
    type(c_ptr) function device_address(host) bind(C, name='acc_deviceptr')
      import :: c_ptr
      type(c_ptr), value :: host
    end function device_address
    subroutine c_ROUTINE(pointer_cell) bind(C, name='ROUTINE')
      import :: c_ptr
      type(c_ptr), value :: pointer_cell
    end subroutine c_ROUTINE
    subroutine c_acc_memcpy_to_device(to, from, bytes) bind(C, name='acc_memcpy_to_device')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine c_acc_memcpy_to_device
    subroutine c_bcopy(from, to, bytes) bind(C, name='bcopy')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: from, to
      integer(c_size_t), value :: bytes
    end subroutine c_bcopy
    subroutine c_acc_memcpy_from_device(to, from, bytes) bind(C, name='acc_memcpy_from_device')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes
    end subroutine c_acc_memcpy_from_device
  end interface
  integer(8), target :: host, found
  type(c_ptr) :: cell
  cell = transfer(pointer_cell, c_null_ptr)
  call c_bcopy(cell, c_loc(host), 8_c_size_t)
  found = base
  call c_bcopy(c_loc(found), cell, 8_c_size_t)
  call c_ROUTINE(cell)
STATEMENTS
  call c_bcopy(c_loc(host), cell, 8_c_size_t)
end subroutine NAME]]
local ON_DEVICE = [[
  found = transfer(device_address(transfer(base, c_null_ptr)), host) + (host - base)
  call c_acc_memcpy_to_device(device_address(cell), c_loc(found), 8_c_size_t)]]
-- A pointer that other directives have attached, too, keeps its target on the device.
local ON_HOST = [[
  call c_acc_memcpy_from_device(c_loc(found), device_address(cell), 8_c_size_t)
  if (found == base) call c_acc_memcpy_to_device(device_address(cell), c_loc(host), 8_c_size_t)]]
-- Returns the text of ATTACH_AT for a routine; `statements` set the pointer on the device.
local function attach_text(routine, statements)
  return (ATTACH_AT:gsub("%u%u%u%u+", { ROUTINE = routine, STATEMENTS = statements }))
end
helpers.accdeep_attach_at = attach_text("acc_attach", ON_DEVICE)
helpers.accdeep_detach_at = attach_text("acc_detach", ON_HOST)
helpers.accdeep_detach_finalize_at = attach_text("acc_detach_finalize", ON_HOST)

-- ----------------------------------------------------------------------------------------- OpenMP --

local openmp_helpers = {}
openmp_helpers.present = [[
integer(8) function NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  interface
    integer(c_int) function c_is_present(address, device) bind(C, name='omp_target_is_present')
      import :: c_int, c_ptr
      type(c_ptr), value :: address
      integer(c_int), value :: device
    end function c_is_present
    integer(c_int) function c_default_device() bind(C, name='omp_get_default_device')
      import :: c_int
    end function c_default_device
  end interface
  NAME = 0
  if (bytes > 0) NAME = c_is_present(transfer(address, c_null_ptr), c_default_device())
end function NAME]]
openmp_helpers.device_address = [[
integer(8) function NAME(host)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: host
  type(c_ptr) :: at
  at = transfer(host, c_null_ptr)
  !$omp target data use_device_ptr(at)
  NAME = transfer(at, NAME)
  !$omp end target data
end function NAME]]
-- Text of a procedure that copies bytes unless both addresses are equal, which they are where host and device share
-- their memory. DEVICES: the numbers of the devices of `to` and `from`.
local TRANSFER = [[
subroutine NAME(to, from, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: to, from, bytes
  interface
    integer(c_int) function c_memcpy(to, from, bytes, to_at, from_at, to_device, from_device) bind(C, name='ROUTINE')
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: to, from
      integer(c_size_t), value :: bytes, to_at, from_at
      integer(c_int), value :: to_device, from_device
    end function c_memcpy
    integer(c_int) function c_default_device() bind(C, name='omp_get_default_device')
      import :: c_int
    end function c_default_device
    integer(c_int) function c_initial_device() bind(C, name='omp_get_initial_device')
      import :: c_int
    end function c_initial_device
  end interface
  integer(c_int) :: status
  if (to == from) return
  status = c_memcpy(transfer(to, c_null_ptr), transfer(from, c_null_ptr), bytes, 0_8, 0_8, DEVICES)
  if (status /= 0) error stop 'accdeep: a transfer failed'
end subroutine NAME]]
for name, devices in pairs { copy_to_device = "c_default_device(), c_initial_device()",
  copy_from_device = "c_initial_device(), c_default_device()" } do
  openmp_helpers[name] = TRANSFER:gsub("%u%u%u%u%u+", { DEVICES = devices, ROUTINE = "omp_target_memcpy" })
end

-- Returns the text of a routine with the arguments `arguments`, whose body is `statements`. `functions`: helpers of
-- `statements` that are functions.
local function openmp_routine(arguments, functions, statements)
  return ("subroutine NAME(%s)\n  implicit none\n  integer(8) :: %s\n  integer(8), external :: %s\n%s\n"
    .. "end subroutine NAME"):format(arguments, arguments, functions, statements)
end
openmp_helpers.acc_update_device = openmp_routine("address, bytes", "{device_address}",
  "  call {copy_to_device}({device_address}(address), address, bytes)")
openmp_helpers.acc_update_self = openmp_routine("address, bytes", "{device_address}",
  "  call {copy_from_device}(address, {device_address}(address), bytes)")
openmp_helpers.acc_attach = openmp_routine("pointer_cell", "{load_pointer}",
  "  call {accdeep_attach_at}(pointer_cell, {load_pointer}(pointer_cell))")
openmp_helpers.acc_detach = openmp_routine("pointer_cell", "{present}, {device_address}", [[
  if ({present}(pointer_cell, 1_8) == 0) return
  call {copy_to_device}({device_address}(pointer_cell), pointer_cell, 8_8)]])
openmp_helpers.acc_detach_finalize = openmp_helpers.acc_detach
-- Sets a pointer on the device, whose target on the host lies in the data that begin at `base`. OpenMP counts no
-- attachments.
openmp_helpers.accdeep_attach_at = [[
subroutine NAME(pointer_cell, base)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: pointer_cell, base, cell
  integer(8), target :: found
  integer(8), external :: {present}, {device_address}, {load_pointer}
  if ({present}(pointer_cell, 1_8) == 0) return
  if ({present}(base, 1_8) == 0) return
  cell = {device_address}(pointer_cell)
  found = {device_address}(base) + ({load_pointer}(pointer_cell) - base)
  if (cell /= pointer_cell) call {copy_to_device}(cell, transfer(c_loc(found), found), 8_8)
end subroutine NAME]]

-- Text of a routine that maps or unmaps bytes, which OpenMP does by directives only.
local MAPPING = [[
subroutine NAME(address, bytes)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(8) :: address, bytes
  integer(c_int8_t), pointer, contiguous :: at(:)
  call c_f_pointer(transfer(address, c_null_ptr), at, [bytes])
  call map(at)
contains
  subroutine map(at)
    integer(c_int8_t) :: at(bytes)
DIRECTIVES
  end subroutine map
end subroutine NAME]]
for name, directives in pairs {
  acc_copyin = { "enter data map(to: at)" },
  acc_create = { "enter data map(alloc: at)" },
  acc_copyout = { "exit data map(from: at)" },
  acc_delete = { "exit data map(release: at)" },
  acc_copyout_finalize = { "update from(at)", "exit data map(delete: at)" },
  acc_delete_finalize = { "exit data map(delete: at)" },
} do
  local lines = {}
  for i, directive in ipairs(directives) do lines[i] = "    !$omp target " .. directive end
  openmp_helpers[name] = MAPPING:gsub("DIRECTIVES", table.concat(lines, "\n"))
end

-- ------------------------------------------------------------------------------------------ texts --

-- Returns the name of the helper that reads a scalar of the code `code`; nil if there is none.
function fortran_helpers.load(code) return loads[code] and "load_" .. loads[code][1] end

-- Returns the text of the helper `name`, a procedure that is called `as`. helper(other) returns the name of another
-- helper. `is_openmp`: routines of OpenMP replace those of OpenACC.
function fortran_helpers.text(name, as, helper, is_openmp)
  local load = name:match "^load_(.*)$"
  for _, entry in pairs(load and loads or {}) do
    if entry[1] == load then
      return (LOAD:gsub("NAME", as):gsub("TYPE", entry[2])
        :gsub("VALUE", load == "pointer" and ("transfer(at, %s)"):format(as) or "at"))
    end
  end
  local own = is_openmp and openmp_helpers[name]
  if routines[name] and not own then return routine_text(as, name, routines[name]) end
  return ((own or assert(helpers[name], name)):gsub("NAME", as):gsub("{(.-)}", helper))
end

return fortran_helpers
