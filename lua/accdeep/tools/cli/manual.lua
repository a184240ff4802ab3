-- manual.lua - `accdeep manual`: prints the manual page accdeep(1) in roff. Commands and options come from the
-- parser.

local common = require "accdeep.tools.cli.common"
local core = require "accdeep.core"

local DATE = "2026-11-21" -- date of the text

-- Fixed text, in roff.
local BEFORE = [[
.SH NAME
accdeep \- executable specification of accelerator data management
.SH SYNOPSIS
.B accdeep
.I command
.RI [ option " ...]"
.RI [ argument " ...]"
.SH DESCRIPTION
.B accdeep
carries out OpenACC and OpenMP directives on a simulated device or on a GPU, and shows and checks what becomes of
every object, pointer and counter: deep copy after the technical report TR-14-1 (shapes, policies, nests, members in
data clauses), OpenACC 2.0 to 3.4, OpenMP 4.0 to 6.1.
Where hardware would go on silently \- an unattached pointer, an excluded member, bytes that nobody initialised \- it
stops and says why, and which rule says so.
.PP
A
.I scenario
is a Lua script that says what a host program does to its memory and which directives it encounters.
Scenarios are examples, tests and specification at once;
.B accdeep run
runs them.
.SH COMMANDS
]]

local AFTER = [=[
.PP
Each command explains itself:
.BI "accdeep help " command .
.SH SCENARIO LANGUAGE
A scenario is Lua 5.4 with these names, and the safe part of Lua's library.
.TP
.B scenario { title=, rules=, language=, devices=, cites= }
The head: title, rule profile, "c" or "fortran", number of devices, ids of rules.
.TP
.B case(\(dqname\(dq, function() ... end)
One of several independent cases of a file.
.TP
.B declare [[ ... ]], fortran [[ ... ]]
Types and variables of the host program in C and C++, or in Fortran, with shapes, policies and mappers.
.TP
.B host.NAME, host \(dqexpression\(dq
The host program's memory, to read and to write.
.TP
.B acc \(dqdirective\(dq, omp \(dqdirective\(dq
A directive.
A structured or compute construct is followed by its body: a function, or statements in C as a string.
.TP
.B expect.host(\(dqexpression\(dq, value), expect.present \(dqsection\(dq ...
What must hold: host, device, present, absent, attached, detached, count,
uninitialized, events, moves, fails.
.TP
.B state(), events(function), show(), draw \(dqfile.svg\(dq
What there is now, and what happens.
.PP
The routines of both interfaces
.RB ( acc_is_present ,
.B omp_target_alloc
and so on) have their standard names.
.PP
.BI "accdeep explain " name
tells what a name takes and gives, with an example; all of them are in
.I reference.md
among the package's pages.
.SH EXIT STATUS
.TP
.B 0
Everything held.
.TP
.B 1
An expectation or a construct failed.
.TP
.B 2
A directive, a declaration or a scenario is wrong as it is written.
.TP
.B 3
A file, a device or a limit: nothing was wrong with what could be run.
.TP
.B 4
The command line was wrong.
.TP
.B 70
An error of accdeep's own.
.PP
Of several the highest.
.B accdeep exec
ends with the status of the program,
.B accdeep cc
with that of the compiler.
.SH FILES
Folders of an installation, under its prefix.
.TP
.I share/accdeep/spec
The specification: rules, and the scenarios that show each of them from both sides.
.TP
.I share/doc/accdeep
README, examples, and the reference of all names.
.TP
.I lib/libaccdeep-goacc.so
What
.B accdeep exec
puts in front of a program's own OpenACC runtime. Looked for beside the program, and in
.I ../lib
from there.
.TP
.I lib/accdeep-check/libaccdeep-check.so
What programs that
.B accdeep cc
compiles are linked with.
.SH ENVIRONMENT
.TP
.B NO_COLOR
If it is not empty: no colours on a terminal. Nor are there any where
.B TERM
is
.BR dumb ,
and then no progress is reported either.
.TP
.B LD_LIBRARY_PATH
Where the driver of a GPU,
.IR libcuda.so.1 ,
is looked for besides the system's own folders.
.TP
.B ACCDEEP_LUA_DIR
A folder whose Lua modules are used instead of those inside the program, for its development.
.SH EXAMPLES
]=]

local EXAMPLES = {
  { "accdeep run examples/deep_type.lua", "Run one scenario." },
  { "accdeep run --jobs 2 --format junit spec/tr14", "Run a part of the specification in two processes, and report as "
    .. "continuous integration wants it." },
  { "accdeep run --trace examples/never_attached.lua", "Show every transfer, attachment and counter." },
  { "accdeep explain --in examples/deep_type.lua 'data create(X) copyin(X.a[0:X.n])'",
    "Show what a directive is lowered to, and what it does." },
  { "accdeep rules TR14-4.2", "Print the rules of a section." },
}

local SEE = [[
.SH SEE ALSO
.BR gcc (1),
.BR gfortran (1),
.BR lua (1)
]]

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
  local out = { (".TH ACCDEEP 1 %s \"accdeep %s\" \"User Commands\""):format(DATE, core.version), BEFORE:sub(1, -2) }
  for _, command in ipairs(parser._commands) do
    if not command._is_help_command then describe(out, command) end
  end
  out[#out + 1] = AFTER:sub(1, -2)
  for _, example in ipairs(EXAMPLES) do element(out, example[1], example[2]) end
  out[#out + 1] = SEE
  common.write_output(fill_lines(table.concat(out, "\n")) .. "\n")
  return 0
end

return { about = "Print the manual page.", options = function() end, run = run }
