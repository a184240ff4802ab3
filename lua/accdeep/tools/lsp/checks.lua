-- checks.lua - when open documents are checked, and what is published.
--
-- While a document is typed, it is checked as it stands, within small limits, a moment after the last change. When it
-- is opened or saved, it is checked with the limits of `accdeep run`; for units of C, C++ and Fortran the compiler is
-- then asked for types. Each check runs in a process of its own, and the next check of the document ends it.

local diagnostics = require "accdeep.tools.lsp.diagnostics"
local compile_commands = require "accdeep.tools.lsp.compile_commands"
local diagnostic = require "accdeep.base.diagnostic"
local files = require "accdeep.tools.files"
local messages = require "accdeep.tools.lsp.messages"
local profiles = require "accdeep.definitions.profiles"
local report = require "accdeep.base.report"
local scenario_check = require "accdeep.tools.lsp.scenario_check"
local strings = require "accdeep.base.strings"
local unit_check = require "accdeep.tools.lsp.unit_check"
local unit_source = require "accdeep.tools.lsp.unit_source"

local checks = {}

checks.TYPING_DELAY = 0.2 -- seconds after the last change
checks.TYPING_STEPS = 20000000 -- limit of steps of a scenario while it is typed
checks.MOST_BYTES = 8 << 20 -- documents with more bytes are not checked
local MOST_DIAGNOSTICS = 200 -- limit for one document

-- Returns the versions that a profile assumes, {openacc, openmp}; without a profile, {}: any version.
local function versions_of(profile)
  if not profile then return {} end
  local ok, rules = pcall(profiles.profile, profile)
  return ok and { openacc = rules.openacc or nil, openmp = rules.openmp or nil } or {}
end

-- Publishes diagnostics of a document, a list; `version`: of the text that they are about.
local function publish(server, document, list, version)
  document.has_diagnostics = list[1] ~= nil
  server:notify("textDocument/publishDiagnostics", { uri = document.uri, version = version,
    diagnostics = messages.array(table.move(list, 1, math.min(#list, MOST_DIAGNOSTICS), 1, {})) })
end

-- Returns the seconds that a check may take; while a document is typed, a tenth of those of other checks.
function checks.seconds(server, is_typing) return server.limits.seconds / (is_typing and 10 or 1) end

-- Returns the request of scenario_check.run for a document.
function checks.scenario_request(server, document, is_typing)
  return { path = document.path, text = document.text, rules = server.settings.profile,
    limit_memory = server.limits.memory, limit_steps = is_typing and checks.TYPING_STEPS or server.limits.steps }
end

-- Adds the check of a scenario to the queue. While it is typed, limits that end it are not
-- published.
local function check_scenario(server, document, is_typing)
  local version = document.version
  local request = checks.scenario_request(server, document, is_typing)
  local seconds = checks.seconds(server, is_typing)
  server.queue:add { key = document.uri, delay = is_typing and checks.TYPING_DELAY or 0, seconds = seconds,
    run = function() return scenario_check.run(request) end,
    done = function(result, reason)
      if reason == "cancelled" or document.version ~= version or document.is_closed then return end
      local list = {}
      for _, err in ipairs(result and result.errors or {}) do
        local severity = err.code == "limit" and "information" or "error"
        if err.code ~= "limit" or not is_typing then
          list[#list + 1] = diagnostics.of_error(document, err, server.encoding, severity)
        end
      end
      if result then document.variables = result.variables end
      if reason and not is_typing then
        local err = reason == "late" and { code = "limit", rule = "HOUSE-limit", file = document.path, line = 1,
          message = ("the scenario ran for %g seconds and was ended: it is not checked"):format(seconds) }
          or { code = "internal", rule = "HOUSE-internal", file = document.path, line = 1,
            message = "the process that checked the scenario ended: it is not checked" }
        list[1] = diagnostics.of_error(document, err, server.encoding, "information")
      end
      publish(server, document, list, version)
    end }
end

-- Codes that tell a limit of accdeep or of the machine, and no mistake of the program.
local is_limit = strings.word_set "unsupported file internal limit"

-- Returns the error of a unit's directives that depends on types, as plain data; nil if there is none, or if it is not
-- known how the unit is compiled. The compiler reads the unit's file, which must have the text of the document.
local function check_types(server, document)
  local command = compile_commands.find(document.path, server.settings.compileCommand, server.root)
  if not command or not document.text:find "%f[%w]acc%f[%W]" then return nil end
  local is_read, text = pcall(files.read, document.path)
  if not is_read or text ~= document.text then return nil end
  local rules = server.settings.profile == "tr14x" and "tr14x" or nil
  local ok, err = pcall(server.units.lower, { path = document.path, text = text, command = command.command,
    options = command.options, to = "accdeep", rules = rules })
  return not ok and diagnostic.is(err) and not is_limit[err.code] and report.to_plain_data(err) or nil
end

-- Adds the check of a unit to the queue. Types are asked for if the text has no error, and it is not being typed.
local function check_unit(server, document, is_typing)
  local version = document.version
  server.queue:add { key = document.uri, delay = is_typing and checks.TYPING_DELAY or 0,
    seconds = checks.seconds(server, is_typing),
    run = function()
      local list, macros = unit_source.read(document.text, document.language, server.units.scan)
      local findings = unit_check.check(list, macros, document.language, versions_of(server.settings.profile))
      local has_types = not is_typing and not findings[1] and list[1] ~= nil and document.path:find "^/"
      return { findings = findings, error = has_types and check_types(server, document) or nil }
    end,
    done = function(result, reason)
      if reason == "cancelled" or document.version ~= version or document.is_closed then return end
      if reason and is_typing then return end -- too large to be checked while it is typed: at the next save
      local list = {}
      for _, finding in ipairs(result and result.findings or {}) do
        list[#list + 1] = diagnostics.of_finding(document, finding, server.encoding)
      end
      if result and result.error then
        list[#list + 1] = diagnostics.of_error(document, result.error, server.encoding)
      end
      publish(server, document, list, version)
    end }
end

-- Sets the kind of a document from its text: "scenario", "unit", or nil if accdeep does not check it.
local function classify(document)
  document.kind = nil
  if #document.text > checks.MOST_BYTES then return end
  document.language = unit_source.language(document.path, document.editor_language)
  if document.language then
    document.kind = "unit"
  elseif (document.editor_language == "lua" or document.path:find "%.lua$") and scenario_check.is_scenario(
    document.text) then
    document.kind = "scenario"
  end
end

-- Checks a document. `is_typing`: it has changed, and was not saved. A document that accdeep does not check loses its
-- diagnostics.
function checks.check(server, document, is_typing)
  classify(document)
  if document.kind == "scenario" then
    check_scenario(server, document, is_typing)
  elseif document.kind == "unit" then
    check_unit(server, document, is_typing)
  else
    server.queue:cancel(document.uri)
    if document.has_diagnostics then publish(server, document, {}, document.version) end
  end
end

-- Ends the checks of a document, and removes its diagnostics.
function checks.forget(server, document)
  document.is_closed = true
  server.queue:cancel(document.uri)
  publish(server, document, {}, nil)
end

return checks
