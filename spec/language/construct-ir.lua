-- Texts of the construct IR: what they execute, and what is refused.
scenario { title = "Texts of the construct IR" }

declare [[
  struct cell { int n; double *x; };
  struct cell C[2];
  double field[3] = { 1, 2, 3 };
  int n = 3;
]]
host.C = { { n = 2, x = { 1, 2 } }, { n = 1, x = { 3 } } }

local CELL = [[
program cell size 16
  piece @0 size 16
  r0 = load i32 @0
  field @8 of 8 count r0 "x" section
]]

-- Returns a text with the program CELL and these statements.
local function with_cell(statements) return "accdeep ir 1\n" .. CELL .. statements end

case("accepts: a program follows the pointers of each element, and 'end' ends the region [HOUSE-ir]", function()
  expect.events(function()
    ir(with_cell [[
construct region "data"
  r0 = &C
  r1 = 2
  item copy of 16 base r0 count r1 "C" section -> cell
end
]])
  end, { "alloc C[0:2]", "alloc C[0].x[0:2]", "alloc C[1].x[0:1]", "h2d C[0:2]", "h2d C[0].x[0:2]", "h2d C[1].x[0:1]",
    "attach C[0].x", "attach C[1].x", "incref C[0:2]", "incref C[0].x[0:2]", "incref C[1].x[0:1]",
    "detach C[0].x", "detach C[1].x", "decref C[0:2]", "decref C[0].x[0:2]", "decref C[1].x[0:1]", "d2h C[0]",
    "d2h C[1]", "d2h C[0].x[0:2]", "d2h C[1].x[0:1]", "free C[0:2]", "free C[0].x[0:2]", "free C[1].x[0:1]" })
end)

case("accepts: memory that the text declares is used like variables of the scenario [HOUSE-ir]", function()
  ir(with_cell [[
memory one size 16
memory data size 24     # zeroed
store &one = i32 3
store &one+8 = &data
store &data+16 = i64 4611686018427387904   # the double 2.0
construct enter_data
  r0 = &one
  item copyin of 16 base r0 "one" -> cell
]])
  expect.present "one"
  expect.present "data"
end)

case("accepts: bounds are computed from variables when the construct is executed [HOUSE-ir]", function()
  host.n = 2
  ir [[
accdeep ir 1
construct enter_data
  r0 = &field
  r1 = &n
  r2 = load i32 r1
  r3 = 1
  r4 = r2 - r3 : i32
  item copyin of 8 base r0 start r3 count r4 "field" section
]]
  expect.present "field[1:1]"
  expect.absent "field[2:1]"
end)

case("rejects: of a wrong text nothing is executed [HOUSE-ir]", function()
  for _, text in ipairs { "", "accdeep", "accdeep ir", "accdeep ir 2", "accdeep ir 99999999999999999999",
    "accdeep ir 1 2" } do
    expect.fails("syntax", function() ir(text) end)
  end
  for _, statements in ipairs {
    "nothing", "construct enter_data; item copyin of 4 base r0", "construct enter_data; r0 = &n",
    "construct enter_data; r0 = &n; item copyin of 4 base r0 wrong", "construct exit; r0 = 1",
    "construct enter_data; r0 = &n; item copyin of 4 base r0 -> none_such",
    "construct enter_data; r0 = call f; item copyin of 4 base r0",
    "construct enter_data; r300 = &n; item copyin of 4 base r300",
    "construct enter_data; r64 = &n; item copyin of 4 base r64",
    "program p size 8; field @0 of 8 count r0 -> p", "program p size 8; r0 = 1; field @4 of 8 count r0",
    "program p size 8; r0 = 1; field @0 of 8 count r0 up 2; construct update; r0 = &n; item present of 8 base r0 -> p",
    "program p size 8; program p size 8",
    "program p size 8; r0 = load f32 @0", "program p size -1", "store &n = i32 'x'", 'memory "x size 4',
    "memory x size 0", "memory x size 4\0", "store &n = i8 128", "store &n = u16 -1", "store &n = bool 2",
    -- Registers that no instruction sets; instructions without an element; types in which C does not compute.
    "construct enter_data; r5 = &n; item copyin of 4 base r5 count r1",
    "construct enter_data; r5 = &n; r1 = r5 + r2; item copyin of 4 base r5 count r1",
    "construct enter_data; r0 = &n; item copyin of 4 base r0; r1 = &n; item copyin of 4 base r1 count r0",
    "construct enter_data; r0 = &n; r1 = outer r0; item copyin of 4 base r0 count r1",
    "construct enter_data; r0 = element; item copyin of 4 base r0",
    "construct enter_data; r0 = &n; r1 = load i32 @0; item copyin of 4 base r0 count r1",
    "construct enter_data; r0 = &n; r1 = r0 + r0 : i8; item copyin of 4 base r0",
    "construct enter_data; r0 = &n; r1 = r0 == r0 : i32; item copyin of 4 base r0",
    "construct enter_data; r0 = &n; r1 = - r0 : i32; item copyin of 4 base r0",
    "construct enter_data; r0 = &n; item copyin of 4 base r0 gaps 4 (1:4) gaps 4 (1:4)",
    "construct enter_data; r0 = &n; item copyin of 4 base r0 rows \"n\" 1 rows \"n\" 1",
    "construct enter_data; r0 = &n; item copyin of 4 base r0 index \"n\"",
    "construct exit_data; r0 = &n; item copyin of 4 base r0", "construct update; r0 = &n; item hold of 4 base r0",
    "construct region; r0 = &n; item delete of 4 base r0; end",
    "construct enter_data; r0 = &n; item copyin base r0", "construct enter_data; r0 = &n; item inherit of 4 base r0",
    "program p size 8; r1 = 2; field @0 of 8 count r0", "program p size 8; r0 = load i64 @4",
    "program p size 8; piece @4 size 8", "program p size 8; r0 = 1; field @0 of 8 count r0 uncounted",
    "program p size 8; r0 = 1; program q size 8; r0 = 1; field @0 of 4 count r0 -> p",
    "program p size 8; r0 = outer r1; construct enter_data; r0 = &n; item copyin of 8 base r0 -> p",
    "program p size 8; r0 = outer r1; program q size 8; r0 = 1; r2 = 1; field @0 of 8 count r0 -> p",
  } do
    expect.fails("syntax", function()
      ir("accdeep ir 1; construct enter_data; r0 = &n; item copyin of 4 base r0 \"n\"\n" .. statements)
    end)
  end
  expect.absent "n"
end)

case("rejects: programs are nested at most 1000 levels deep [HOUSE-ir]", function()
  local lines = { "accdeep ir 1; program p0 size 8" }
  for i = 1, 1000 do
    lines[#lines + 1] = ("program p%d size 8; r0 = 1; field @0 of 8 count r0 -> p%d"):format(i, i - 1)
  end
  expect.fails("syntax", function() ir(table.concat(lines, "\n")) end)
  ir(table.concat(lines, "\n", 1, 1000))
end)

case("accepts: two fields have the same program, whose pointer points to the first element [HOUSE-ir]", function()
  ir [[
accdeep ir 1
memory root size 16
memory leaf size 8
store &root = &leaf
store &root+8 = &leaf
store &leaf = &root
program leaf size 8
  piece @0 size 8
  r0 = 1
  field @0 of 16 count r0 "root" up 2
program root size 16
  piece @0 size 16
  r0 = 1
  field @0 of 8 count r0 "left" -> leaf
  field @8 of 8 count r0 "right" -> leaf
construct enter_data
  r0 = &root
  item copyin of 16 base r0 "root" -> root
]]
  expect.present "leaf"
  local lines = { "accdeep ir 1; program p0 size 16; r0 = 1; field @0 of 16 count r0 up 1000" }
  for i = 1, 60 do -- the number of paths doubles with each level
    lines[#lines + 1] = ("program p%d size 16; r0 = 1; field @0 of 16 count r0 -> p%d; field @8 of 16 count r0 -> p%d")
      :format(i, i - 1, i - 1)
  end
  ir(table.concat(lines, "\n"))
end)

case("accepts: a construct needs no names of later statements [HOUSE-ir]", function()
  ir [[
accdeep ir 1
construct enter_data; r0 = &n; item copyin of 4 base r0 "n"
memory later size 8
construct enter_data; r0 = &later; item copyin of 8 base r0 "later"
]]
  expect.present "n"
  expect.present "later"
end)

case("rejects: a name, a store or a region is wrong when the text is executed [HOUSE-ir DIR-4.3-06]", function()
  local function fails(code, text)
    expect.fails(code, function() ir("accdeep ir 1; " .. text) end)
  end
  fails("unknown-name", "construct enter_data; r0 = &w; item copyin of 4 base r0")
  fails("unsupported", "construct enter_data; r0 = value \"f()\"; item copyin of 4 base r0")
  fails("unsupported", "construct enter_data; r0 = &n; item copyin of 4 base r0 rows \"n\" 1")
  fails("duplicate-name", "memory m size 4; memory m size 4")
  fails("out-of-bounds", "memory k size 4; store &k+4 = i32 1")
  fails("region-nesting", "end")
  fails("region-nesting", "construct region; r0 = &n; item copyin of 4 base r0 \"n\"")
  expect.absent "n"
end)
