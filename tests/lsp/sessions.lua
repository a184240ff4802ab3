-- sessions.lua - plays sessions with `accdeep lsp`. lua5.4 tests/lsp/sessions.lua ACCDEEP: prints a line for each
-- failed check; the exit status is 1 if there is one.

local program = arg[1]
local here = arg[0]:match "^(.*)/" or "."
package.path = here .. "/?.lua;" .. package.path
local client = require "client"

local function read_command(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  pipe:close()
  return text
end

local work = read_command "mktemp -d":match "%S+"
local failed, total = 0, 0

-- Counts a check, and prints its name unless it holds.
local function check(holds, name, found)
  total = total + 1
  if holds then return end
  failed = failed + 1
  print(("FAIL %s%s"):format(name, found ~= nil and ", found: " .. tostring(found) or ""))
end

-- Checks that two values are equal.
local function equal(found, wanted, name) check(found == wanted, name, ("%s, wanted %s"):format(found, wanted)) end

-- Writes a file in the work folder and returns its path and URI.
local function write(name, text)
  local path = work .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path, "file://" .. path
end

-- Returns diagnostics as text: line, column, length in the line and code of each.
local function format(list)
  local parts = {}
  for i, d in ipairs(list) do
    parts[i] = ("%d:%d-%d %s"):format(d.range.start.line, d.range.start.character, d.range["end"].character, d.code)
  end
  return table.concat(parts, ", ")
end

-- Returns the parameters of a request about a place.
local function at(uri, line, character)
  return { textDocument = { uri = uri }, position = { line = line, character = character } }
end

-- Returns the labels of a list of completion items as a set.
local function labels(result)
  local set = {}
  for _, item in ipairs(result.items) do set[item.label] = item end
  return set
end

-- Starts a session.
local function session(params, options)
  local c = client.start(program, work, options)
  return c, c:initialize(params)
end

-- ------------------------------------------------------------------------------------- scenarios --

do
  local c, result = session()
  equal(result.capabilities.positionEncoding, "utf-16", "UTF-16 is the encoding of positions")
  equal(result.capabilities.textDocumentSync.change, 1, "documents are sent as a whole")
  local text = [[
declare "struct vector { int n; float *data; } v;"
host.v = { n = 4, data = { 1, 2, 3, 4 } }
acc "enter data copyin(v, v.data[0:v.n])"
-- TR14-1.2-04
--[=[ 𝕏é ]=] acc "update device(vv)"
expect.fails("not-present", function() acc "update self(v.n)" end)
case("first", function() acc "exit data delete(v)" end)
]]
  local uri = "file:///nowhere/first%20one.lua"
  local found = c:open(uri, "lua", text)
  equal(format(found), "4:33-35 unknown-name", "an unknown variable is marked, in UTF-16 units")
  check(found[1].message:find("did you mean 'v'?", 1, true), "the help is in the message", found[1].message)
  check(found[1].codeDescription.href:find "spec/rules/house.lua#L%d+$", "the code has a link to its rule")
  check(found[1].relatedInformation[1].message:find "^HOUSE%-names", "the rule is related information")
  equal(found[1].severity, 1, "errors are errors")
  equal(format(c:change(uri, text:gsub("%(vv%)", "(v)"), 2)), "5:0-66 expectation", "a changed text is checked again")
  equal(format(c:change(uri, "acc 'x", 3)), "0:0-6 syntax", "text that is not Lua is marked")
  equal(format(c:change(uri, 'acc "data copyy(a)" {}\r\nacc "loop"\r\n', 4)), "0:10-15 unknown-clause",
    "lines may end with CR and LF")

  c:change(uri, text:gsub("%(vv%)", "(v)"), 5)
  local hover = c:request("textDocument/hover", at(uri, 2, 18))
  check(hover.contents.kind == "markdown" and hover.contents.value:find "copyin  a clause of OpenACC",
    "hover explains a clause")
  equal(hover.range.start.character, 16, "hover has the range of the word")
  hover = c:request("textDocument/hover", at(uri, 2, 7))
  check(hover and hover.contents.value:find "enter data  a directive of OpenACC", "hover explains a directive's name")
  hover = c:request("textDocument/hover", at(uri, 2, 1))
  check(hover and hover.contents.value:find "attach  v.data", "hover on acc explains what the directive does")
  hover = c:request("textDocument/hover", at(uri, 3, 8))
  check(hover and hover.contents.value:find "TR14%-1.2%-04", "hover explains a rule in a comment")
  hover = c:request("textDocument/hover", at(uri, 5, 3))
  check(hover and hover.contents.value:find "expect.fails", "hover explains a name of the scenario language")
  hover = c:request("textDocument/hover", at(uri, 5, 18))
  check(hover and hover.contents.value:find "not%-present  a run%-time error", "hover explains an error code")
  equal(c:request("textDocument/hover", at(uri, 900, 3)), nil, "there is no hover after the end")
  equal(c:request("textDocument/hover", at("file:///other.lua", 0, 0)), nil, "there is no hover without a document")

  local items = labels(c:request("textDocument/completion", at(uri, 2, 5)))
  check(items["enter data"] and items["parallel loop"], "completion offers directives")
  items = labels(c:request("textDocument/completion", at(uri, 2, 11)))
  check(items.data and not items["enter data"], "completion continues a directive of two words")
  items = labels(c:request("textDocument/completion", at(uri, 2, 16)))
  check(items.copyin and items.attach and not items.reduction and not items.copyout, "completion offers clauses")
  items = labels(c:request("textDocument/completion", at(uri, 2, 23)))
  check(items.v, "completion offers variables that the file declares")
  items = labels(c:request("textDocument/completion", at(uri, 5, 7)))
  check(items.fails and items.device, "completion offers expectations")
  items = labels(c:request("textDocument/completion", at(uri, 5, 14)))
  check(items["not-present"] and items["stale-data"], "completion offers error codes")
  items = labels(c:request("textDocument/completion", at(uri, 1, 0)))
  check(items.declare and items.acc and items.acc_copyin, "completion offers names of the scenario language")
  local resolved = c:request("completionItem/resolve", items.declare)
  check(resolved.documentation.value:find "declare%(", "completion describes an item")
  c:change(uri, 'scenario { rules = "", cites = { "" } }', 6)
  items = labels(c:request("textDocument/completion", at(uri, 0, 20)))
  check(items.tr14 and items["openacc-3.3"], "completion offers profiles")
  items = labels(c:request("textDocument/completion", at(uri, 0, 34)))
  check(items["TR14-1.2-04"], "completion offers rules")

  c:change(uri, text, 7)
  local place = c:request("textDocument/definition", at(uri, 3, 8))
  check(place and place.uri:find "spec/rules/tr14.lua$" and place.range.start.line > 0,
    "a rule is found in its document")
  place = c:request("textDocument/definition", at(uri, 5, 3))
  check(place and place.uri:find "reference/reference.md$", "a name is found on its page")
  place = c:request("textDocument/definition", at(uri, 5, 18))
  check(place and place.uri:find "reference/errors.md$", "a code is found on its page")
  local symbols = c:request("textDocument/documentSymbol", { textDocument = { uri = uri } })
  equal(#symbols == 1 and symbols[1].name, "first", "cases are symbols")

  -- The server does not run other Lua files: nothing is published before the answer to a later request
  local before = c.published
  c:notify("textDocument/didOpen", { textDocument = { uri = "file:///nowhere/init.lua", languageId = "lua", version = 1,
    text = "vim.opt.number = true\nlocal x = unknown.y\n" } })
  equal(c:request("textDocument/hover", at("file:///nowhere/init.lua", 0, 2)), nil, "other Lua files have no hover")
  c:notify("textDocument/didOpen", { textDocument = { uri = "file:///nowhere/texts.lua", languageId = "lua",
    version = 1, text = 'return { [[\nacc "nonsense"\n]] } -- acc "nonsense"\n' } })
  equal(c:request("textDocument/hover", at("file:///nowhere/texts.lua", 1, 1)), nil, "strings are no calls")
  equal(c.published, before, "other Lua files are left alone")
  equal(c:close(), 0, "after shutdown, the status is 0")
end

do -- scenarios that never end, and that use too much memory
  local c = session(nil, "--limit-steps 1e6 --limit-memory 64M")
  local uri = "file:///nowhere/endless.lua"
  local found = c:open(uri, "lua", 'declare "int n;"\nwhile true do end\n')
  equal(format(found) .. " " .. found[1].severity, "1:0-17 limit 3", "an endless scenario is reported, as information")
  equal(format(c:change(uri, 'declare "int n;"\nwhile true do end\n\n', 2)), "",
    "while typing, limits are not reported")
  equal(format(c:change(uri, 'declare "int n;"\nacc "update self(m)"\n', 3)), "1:17-18 unknown-name",
    "the server continues")
  local hungry = 'declare "int n;"\nlocal t = {} while true do t[#t + 1] = ("x"):rep(1 << 20) .. #t end\n'
  equal(format(c:change(uri, hungry, 4)), "", "memory is limited")
  found = c:change(uri, 'declare "int n;"\nprint(io, os.execute)\ndraw "x.svg"\n', 5)
  equal(format(found), "1:0-21 unknown-name", "scenarios run in their sandbox")
  equal(c:close(), 0, "a session with endless scenarios ends")
end

do -- the time of a check
  local c = session(nil, "--limit-steps 0 --limit-seconds 1")
  local uri = "file:///nowhere/slow.lua"
  local found = c:open(uri, "lua", 'declare "int n;"\nwhile true do end\n')
  equal(format(found), "0:0-16 limit", "a check that takes too long is ended")
  check(found[1].message:find "^the scenario ran for 1 seconds", "the time is in the message", found[1].message)
  equal(format(c:change(uri, 'declare "int n;"\nwhile true do end\n\n', 2)), "", "a check ends sooner while typing")
  equal(c:close(), 0, "a session with slow scenarios ends")
end

-- ------------------------------------------------------------------------------------------ units --

do
  local c = session { capabilities = { general = { positionEncodings = { "utf-8", "utf-16" } } },
    initializationOptions = { profile = "openacc-3.3" } }
  equal(c:request("initialize", {}), nil, "a second initialize is refused")
  local uri = "file:///nowhere/a.c"
  equal(format(c:open(uri, "c", [[
#define CLAUSES private(i)
#define loops parallel loop
void f(int *a, int n) {
#pragma acc paralel loop
/* é */
#pragma acc parallel loop copi(a[0:n])
#pragma acc parallel loop private(i \
   reduction(+: n)
#pragma acc update copyin(a)
#pragma acc exit data async
#pragma acc enter data copyin(a[0:n) async(1)
#pragma omp target enter data map(from: a[0:n])
#pragma acc parallel loop CLAUSES vendor(3) ompx_vendor
#pragma acc loops
#pragma omp target teams if(n) default(shared) device_type(host) map(a[0:n])
#pragma acc kernels num_gangs((int)(real)n) copy(a[f<int>(3):n])
#pragma acc data copyin(capture: a[0:n])
#pragma acc data copyin(always: a[0:n])
#if 0
#pragma acc nonsense
#endif
#ifdef __NVCOMPILER
#pragma acc update copyin(a)
#endif
#ifdef _OPENACC
#pragma acc update copyin(b)
#endif
   const char *text = "\
#pragma acc update copyin(a)";
/*
#pragma acc update copyin(a)
*/
}
]])), "3:12-19 syntax, 5:26-30 unknown-clause, 7:3-12 syntax, 8:19-25 clause-not-allowed, 9:21-22 syntax, "
    .. "10:35-36 syntax, 11:34-38 clause-not-allowed, 16:24-31 unsupported, 17:24-30 unsupported, "
    .. "25:19-25 clause-not-allowed", "wrong directives of C are marked, and no others")
  equal(format(c:open("file:///nowhere/macros.c", "c", [[
#define N 100
#define gang private(x) gang
#define MODE none
#define none_of_it no
#pragma acc update self(a) gang
#pragma acc parallel default(MODE)
#pragma acc parallel default(none_of_it)
#pragma omp parallel for schedule(HOW) collapse(2)
#pragma acc data copy(a MODE)
#pragma acc data copy(a[0:N] b)
#pragma acc data copy()
#pragma omp target map(to: )
]])), "9:29-30 syntax, 10:22-23 syntax, 11:27-28 syntax", "what macros could make right is not marked")
  equal(format(c:open("file:///nowhere/crlf.c", "c", "\r\n#pragma acc update copyin(a)\r\n")),
    "1:19-25 clause-not-allowed", "units may have CR and LF")
  equal(format(c:open("file:///nowhere/a.f90", "fortran", [[
!$acc parallel loop &
!$acc& copyin(a(1:n)) &
  ! a comment
!$acc delete(b)
!$ACC END PARALLEL LOOP
!$omp target enter data map(to: a) &
!$omp nowait map(from: a)
!$acc update self(a)
!$acc kernels copy(x%y(1:n, :))
print *, "!$acc update copyin(a)"
!$acc parallel copy(lo&
!$acc&ng)
]])), "3:6-12 clause-not-allowed, 6:17-21 clause-not-allowed", "wrong directives of Fortran are marked, and no others")
  equal(format(c:open("file:///nowhere/a.f", "fortran", [[
c$acc update copyin(a)
!$acc parallel loop
!$acc& delete(b)
*$omp target
c     $acc
]])), "0:13-19 clause-not-allowed, 2:7-13 clause-not-allowed", "fixed form is read")
  local hover = c:request("textDocument/hover", at(uri, 10, 26))
  check(hover and hover.contents.value:find "copyin  a clause of OpenACC", "hover explains a clause of C")
  equal(c:request("textDocument/hover", at(uri, 2, 6)), nil, "there is no hover on the code of a unit")
  local items = labels(c:request("textDocument/completion", at(uri, 8, 19)))
  check(items.self and items.device and not items.copyin, "completion offers clauses in units")
  items = labels(c:request("textDocument/completion", at(uri, 11, 34)))
  check(items.to and items.alloc, "completion offers map types")
  items = labels(c:request("textDocument/completion", at("file:///nowhere/a.f90", 3, 6)))
  check(items.copyin and items.collapse, "completion continues lines of Fortran")

  c:notify("workspace/didChangeConfiguration", { settings = { accdeep = { profile = "openacc-3.4" } } })
  equal(format(c:wait_diagnostics(uri)):match "16:[^,]*", nil, "the profile says which version is meant")
  c:notify("workspace/didChangeConfiguration", { settings = { accdeep = { profile = "nonsense" } } })
  c:request("textDocument/hover", at(uri, 0, 0))
  local has_message = false
  for _, note in ipairs(c.notes) do has_message = has_message or note.method == "window/showMessage" end
  check(has_message, "an unknown profile gives a message")
  equal(c:close(), 0, "a session about units ends")
end

-- Types, by the compiler of compile_commands.json.
local HEADER = "struct vec {\n    int n;\n    float *data;\n#pragma acc shape include(%s[0:n])\n};\n"
local UNIT = '#include "vec.h"\n#ifdef OTHER\nvoid f(struct vec *v) {\n'
  .. "#pragma acc enter data copyin(v[0:1], v->%s[0:4])\n}\n#endif\n"
if os.execute "command -v gcc >/dev/null" then
  write("vec.h", HEADER:format "data")
  local _, uri = write("types.c", UNIT:format "dta")
  local marker = work .. "/marker"
  local c = session()
  equal(format(c:open(uri, "c", UNIT:format "dta")), "", "without a compile command, types are unknown")
  write("compile_commands.json", ('[{"file": "types.c", "directory": "%s", "command": "/bin/gcc -fopenacc -DOTHER '
    .. '-o types.o -wrapper touch,%s -c types.c"}]'):format(work, marker))
  c:notify("textDocument/didSave", { textDocument = { uri = uri } })
  equal(format(c:wait_diagnostics(uri)), "3:41-44 unknown-member", "with a compile command, types are known")
  check(not io.open(marker) and not io.open(work .. "/types.o"), "the command itself is not executed")
  write("types.c", UNIT:format "data")
  c:change(uri, UNIT:format "data", 2)
  c:notify("textDocument/didSave", { textDocument = { uri = uri } })
  equal(format(c:wait_diagnostics(uri)), "", "a right unit has no diagnostics")
  write("vec.h", HEADER:format "dta")
  c:notify("textDocument/didSave", { textDocument = { uri = uri } })
  local found = c:wait_diagnostics(uri)
  check(format(found) == "0:0-16 unknown-member" and found[1].message:find "vec.h:4", "errors of headers name them",
    format(found))
  write("compile_commands.json", ('[{"file": "types.c", "directory": "%s", "command": "touch %s"}]'):format(work,
    marker))
  c:notify("textDocument/didSave", { textDocument = { uri = uri } })
  equal(format(c:wait_diagnostics(uri)), "", "other programs are no compilers")
  check(not io.open(marker), "no other program is executed")
  equal(c:close(), 0, "a session with types ends")
end
if os.execute "command -v gfortran >/dev/null" then
  local text = [[
subroutine f(v)
  type t
    integer :: n
    real, allocatable :: x(:)
    !$acc shape include(y(1:n))
  end type
  type(t) :: v
  !$acc enter data copyin(v)
end subroutine
]]
  local _, uri = write("types.f90", text)
  local c = session { capabilities = {}, initializationOptions = { compileCommand = "gfortran -fopenacc" } }
  equal(format(c:open(uri, "fortran", text)), "4:24-25 unknown-member", "a compile command may be a setting")
  equal(c:close(), 0, "a session with types of Fortran ends")
end

-- --------------------------------------------------------------------------------------- protocol --

do
  local c = client.start(program, work)
  local _, refused = c:request("textDocument/hover", {})
  equal(refused.code, -32002, "requests before initialize are refused")
  c:initialize()
  _, refused = c:request("workspace/nothing", {})
  equal(refused.code, -32601, "unknown methods are refused")
  _, refused = c:request("textDocument/hover", {})
  equal(refused.code, -32602, "requests without a document are refused")
  _, refused = c:request("textDocument/hover", "text")
  equal(refused.code, -32602, "requests without parameters are refused")
  -- Sends bytes, and returns the code of the error without an id that follows.
  local function code_of(bytes)
    c:send_bytes(bytes)
    local message = c:read()
    return message.error and message.id == client.null and message.error.code
  end
  equal(code_of "Content-Length: 3\r\n\r\n{x}", -32700, "text that is not JSON is refused")
  equal(code_of "Content-Length: x\r\n\r\n", -32700, "a header without a number is refused")
  equal(code_of "Content-Type: x\r\n\r\n", -32700, "a header without a length is refused")
  equal(code_of "Content-Length: 2\r\n\r\n[]", -32600, "batches are refused")
  equal(code_of "Content-Length: 1\r\n\r\n3", -32600, "a message is an object")
  equal(code_of(("Content-Length: 200000\r\n\r\n%s"):format(("["):rep(200000))), -32700, "deep nesting is refused")
  equal(code_of 'Content-Length: 21\r\n\r\n{"id":[],"method":""}', -32600, "an id is a number or a text")
  c:send { id = "text", method = "nothing" }
  equal(c:read().id, "text", "an id may be a text")
  c:notify("workspace/nothing", {})
  c:notify("textDocument/didChange", { textDocument = { uri = "file:///closed.lua" }, contentChanges = {} })
  c:notify("textDocument/didOpen", {})
  c:notify("textDocument/didClose", { textDocument = { uri = "file:///closed.lua" } })

  -- Many documents, of which each has its diagnostics
  for i = 1, 30 do
    c:notify("textDocument/didOpen", { textDocument = { uri = ("file:///many/%d.lua"):format(i), languageId = "lua",
      version = i, text = ('declare "int n;"\n%sacc "update self(m)"\n'):format(("\n"):rep(i)) } })
  end
  for i = 1, 30 do
    local uri = ("file:///many/%d.lua"):format(i)
    while not c.diagnostics[uri] do c:read() end
    equal(format(c.diagnostics[uri].diagnostics), ("%d:17-18 unknown-name"):format(i + 1), "each document is checked")
  end
  -- The last of several changes is checked, and a closed document loses its diagnostics
  local uri = "file:///many/1.lua"
  for version = 2, 20 do
    c:notify("textDocument/didChange", { textDocument = { uri = uri, version = version }, contentChanges = {
      { text = version == 20 and 'declare "int n;"' or 'acc "nothing"' } } })
  end
  equal(format(c:wait_diagnostics(uri)), "", "diagnostics are those of the last text")
  c:notify("textDocument/didClose", { textDocument = { uri = uri } })
  equal(#c:wait_diagnostics(uri), 0, "a closed document has no diagnostics")

  -- A request that waits for a child is cancelled
  local endless = "file:///many/endless.lua"
  c:notify("textDocument/didOpen", { textDocument = { uri = endless, languageId = "lua", version = 1,
    text = 'declare "int n;"\nwhile true do end acc "update self(n)"\n' } })
  local id = c:post("textDocument/hover", at(endless, 1, 19))
  c:notify("$/cancelRequest", { id = id })
  equal(c:wait(id).error.code, -32800, "requests can be cancelled")

  -- A large file
  local large = "#pragma acc update copyin(a)\n" .. ("int x;\n"):rep(60000)
  equal(format(c:open("file:///many/large.c", "c", large)), "0:19-25 clause-not-allowed", "large files are read")

  c:request "shutdown"
  _, refused = c:request("textDocument/hover", at(uri, 0, 0))
  equal(refused.code, -32600, "requests after shutdown are refused")
  c:notify "exit"
  equal(c:finish(), 0, "the status after shutdown is 0")
  c = session()
  c:notify "exit"
  equal(c:finish(), 1, "the status without shutdown is 1")
  c = session()
  equal(c:finish(), 1, "the end of the input ends the server")
  equal(read_command(("cat %s/errors"):format(work)), "", "nothing is written to standard error")
end

os.execute("rm -rf '" .. work .. "'")
print(("%d checks, %d failed"):format(total, failed))
os.exit(failed == 0)
