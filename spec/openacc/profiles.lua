-- Where the documents and runtimes differ: the same text under each profile.
scenario { title = "OpenACC: rule profiles" }

local program = [[
  struct s { int n; float *a; };
  struct s S;
  float v[4] = { 1, 2, 3, 4 }, w[4] = { 5, 6, 7, 8 };
  float *p = v, *none;
]]

-- Each step runs under each profile: it succeeds, "ok", or fails with a code.
local steps = {
  again = function()
    acc "enter data copyin(v)"
    return function() acc "data copyin(v)" (function() expect.count("v", { structured = 1, dynamic = 1 }) end) end
  end,
  again_or = function()
    acc "enter data copyin(v)"
    return function()
      acc "data present_or_copyin(v)" (function() expect.count("v", { structured = 1, dynamic = 1 }) end)
    end
  end,
  null = function()
    return function()
      -- unnoticed: a section of a null pointer maps nothing
      expect.moves(function() acc "data copyin(none[0:2])" (function() end) end, { h2d = 0, d2h = 0 })
    end
  end,
  exit_absent = function()
    return function() expect.events(function() acc "exit data delete(v)" end, {}) end
  end,
  detach_unattached = function()
    acc "enter data copyin(p)"
    expect.present "p"
    return function() acc "exit data detach(p)" end
  end,
  attach_absent = function()
    acc "enter data copyin(p)"
    expect.present "p"
    return function() acc "enter data attach(p)" end
  end,
  still_attached = function()
    acc "enter data copyin(v) copyin(p)"
    expect.present "v"
    return function()
      acc "exit data delete(v)"
      expect.absent "v"
    end
  end,
  pointer_changed = function(profile)
    local is_libgomp = profile == "libgomp-12"
    acc "enter data copyin(v, w) copyin(p)"
    acc "enter data attach(p)" -- under libgomp, copyin does not attach a variable
    expect.attached("p", is_libgomp and 1 or 2)
    host.p = addr "w[0]"
    return function()
      acc "exit data detach(p)"
      if is_libgomp then expect.detached "p" else expect.attached("p", 1) end
    end
  end,
  member = function()
    acc "enter data copyin(S.a[0:2])"
    expect.present "S.a[0:2]"
    return function() expect.moves(function() acc "update self(S.n)" end, { d2h = { count = 1, bytes = 4 } }) end
  end,
}

-- A case for each profile. It rejects where `wanted` has an error.
local function check(name, step_name, wanted)
  local what, ids = name:match "^accepts: (.*)( %[.*)$"
  for _, profile in ipairs { "tr14", "openacc-2.0", "openacc-3.3", "libgomp-12", "directory" } do
    local result = wanted[profile] or wanted.others
    case(("%s: %s under %s%s"):format(result == "ok" and "accepts" or "rejects", what, profile, ids), function()
      rules(profile)
      declare(program)
      host.S = { n = 2, a = { 1, 2 } }
      local step = steps[step_name](profile)
      if result == "ok" then step() else expect.fails(result, step) end
    end)
  end
end

check("accepts: a plain clause names present data [ACC20-2.6-1]", "again",
  { ["openacc-2.0"] = "already-present", others = "ok" })
check("accepts: a present_or clause names present data [ACC20-2.6-1]", "again_or", { others = "ok" })
check("accepts: a clause names a section of a null pointer [ACC33-2.7-2]", "null",
  { ["openacc-3.3"] = "ok", others = "null-pointer" })
check("accepts: exit data names absent data [TR14-4.3-05 ACC33-2.7-1 DIR-6-01]", "exit_absent",
  { ["openacc-3.3"] = "ok", ["libgomp-12"] = "ok", others = "not-present" })
check("accepts: detach names a pointer that is not attached [ACC33-det-1 TR14-4.3-13]", "detach_unattached",
  { ["openacc-3.3"] = "ok", others = "not-attached" })
check("accepts: attach names a pointer to an absent target [ACC33-att-2]", "attach_absent",
  { ["openacc-3.3"] = "ok", others = "not-present" })
check("accepts: exit data unmaps the target of an attached pointer [TR14-4.3-12]", "still_attached",
  { tr14 = "still-attached", directory = "still-attached", others = "ok" })
check("accepts: detach names a pointer that was changed [TR14-4.1-08 TR14-4.3-04]", "pointer_changed",
  { tr14 = "pointer-changed", directory = "pointer-changed", others = "ok" })
check("accepts: update names a member after a clause named another member [TR14-3.4-11 ACC33-upd-1]", "member",
  { tr14 = "ok", directory = "ok", others = "not-present" })

case("rejects: a profile, a knob or a value does not exist [ACC20-2.6-1 HOUSE-knobs]", function()
  expect.fails("unknown-name", function() rules "openacc-9" end)
  expect.fails("unknown-name", function() rules { base = "tr14", fancy = true } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", untranslated = "seven" } end)
  expect.fails("type-mismatch", function() rules { base = "directory", fusion = "off" } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", partial_overlap = "split" } end)
end)
