-- manual.lua - `accdeep manual`: prints the manual page accdeep(1) in roff. Commands and options come from the
-- parser.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"
local text_file = lazy.require "accdeep.base.text_file"

-- File of the page in roff. Comments in it stand for the sections of the commands and for the examples.
local PAGE = "tools/cli/manual.man"

local EXAMPLES = {
  { "accdeep cc gcc -g -fopenacc examples/stale.c -o build/stale",
    "Compile a program so that each load and store is checked." },
  { "accdeep exec build/stale", "Run it, and report wrong and stale data." },
  { "accdeep run examples/deep_type.lua", "Run one scenario." },
  { "accdeep run --compare tr14,openacc-3.3 examples/update_pointer.lua",
    "Run it under two rule profiles, and show in a table what differs." },
  { "accdeep run --jobs 2 --format junit spec/tr14", "Run a part of the specification in two processes, and report as "
    .. "continuous integration wants it." },
  { "accdeep run --trace examples/never_attached.lua", "Show every transfer, attachment and counter." },
  { "accdeep explain --in examples/deep_type.lua 'data create(X) copyin(X.a[0:X.n])'",
    "Show what a directive is lowered to, and what it does." },
  { "accdeep rules TR14-4.2", "Print the rules of a section." },
}

-- Returns plain text escaped for roff.
local function escape_roff(text) return (text:gsub("\\", "\\e"):gsub("-", "\\-"):gsub("^[.']", "\\&%0")) end

-- Returns a text in lines of at most 80 columns, where they can be split. Lines that begin like a request of roff are
-- not split, and no new line begins like one.
local function fill_lines(text)
  local out = {}
  for line in text:gmatch "[^\n]+" do
    while #line > 80 and not line:find "^[.\\]" do
      local first, rest = line:sub(1, 81):match "^(.*) ()[^.' ]"
      if not first then break end
      out[#out + 1], line = first, line:sub(rest)
    end
    out[#out + 1] = line
  end
  return table.concat(out, "\n")
end

-- Returns a piece of a usage line in roff: literal text in bold, <placeholders> in italics, brackets and bars in roman.
local function usage(text)
  return "\\fB" .. escape_roff(text):gsub("<(.-)>", "\\fI%1\\fB"):gsub("[%[%]{}|,]", "\\fR%0\\fB") .. "\\fR"
end

-- Appends an entry of a list to `out`: label and description.
local function element(out, label, description)
  out[#out + 1] = ".TP"
  out[#out + 1] = usage(label)
  out[#out + 1] = escape_roff(description)
end

-- Appends the section of a command to `out`, from argparse's help for the command.
local function describe(out, command)
  local operands = { "[options]" }
  for _, argument in ipairs(command._arguments) do operands[#operands + 1] = argument:_get_usage() end
  out[#out + 1] = (".SS %s %s"):format(usage("accdeep " .. command._name), usage(table.concat(operands, " ")))
  out[#out + 1] = escape_roff(command:_get_description())
  for _, argument in ipairs(command._arguments) do
    element(out, argument:_get_label_lines()[1], argument:_get_description())
  end
  for _, option in ipairs(command._options) do
    if option._name ~= "-h" then
      element(out, table.concat(option:_get_label_lines(), " "), option:_get_description())
    end
  end
end

-- Prints the manual page. `parser`: the parser of the command line. Returns 0.
local function run(_, parser)
  local commands, examples = {}, {}
  for _, group in ipairs(parser._groups) do
    commands[#commands + 1] = ".SH " .. group.name:upper()
    for _, command in ipairs(group) do
      if not command._is_help_command then describe(commands, command) end
    end
  end
  for _, example in ipairs(EXAMPLES) do element(examples, example[1], example[2]) end
  local values = { commands = table.concat(commands, "\n"), examples = table.concat(examples, "\n") }
  local page = text_file.read(PAGE):gsub('"accdeep"', ('"accdeep %s"'):format(core.version), 1)
    :gsub("%.\\\" (%l+)", values)
  common.write_output(fill_lines(page) .. "\n")
  return 0
end

return { about = "Print the manual page.", options = function() end, run = run }
