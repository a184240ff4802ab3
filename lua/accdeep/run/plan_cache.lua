-- plan_cache.lua - plans of directives, kept by text and place, as methods of sessions.
--
-- A directive's text is parsed once, and lowered once for each place it stands at; from then on its plan is only
-- run. What a plan of Fortran is made from is measured, and the plan serves while that is the same
-- (lowering/fortran_inputs.lua).

local changed_bounds = require "accdeep.run.changed_bounds"
local clause_groups = require "accdeep.types.clause_groups"

local plan_cache = {}

-- Texts and plans that are kept; a scenario that builds texts by the thousand starts over.
local MOST = 4096

-- The tree that make(...) gives, made once for a key.
function plan_cache.cached_tree(self, key, make, ...)
  local node = self.caches.parsed[key]
  if not node then
    node = make(...)
    if self.caches.nparsed >= MOST then self.caches.parsed, self.caches.nparsed = {}, 0 end
    self.caches.parsed[key] = node
    self.caches.nparsed = self.caches.nparsed + 1
  end
  return node
end

-- The tree of a directive's text; start: of one that is not the language's own kind.
function plan_cache.parse(self, text, start)
  local key = start and start .. "\0" .. text or text
  return plan_cache.cached_tree(self, key, self.language.parse, self, start or "directive", text)
end

-- What tells apart the plans of one text: its line; in a member function the type, where variables are private those,
-- and the groups of clauses that can be seen.
local function key_of(self, line)
  local this, private_scope, groups = self.now.this, self.now.private_scope, clause_groups.state(self)
  if not this and not private_scope and groups == 0 then return line or 0 end
  return ("%d %s %s %d"):format(line or 0, this and this.slot or "", private_scope or "", groups)
end

-- The plan that was made at a place before, or nil.
local function find_plan(self, text, file, key)
  local places = self.caches.prepared[text]
  local lines = places and places[file or ""]
  return lines and lines[key]
end

-- The same, if it serves again.
local function find_reusable_plan(self, text, file, key)
  local plan = find_plan(self, text, file, key)
  return plan and self.language.holds(self, plan) and plan or nil
end

-- The plan, if its line runs it with no question about it (directive_dispatch.lua): nothing of it is measured, and no
-- function of the scenario runs, which may ask for the text under way.
local function fast_path_plan(self, plan)
  if not plan.runs_directly or self.language.computes_bounds or self.program.bound.n > 0 then return nil end
  plan.thunk = plan.construct:step()
  plan[plan.language.name] = plan.file
  return plan
end

-- Keeps a plan for its place.
local function store_plan(self, plan, text, file, key)
  local kind = plan.kind
  plan.runs_directly = plan.construct and not plan.condition and not plan.ordered and not plan.on_device
    and not self.observers.construct and not plan.watched and kind ~= "region" and kind ~= "compute"
    and kind ~= "declare"
  if self.caches.nprepared >= MOST then self.caches.prepared, self.caches.nprepared = {}, 0 end
  local places = self.caches.prepared[text] or {}
  local lines = places[file or ""] or {}
  if not lines[key] then self.caches.nprepared = self.caches.nprepared + 1 end
  self.caches.prepared[text], places[file or ""], lines[key] = places, lines, plan
  if type(key) == "number" then places[key] = fast_path_plan(self, plan) end
end

local function lower_directive(self, language, node, place, options)
  options.file, options.line = place.file, place.line
  local plan = self.language.check_and_plan(self, language.lower, self, node, options)
  plan.language, plan.place = language, place
  return plan
end

-- The plan of a directive that needs nothing but to be run, or nil. language: nil for any.
function plan_cache.fast_path(self, language, text, file, line)
  local plan = find_reusable_plan(self, text, file, key_of(self, line))
  return plan and plan.runs_directly and (not language or plan.language == language) and plan or nil
end

-- The plan of a directive at a place {text, file, line}, ready to be run. options: of the directive's language
-- (directive_dispatch.lua); signature: what tells them from others.
function plan_cache.plan(self, language, node, place, options, signature)
  local key = key_of(self, place.line)
  if signature then key = key .. "\0" .. signature end
  local plan = find_reusable_plan(self, place.text, place.file, key)
  if plan then return plan end
  plan = lower_directive(self, language, node, place, options)
  if plan.kind == "region" or plan.kind == "compute" or plan.kind == "declare" or #plan.items > 0 then
    plan.construct = plan:prepare()
  end
  if plan.condition then plan.condition_value = self.language.condition(self, plan.condition) end
  if plan.self_maps then plan.condition_value = plan.self_maps(plan.condition_value) end
  plan.watched = plan.construct and changed_bounds.is_tracked(self, plan)
  if not plan.single_use then store_plan(self, plan, place.text, place.file, key) end
  return plan
end

-- The plan of a compute construct before its body is known, not to be run; its text is checked once for its place.
function plan_cache.checked_plan(self, language, node, place)
  local key = key_of(self, place.line) .. "\0\0"
  local plan = find_plan(self, place.text, place.file, key)
  if not plan then
    plan = lower_directive(self, language, node, place, {})
    store_plan(self, plan, place.text, place.file, key)
  end
  return plan
end

return plan_cache
