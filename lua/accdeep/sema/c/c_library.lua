-- c_library.lua - functions of C's library that expressions may call. The names are those of the versions for double;
-- `abs` takes int. A call with the suffix f, such as sqrtf, means the version for float.
--
-- name -> {number of arguments, Lua function, CUDA text with %1 and %2 for the arguments}. A function without CUDA text
-- does not run on the GPU, because GPUs differ in the last bits of its results: the interpreter runs the kernel.

local floor, ceil, fmod = math.floor, math.ceil, math.fmod

-- Returns the integer n as a double: a rounded value of x. A zero gets the sign of x.
local function integral_double(n, x) return n == 0 and x * 0.0 or n + 0.0 end

-- Returns x without its fraction, as a double.
local function trunc(x) return integral_double(x < 0 and ceil(x) or floor(x), x) end

-- Returns the integer nearest to x as a double; halves are rounded away from zero.
local function round(x)
  local n = trunc(x)
  return math.abs(x - n) >= 0.5 and n + (x < 0 and -1.0 or 1.0) or n
end

return {
  abs = { 1, math.abs, "%1 < 0 ? -%1 : %1" }, -- takes and returns int
  fabs = { 1, math.abs, "fabs(%1)" },
  sqrt = { 1, math.sqrt, "sqrt(%1)" },
  floor = { 1, function(x) return integral_double(floor(x), x) end, "floor(%1)" },
  ceil = { 1, function(x) return integral_double(ceil(x), x) end, "ceil(%1)" },
  trunc = { 1, trunc, "trunc(%1)" },
  round = { 1, round, "round(%1)" },
  fmod = { 2, fmod, "fmod(%1, %2)" },
  fmax = { 2, function(x, y) return (x ~= x or x < y) and y or x end, "(%1 != %1 || %1 < %2) ? %2 : %1" },
  fmin = { 2, function(x, y) return (x ~= x or y < x) and y or x end, "(%1 != %1 || %2 < %1) ? %2 : %1" },
  exp = { 1, math.exp }, log = { 1, math.log }, pow = { 2, function(x, y) return x ^ y end },
  log2 = { 1, function(x) return math.log(x, 2) end }, log10 = { 1, function(x) return math.log(x, 10) end },
  sin = { 1, math.sin }, cos = { 1, math.cos }, tan = { 1, math.tan },
  asin = { 1, math.asin }, acos = { 1, math.acos }, atan = { 1, function(x) return math.atan(x) end },
  atan2 = { 2, math.atan },
}
