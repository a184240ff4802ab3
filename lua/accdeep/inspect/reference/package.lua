-- package.lua - reference chapter: the package that `require "accdeep"` returns. reference/init.lua describes the
-- entries.
return {
  package = true,
  title = "From Lua",
  text = [[
`require "accdeep"` works in stock Lua 5.4. A program runs scenarios, or opens a session and gives it declarations and
directives. Errors of a session are raised as tables (`accdeep.error`).]],
  prelude = [[
local accdeep = require "accdeep"
]],

  { name = "accdeep.version", is = "value", type = "string", text = "The version of the package.",
    rules = "HOUSE-version",
    example = [[
assert(accdeep.version:match "^%d+%.%d+%.%d+$")
]] },

  { class = "accdeep.options", text = "How a scenario is run. Defaults are those of the command line, except that"
      .. " there are no limits.", fields = {
    "device? string - `\"sim\"`, `\"cuda\"`, `\"cuda:1\"`",
    "rules? string|table - a profile, instead of the scenario's own",
    "async? string - when queued work is done, if the scenario does not say: `\"program\"`, `\"delayed\"`,"
      .. " `\"concurrent\"`",
    "descriptors? string - layout of Fortran's descriptors, if the scenario does not say",
    "out? fun(text: string) - gets what the scenario prints; default: standard output",
    "trace? fun(event: table) - gets each event",
    "limit_memory? integer - bytes that the scenario's Lua may use",
    "limit_steps? integer - steps that it may take",
    "trust? boolean - give it all of Lua's library",
    "device_bytes? integer - memory of each simulated device",
  } },
  { class = "accdeep.record", text = "The result of a run.", fields = {
    "file string - the scenario",
    "title? string - its title",
    "cases table[] - `{ name=, ok=, error=, seconds= }` of each case",
    "seconds number - how long it took",
  } },

  { name = "accdeep.run", params = { "file string - the scenario's name, for messages", "text string - the scenario",
      "options? accdeep.options - how it is run" },
    returns = { "accdeep.record - the result of each case" },
    text = "Runs a scenario. Its errors are in the record; none is raised.",
    rules = "HOUSE-scenario HOUSE-expect",
    example = [[
local record = accdeep.run("mine.lua", 'declare "int n = 1;" acc "data copy(m)"')
local case = record.cases[1]
assert(not case.ok and case.error.code == "unknown-name")
]] },

  { name = "accdeep.format_error", params = { "err accdeep.error - an error of a record or session" },
    returns = { "string - several lines" },
    text = "The message of an error as the command line prints it, with the offending line and a caret.",
    rules = "HOUSE-scenario",
    example = [[
local record = accdeep.run("mine.lua", 'acc "data copy(m)"')
assert(accdeep.format_error(record.cases[1].error):find("there is no variable 'm'", 1, true))
]] },

  { name = "accdeep.session", params = { "options? table - `language`, `rules`, `device`, `devices`, `device_bytes`,"
      .. " `strict`, `descriptors`, as in a scenario's head; `trace`, a function of events; `unchecked = true` if host"
      .. " memory is the program's own" },
    returns = { "accdeep.host_program - the caller closes it" },
    text = "Opens a host program that is run step by step, with its own memory, devices and declarations.",
    rules = "HOUSE-device HOUSE-names",
    errors = {
      { "unknown-name", "an unknown profile", [[accdeep.session { rules = "openacc-9" }]] },
      { "no-device", "an unknown device", [[accdeep.session { device = "cuda:63" }]] },
    },
    example = [[
local session = accdeep.session { rules = "openacc-3.3" }
session:declare("float a[4] = { 1, 2, 3, 4 };", "mine", 1)
local region = session:directive("data copy(a)", nil, "mine", 2)
session:directive("parallel present(a)", nil, "mine", 3)("a[0] = 10;")
region:close()
assert(session:value(session:host_env(), "a[0]") == 10)
session:close()
]] },

  { class = "accdeep.host_program", text = "A session. `file` and `line` say where a text is from, for messages.",
    fields = {
      "declare fun(self: accdeep.host_program, text: string, file?: string, line?: integer) - declarations in its"
        .. " language",
      "directive fun(self: accdeep.host_program, text: string, refs?: string, file?: string, line?: integer):"
        .. " accdeep.region|function|nil - a directive of OpenACC or OpenMP",
      "acc fun(self: accdeep.host_program, text: string, refs?: string, file?: string, line?: integer):"
        .. " accdeep.region|function|nil - a directive of OpenACC, as `acc`",
      "omp fun(self: accdeep.host_program, text: string, refs?: string, file?: string, line?: integer):"
        .. " accdeep.region|function|nil - a directive of OpenMP, as `omp`",
      "bind fun(self: accdeep.host_program, name: string, type: string, address: integer) - a variable in memory"
        .. " of the program",
      "value fun(self: accdeep.host_program, where: table, expression: string): any - of an expression; `where` is"
        .. " `session:host_env()` or `session:device_env()`",
      "host_env fun(self: accdeep.host_program): table - names on the host",
      "device_env fun(self: accdeep.host_program): table - names on the device",
      "close fun(self: accdeep.host_program) - ends the session; nothing is copied from its devices",
    } },
}
