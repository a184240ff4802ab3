-- directive_dispatch.lua - the entry point of all directives, OpenACC and OpenMP, from scenarios, host programs,
-- expectations and bodies.
--
--   text --parse_and_analyze--> AST with the clauses in effect          syntax/, sema/, clause groups.
--        --lower--> plan, retained for its place                        plan/, run/plan_cache.lua.
--        --execute--> a construct of the core runs, a region opens, or a compute construct waits for its body.
--
-- A directive that was executed before uses one of two fast paths. If nothing observes the session, its thunk is
-- called, a function that only runs the construct. Otherwise its cached plan is used. The table `slots` lists the
-- functions that a directive language has: openacc_execution.lua and openmp_execution.lua.

local openmp_directives = require "accdeep.definitions.openmp_directives"
local diagnostic = require "accdeep.base.diagnostic"
local openacc_syntax = require "accdeep.syntax.openacc_syntax"
local check_interface = require "accdeep.base.check_interface"
local kernel = require "accdeep.run.kernel"
local openacc_execution = require "accdeep.run.openacc_execution"
local openmp_execution = require "accdeep.run.openmp_execution"
local plan_cache = require "accdeep.run.plan_cache"
local host_privatization = require "accdeep.run.host_privatization"

-- Interface of a directive language: field -> its meaning. check_interface compares both languages with it.
local slots = {
  name = "the word of scenarios: acc, omp",
  parse_and_analyze = "(session, text) -> tree of the directive, with the clauses in effect",
  kind_of = "(tree) -> kind of the directive in its definition",
  citing = "(session, fn, ...) -> results of fn(...), whose errors cite the language's rules",
  direct_executor = "(kind) -> for directives that have no plan: {check = function(session, tree), "
    .. "run = function(session, tree, location, references)}; nil: directives of the kind have plans",
  lower = "(session, tree, options) -> plan; options: file, line, references (variables that a compute construct's "
    .. "body uses), is_text (the body is C or Fortran)",
  signature = "(session, references, is_text) -> text: plans of a compute construct differ where it does",
  executors = "kind -> function(session, plan, is_enabled), for plans that are more than one construct of the core",
  with_target_device = "(session, plan, fn, on_host): calls fn with the plan's device as the current one, or on_host",
  in_kernel = "{message, rule} of a directive in the body of a compute construct",
}

for _, language in ipairs { openacc_execution, openmp_execution } do check_interface(slots, language.name, language) end

local directive_dispatch = {}

local Session = {} -- methods of sessions

-- Returns true if a plan has no condition (if clause), or if its condition is true now.
local function is_enabled(plan) return not plan.condition_value or plan.condition_value() end

-- Returns the function that receives the body of a compute construct and runs it (kernel.construct). node: AST of the
-- directive; location: {text, file, line}; refs: text of its references, or nil. The directive is checked now, and
-- lowered when the body is known. Raises for errors of the directive.
local function compute(self, language, node, location, refs)
  local checked_plan = plan_cache.checked_plan(self, language, node, location)
  -- Calls run(plan, enabled) with the plan for this body, on the plan's device or on the host (kernel.construct).
  local function run_with_body(references, is_text, run)
    local function plan_of_body()
      return plan_cache.plan(self, language, node, location, { references = references, is_text = is_text },
        language.signature(self, references, is_text))
    end
    -- Runs the body on the host, with the private copies that a device would make.
    local function on_host(plan) return host_privatization.run_with_copies(
      self, plan, function() return run(plan, false) end) end
    return language.with_target_device(self, checked_plan, function()
      local plan = plan_of_body()
      if is_enabled(plan) then return run(plan, true) end
      return on_host(plan)
    end, function() return on_host(plan_of_body()) end)
  end
  local run_body = kernel.construct(self, location.text, refs, location.file, location.line, run_with_body, node,
    language.name)
  return function(...) return language.citing(self, run_body, ...) end
end

-- Executes a plan on its device. Returns the result of the language's executor for the plan's kind; nothing if the plan
-- is only a construct of the core. Raises the core's error.
local function run_plan(self, language, plan)
  local executor = language.executors[plan.kind]
  return language.with_target_device(self, plan, function()
    local enabled = is_enabled(plan)
    if executor then return executor(self, plan, enabled) end
    -- plan.construct is nil if all list items are absent arguments: there is nothing to run.
    if enabled and plan.construct then self:run(plan) end
  end, function()
    if executor then return executor(self, plan, false) end
  end)
end

-- Executes a directive: by its direct executor (for kinds without plans), as a compute construct, or by its plan.
-- Returns what the executor returns, such as a region or the function that takes a body. node: AST; location: {text,
-- file, line}; refs: text of references, or nil. Raises for errors.
local function execute(self, language, node, location, refs)
  local kind = language.kind_of(node)
  local executor = language.direct_executor(kind)
  if executor then return executor.run(self, node, location, refs) end
  if kind == "compute" then return compute(self, language, node, location, refs) end
  return run_plan(self, language, plan_cache.plan(self, language, node, location, {}))
end

-- Raises the error `err` of the core, located in the directive's text, for a plan that a fast path executed.
local function raise_core_error(self, plan, err)
  local location = plan.location
  self:with_text(location.text, location.file, location.line, plan.language.citing, self, error,
    self:core_error(err, plan), 0)
end

-- Executes a cached plan that needs nothing else than running its construct in the core (plan.runs_directly). Raises
-- the core's error.
local function run_cached(self, plan)
  local previous = self.now.current
  self.now.current = plan.location
  local result, err = plan.construct:run(self.now.device, self.now.queue)
  self.now.current = previous
  if not result then raise_core_error(self, plan, err) end
end

-- First word of an OpenMP directive -> true, or "both" if OpenACC has the word as well.
local first_words = {}
for _, list in ipairs { openmp_directives.names, openmp_directives.beyond } do
  for _, name in ipairs(list) do first_words[name:match "^%a+"] = true end
end
for word in pairs(first_words) do if openacc_syntax.first_words[word] then first_words[word] = "both" end end

-- Returns a true value if `text` is an OpenMP directive: by its sentinel, or by its first word. If both languages have
-- the word, rules.is_openmp decides (`rules`: a profile). Returns a false value for other texts.
function directive_dispatch.is_openmp(text, rules)
  local word, rest = text:gsub("^%s*#%s*pragma%s+", ""):gsub("^%s*!%$", ""):lower():match "^%s*(%a+)(.?)"
  if word == "omp" or word == "acc" then return word == "omp" end
  local vocabulary = rest ~= ":" and first_words[word]
  return vocabulary == true or vocabulary == "both" and rules.is_openmp
end

-- Returns a true value if `text` is an OpenMP directive under the rules of this session.
function Session:is_openmp(text) return directive_dispatch.is_openmp(text, self.rules) end

-- Returns the language (a module that fills `slots`) to which a directive's text belongs; OpenACC if neither language
-- knows the first word.
local function language_of(self, text) return self:is_openmp(text) and openmp_execution or openacc_execution end

-- Parses, analyses and executes a directive; returns the result of execute. Raises for errors.
local function parse_and_execute(self, language, text, refs, file, line)
  return execute(self, language, language.parse_and_analyze(self, text), { text = text, file = file, line = line },
    refs)
end

-- Returns the method of sessions that executes a directive of the language `own`; nil: the text tells the language. The
-- method returns a region for structured directives, a function that takes the body for compute constructs, otherwise
-- nothing. refs: text of a compute construct's references, or nil. If on_error is given, errors of the core on the fast
-- path are passed to on_error(session, plan, err) and not raised.
local function entry(own)
  local file_field = own and own.name or "file" -- plan's field with the file name
  return function(self, text, refs, file, line, on_error)
    local places = self.caches.prepared[text]
    local fast_plan = places and places[line or 0]
    local now = self.now
    -- The thunk runs no checks. Therefore it is not used in bodies, in member functions, in private scopes, for
    -- expected failures, and while an observer receives events.
    if fast_plan and fast_plan[file_field] == file and not now.kernel and not now.this and not now.private_scope
      and not now.expects_failure
      and not self.device_side.is_observed then
      local result, err = fast_plan.thunk(now.device, now.queue)
      if not result then (on_error or raise_core_error)(self, fast_plan, err) end
      return
    end
    local language = own or language_of(self, text)
    if now.kernel then
      local message, rule = table.unpack(language.in_kernel)
      diagnostic.raise("region-nesting", nil, message, { rule = rule })
    end
    local plan = plan_cache.fast_path(self, own, text, file, line)
    if plan and not now.expects_failure and not self.device_side.is_observed then return run_cached(self, plan) end
    return self:with_text(text, file, line, language.citing, self, parse_and_execute, self, language, text, refs, file,
      line)
  end
end

Session.acc, Session.omp, Session.directive = entry(openacc_execution), entry(openmp_execution), entry(nil)

local own_languages = { acc = openacc_execution, omp = openmp_execution }

-- Raises the errors of a directive that do not depend on values; executes nothing. Definitions (shapes, policies) take
-- effect. name: "acc", "omp", or nil to find the language from the text.
function Session:check_directive(text, name)
  local language = own_languages[name] or language_of(self, text)
  language.citing(self, function()
    local node = language.parse_and_analyze(self, text)
    local executor = language.direct_executor(language.kind_of(node))
    if executor then return executor.check(self, node) end
    language.lower(self, node, {})
  end)
end

-- Returns the plan of a directive if is_planned(tree, kind) is true; otherwise executes the directive and returns
-- nothing. It serves programs that run the bodies themselves (lua/embed). Raises for errors.
function Session:plan_or_run(text, file, line, is_planned)
  local language = language_of(self, text)
  return language.citing(self, function()
    local node, location = language.parse_and_analyze(self, text), { text = text, file = file, line = line }
    if is_planned(node, language.kind_of(node)) then return plan_cache.plan(self, language, node, location, {}) end
    execute(self, language, node, location, nil)
  end)
end

-- Returns the number of the device on which a plan is executed; -1 if the host executes it, because the condition is
-- false or the device is the host.
function Session:device_of(plan)
  if not is_enabled(plan) then return -1 end
  return plan.language.with_target_device(self, plan, function() return self.now.device end, function() return -1 end)
end

-- Adds the methods of this file to `class`.
function directive_dispatch.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return directive_dispatch
