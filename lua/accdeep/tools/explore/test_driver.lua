-- test_driver.lua - writes the C program that executes programs on a real runtime (oracle.lua compiles and runs it).
--
-- Each action of the vocabulary (a directive or statement) becomes a C function, and the programs are the paths through
-- a prefix tree. The tree is read as lines "depth action" in preorder. At each node the process forks for each
-- following action. A common prefix is therefore executed once, and a crash or a change of process state affects only
-- its own branch. A region is a C block around a call of play. After each action the state is printed: the value of
-- each scalar of the observed objects on the host and on the device. observation.lua writes the state of a session in
-- the same format.

local c_writer = require "accdeep.steps.c_writer"
local steps = require "accdeep.steps"
local text_file = require "accdeep.base.text_file"

local test_driver = {}

-- Functions after the text driver.c: cases of the words; main, with the lines of the declarations and the objects.
local ending = [[

bool execute(int word)
{
    switch (word) {
%s    default: return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    if (!read_tree(count, arguments))
        return 3;
    dup2(1, 2);
%s%s    begin();
    report_state();
    play();
    return 3;
}
]]

-- Capacity of the tree in nodes; node 0 is the root.
test_driver.MOST_NODES = 1 << 17

-- Returns a text as a string literal of C.
local function c_text(text) return '"' .. text:gsub('[\\"]', "\\%0") .. '"' end

-- Returns the C function of an action. In a region, the block of the construct calls `play` of the C program, which
-- executes the actions up to the region's end.
local function define(number, action)
  local report = { kind = "c", text = "report_state();" }
  local list = { action, report }
  if steps.opens(action) then
    list = { action, report, { kind = "c", text = "play();" }, { kind = "end" }, report }
  end
  return ('static void word_%d(void)\n{\n#line 1 "word %d"\n%s\n}\n'):format(number, number,
    table.concat(c_writer.lines(list, 1), "\n"))
end

-- Returns the text of the C program for the compiler family `family`. `declared`: {declarations, globals, steps} of an
-- exported program. `actions`: the actions that the compiler accepts, by number. `layout`: a result of
-- observation.layout.
function test_driver.text(family, declared, actions, layout)
  local parts = { text_file.read(("tools/explore/c/device_%s.c"):format(family)) }
  local objects, leaves, functions, cases = {}, {}, {}, {}
  -- Arrays separate the variables, so that a pointer past the end of one variable does not point to the next one.
  for i, text in ipairs(declared.declarations) do
    parts[#parts + 1] = ('#line 1 "declaration %d"\n%s\n'):format(i, text)
    parts[#parts + 1] = ("char apart_%d_[256] = {1}, apart_%d_0_[256];\n"):format(i, i)
  end
  for _, text in ipairs(declared.globals) do parts[#parts + 1] = text .. "\n" end
  for i, object in ipairs(layout) do
    objects[i] = ("    objects[%d] = (struct object){%s, (char *)%s%s, %d};\n"):format(i - 1, c_text(object.name),
      object.is_variable and "&" or "", object.name, object.bytes)
    for _, leaf in ipairs(object.leaves) do
      leaves[#leaves + 1] = ("{%d, %d, %d, '%s'}, "):format(i - 1, leaf.offset, leaf.bytes, leaf.kind)
    end
  end
  local numbers = {}
  for number in pairs(actions) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  for _, number in ipairs(numbers) do
    functions[#functions + 1] = define(number, actions[number])
    cases[#cases + 1] = ("        case %d: word_%d(); break;\n"):format(number, number)
  end
  parts[#parts + 1] = ("#define MOST_NODES %d\n#define OBJECTS %d\n#define DRIVER_LEAVES %s\n"):format(
    test_driver.MOST_NODES, #layout, table.concat(leaves))
  parts[#parts + 1] = text_file.read "tools/explore/c/driver.c" .. "\n"
  parts[#parts + 1] = table.concat(functions, "\n")
  parts[#parts + 1] = ending:format(table.concat(cases), table.concat(c_writer.lines(declared.steps, 1), "\n") .. "\n",
    table.concat(objects))
  return table.concat(parts)
end

return test_driver
