-- complex.lua - arithmetic of complex numbers, represented as {real part, imaginary part}.

local complex = {}

-- Returns the complex number with the real part `re` and the imaginary part `im`, or 0 if `im` is nil.
function complex.new(re, im) return { re, im or 0.0 } end

-- Sum, difference and product of two complex numbers, as functions of `a` and `b`.
local function add(a, b) return { a[1] + b[1], a[2] + b[2] } end
local function subtract(a, b) return { a[1] - b[1], a[2] - b[2] } end
local function multiply(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end

-- Returns a / b. The smaller part of the divisor is divided by the larger one first, so that no square can overflow.
local function divide(a, b)
  if math.abs(b[1]) >= math.abs(b[2]) then
    local r = b[2] / b[1]
    local d = b[1] + b[2] * r
    return { (a[1] + a[2] * r) / d, (a[2] - a[1] * r) / d }
  end
  local r = b[1] / b[2]
  local d = b[1] * r + b[2]
  return { (a[1] * r + a[2]) / d, (a[2] * r - a[1]) / d }
end

-- Returns the absolute value of v as a real number; no square can overflow.
function complex.abs(v)
  local large, small = math.abs(v[1]), math.abs(v[2])
  if large < small then large, small = small, large end
  if large == 0 or large == math.huge then return large end
  local ratio = small / large
  return large * math.sqrt(1 + ratio * ratio)
end

-- Returns a to the power n, an integer, by repeated squaring.
local function integer_power(a, n)
  local result, base = { 1.0, 0.0 }, n < 0 and divide({ 1.0, 0.0 }, a) or a
  n = math.abs(n)
  while n > 0 do
    if n % 2 == 1 then result = multiply(result, base) end
    base, n = multiply(base, base), n // 2
  end
  return result
end

-- Returns a to the power b, both complex. If b is an integer below 1024 in size, the result is computed by
-- multiplications only.
local function power(a, b)
  if b[2] == 0 and b[1] == math.floor(b[1]) and math.abs(b[1]) < 1024 then
    return integer_power(a, math.tointeger(b[1]))
  end
  local size = complex.abs(a)
  if size == 0 then return { 0.0, 0.0 } end
  local log, angle = math.log(size), math.atan(a[2], a[1])
  local scale, turn = math.exp(b[1] * log - b[2] * angle), b[2] * log + b[1] * angle
  return { scale * math.cos(turn), scale * math.sin(turn) }
end

complex.operators = { ["+"] = add, ["-"] = subtract, ["*"] = multiply, ["/"] = divide, ["**"] = power }

-- True if both parts of two complex numbers are equal.
function complex.equal(a, b) return a[1] == b[1] and a[2] == b[2] end
-- Returns -v.
function complex.negate(v) return { -v[1], -v[2] } end

return complex
