-- directives.lua - the front door: what a directive passes through, in OpenACC and in OpenMP, whoever hands it in - a
-- scenario, a host program, an expectation, the text of a body.
--
--   understand   the text becomes a tree with the clauses in effect
--   check        errors that do not depend on values
--   plan         the tree at its place becomes a plan (plan/plan.lua), which is kept (plan_cache.lua)
--   carry out    the plan runs, opens a region, or waits for a body

local catalogue = require "accdeep.catalogue.openmp"
local diagnostic = require "accdeep.base.diagnostic"
local grammar = require "accdeep.grammar.openacc"
local interface = require "accdeep.base.interface"
local kernel = require "accdeep.run.kernel"
local openacc = require "accdeep.run.openacc"
local openmp = require "accdeep.run.openmp"
local plan_cache = require "accdeep.run.plan_cache"
local private = require "accdeep.run.host_private"

-- What a directive language is; OpenACC and OpenMP each fill all of these.
local slots = {
  name = "the word of scenarios: acc, omp",
  understand = "(session, text) -> tree of the directive, with the clauses in effect",
  kind_of = "(tree) -> kind of the directive in the catalogue; nil: a definition",
  citing = "(session, fn, ...) -> results of fn(...), whose errors cite the language's rules",
  unplanned = "(kind) -> for directives that have no plan: {check = function(session, tree), "
    .. "run = function(session, tree, place, references)}; nil: directives of the kind have plans",
  lower = "(session, tree, options) -> plan; options: file, line, references (variables that a compute construct's "
    .. "body uses), is_text (the body is C or Fortran)",
  signature = "(session, references, is_text) -> text: plans of a compute construct differ where it does",
  acts = "kind -> function(session, plan, is_enabled), for plans that are more than one construct of the core",
  on_its_device = "(session, plan, fn, on_host): calls fn with the plan's device as the current one, or on_host",
  in_kernel = "{message, rule} of a directive in the body of a compute construct",
}

for _, language in ipairs { openacc, openmp } do interface(slots, language.name, language) end

local directives = {}

local Session = {} -- methods that sessions get

local function is_enabled(plan) return not plan.condition_value or plan.condition_value() end

-- A compute construct is checked here, and planned when its body is known.
local function compute(self, language, node, place, refs)
  local checked = plan_cache.checked(self, language, node, place)
  local function with_body(references, is_text, run)
    local function planned()
      return plan_cache.plan(self, language, node, place, { references = references, is_text = is_text },
        language.signature(self, references, is_text))
    end
    local function on_host(plan) return private.of_plan(self, plan, function() return run(plan, false) end) end
    return language.on_its_device(self, checked, function()
      local plan = planned()
      if is_enabled(plan) then return run(plan, true) end
      return on_host(plan)
    end, function() return on_host(planned()) end)
  end
  local run_body = kernel.construct(self, place.text, refs, place.file, place.line, with_body, node, language.name)
  return function(...) return language.citing(self, run_body, ...) end
end

local function run_plan(self, language, plan)
  local act = language.acts[plan.kind]
  return language.on_its_device(self, plan, function()
    local enabled = is_enabled(plan)
    if act then return act(self, plan, enabled) end
    if enabled and plan.construct then self:run(plan) end -- arguments that are absent leave nothing to do
  end, function()
    if act then return act(self, plan, false) end
  end)
end

local function carry_out(self, language, node, place, refs)
  local kind = language.kind_of(node)
  local unplanned = language.unplanned(kind)
  if unplanned then return unplanned.run(self, node, place, refs) end
  if kind == "compute" then return compute(self, language, node, place, refs) end
  return run_plan(self, language, plan_cache.plan(self, language, node, place, {}))
end

-- Raises what the core reports of a plan that was run alone.
local function failed(self, plan, err)
  local place = plan.place
  self:within(place.text, place.file, place.line, plan.language.citing, self, error, self:core_error(err, plan), 0)
end

-- Runs a plan that leaves nothing but the core's work to do.
local function run_alone(self, plan)
  local before = self.now.current
  self.now.current = plan.place
  local result, err = plan.construct:run(self.now.device, self.now.queue)
  self.now.current = before
  if not result then failed(self, plan, err) end
end

-- First words of directives, and those that OpenACC has, too.
local first_words = {}
for _, list in ipairs { catalogue.names, catalogue.beyond } do
  for _, name in ipairs(list) do first_words[name:match "^%a+"] = true end
end
for word in pairs(first_words) do if grammar.first_words[word] then first_words[word] = "both" end end

-- Whether a text is an OpenMP directive: by its sentinel, or by its first word; words that both languages have
-- are those of the session's rules.
function Session:is_openmp(text)
  local word, rest = text:gsub("^%s*#%s*pragma%s+", ""):gsub("^%s*!%$", ""):lower():match "^%s*(%a+)(.?)"
  if word == "omp" or word == "acc" then return word == "omp" end
  local known = rest ~= ":" and first_words[word]
  return known == true or known == "both" and self.rules.is_openmp
end

local function language_of(self, text) return self:is_openmp(text) and openmp or openacc end

local function understood(self, language, text, refs, file, line)
  return carry_out(self, language, language.understand(self, text), { text = text, file = file, line = line }, refs)
end

-- The method of sessions that carries out a directive of a language; nil: of the one that the text tells. The method
-- returns a region for structured directives, a function that takes the body for compute constructs, nothing for the
-- others. told(session, plan, err): is called in place of raising what the core reports of a plan that is run again.
local function entry(own)
  local of_file = own and own.name or "file" -- the plan's field that holds its file
  return function(self, text, refs, file, line, told)
    local places = self.caches.prepared[text]
    local plain = places and places[line or 0]
    local now = self.now
    if plain and plain[of_file] == file and not now.kernel and not now.this and not now.apart and not now.watching
      and not self.device_side.listening then
      local result, err = plain.step(now.device, now.queue)
      if not result then (told or failed)(self, plain, err) end
      return
    end
    local language = own or language_of(self, text)
    if now.kernel then
      local message, rule = table.unpack(language.in_kernel)
      diagnostic.raise("region-nesting", nil, message, { rule = rule })
    end
    local plan = plan_cache.alone(self, own, text, file, line)
    if plan and not now.watching and not self.device_side.listening then return run_alone(self, plan) end
    return self:within(text, file, line, language.citing, self, understood, self, language, text, refs, file, line)
  end
end

Session.acc, Session.omp, Session.directive = entry(openacc), entry(openmp), entry(nil)

local own_languages = { acc = openacc, omp = openmp }

-- Errors of a directive that do not depend on values. What the directive defines is defined. name: "acc", "omp", or
-- nil: the language that the text tells.
function Session:check_directive(text, name)
  local language = own_languages[name] or language_of(self, text)
  language.citing(self, function()
    local node = language.understand(self, text)
    local unplanned = language.unplanned(language.kind_of(node))
    if unplanned then return unplanned.check(self, node) end
    language.lower(self, node, {})
  end)
end

-- For a program that runs the bodies itself: the plan of a directive that wanted(tree, kind) is true of; others are
-- carried out.
function Session:plan_or_run(text, file, line, wanted)
  local language = language_of(self, text)
  return language.citing(self, function()
    local node, place = language.understand(self, text), { text = text, file = file, line = line }
    if wanted(node, language.kind_of(node)) then return plan_cache.plan(self, language, node, place, {}) end
    carry_out(self, language, node, place, nil)
  end)
end

-- The device that a plan is for; -1: the host.
function Session:device_of(plan)
  if not is_enabled(plan) then return -1 end
  return plan.language.on_its_device(self, plan, function() return self.now.device end, function() return -1 end)
end

-- Adds to sessions what they do with directives.
function directives.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return directives
