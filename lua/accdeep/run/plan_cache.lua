-- plan_cache.lua - caches ASTs of texts, and plans by text and place.
--
--   caches.parsed     text -> AST.
--   caches.prepared   text -> file -> key -> plan; text -> line -> plan with a thunk (fast path).
-- The text of a directive is parsed once, and lowered once per place; later encounters only execute the plan. A Fortran
-- plan is reused while the host values that it depends on are unchanged (lowering/fortran_inputs.lua).
-- Session.types_changed and forget_plans clear the caches. The place of a plan is (text, file, key); key_of makes the
-- key. `self` is the session.

local changed_bounds = require "accdeep.run.changed_bounds"
local clause_groups = require "accdeep.types.clause_groups"

local plan_cache = {}

-- Limit on cached texts, and on cached plans. A full cache is emptied, so that a program with many texts uses bounded
-- memory.
local MOST = 4096

-- Returns the AST that is cached under `key`; if there is none, caches and returns the result of make(...).
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

-- Returns the AST of a directive's text, which is cached. start: another grammar rule, or nil. Raises for syntax
-- errors.
function plan_cache.parse(self, text, start)
  local key = start and start .. "\0" .. text or text
  return plan_cache.cached_tree(self, key, self.language.parse, self, start or "directive", text)
end

-- Returns the key of a plan at a line: the line number if nothing else distinguishes plans. Otherwise the key is a text
-- of four parts: the line, the cell of `this` in a member function, the private scope, and the state of clause groups.
-- The private scope is the number of the innermost host construct with private variables.
local function key_of(self, line)
  local this, private_scope, groups = self.now.this, self.now.private_scope, clause_groups.state(self)
  if not this and not private_scope and groups == 0 then return line or 0 end
  return ("%d %s %s %d"):format(line or 0, this and this.pointer_cell or "", private_scope or "", groups)
end

-- Returns the plan that is stored for a place; nil if there is none.
local function find_plan(self, text, file, key)
  local places = self.caches.prepared[text]
  local lines = places and places[file or ""]
  return lines and lines[key]
end

-- Returns the plan that is stored for a place if its host values are unchanged, so that it may be executed again;
-- otherwise nil.
local function find_reusable_plan(self, text, file, key)
  local plan = find_plan(self, text, file, key)
  return plan and self.language.holds(self, plan) and plan or nil
end

-- Adds a thunk (see below) to the plan and returns the plan. Returns nil if the plan does not run directly, in Fortran,
-- or if bounds may call functions. A thunk is a function that only runs the construct; directive_dispatch.lua calls it
-- without further checks. A plan with a thunk depends on no host value. It calls no function of the scenario either,
-- because such a function could ask for the current text.
local function fast_path_plan(self, plan)
  if not plan.runs_directly or self.language.computes_bounds or self.program.bound.n > 0 then return nil end
  plan.thunk = plan.construct:step()
  plan[plan.language.name] = plan.file
  return plan
end

-- Stores a plan for its place, and sets plan.runs_directly: a true value if executing the plan means only running its
-- construct. If the key is a line, the plan may also get a thunk.
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

-- Returns a new plan of the directive `node`. options: {references, is_text}, the options of language.lower, to which
-- this function adds file and line. Raises for errors of the directive.
local function lower_directive(self, language, node, location, options)
  options.file, options.line, options.location, options.language = location.file, location.line, location, language
  return self.language.check_and_plan(self, language.lower, self, node, options)
end

-- Returns the cached plan of a directive if it may be reused and runs directly (plan.runs_directly); otherwise nil.
-- language: the language that the plan must have, or nil for any.
function plan_cache.fast_path(self, language, text, file, line)
  local plan = find_reusable_plan(self, text, file, key_of(self, line))
  return plan and plan.runs_directly and (not language or plan.language == language) and plan or nil
end

-- Returns the plan of a directive at a location {text, file, line}, ready for execution: from the cache if its host
-- values are unchanged, otherwise a new one. A new plan is cached, unless plan.single_use is set. options: arguments of
-- language.lower (directive_dispatch.lua); signature: text that distinguishes plans for different bodies, or nil.
-- Raises for errors of the directive.
function plan_cache.plan(self, language, node, location, options, signature)
  local key = key_of(self, location.line)
  if signature then key = key .. "\0" .. signature end
  local plan = find_reusable_plan(self, location.text, location.file, key)
  if plan then return plan end
  plan = lower_directive(self, language, node, location, options)
  if plan.kind == "region" or plan.kind == "compute" or plan.kind == "declare" or #plan.items > 0 then
    plan:prepare()
  end
  if plan.condition then plan.condition_value = self.language.condition(self, plan.condition) end
  if plan.self_maps then plan.condition_value = plan.self_maps(plan.condition_value) end
  plan.watched = plan.construct and changed_bounds.is_tracked(self, plan)
  if not plan.single_use then store_plan(self, plan, location.text, location.file, key) end
  return plan
end

-- Returns the plan of a compute construct before its body is known. This plan is never executed; making it checks the
-- directive once per place. Raises for errors of the directive.
function plan_cache.checked_plan(self, language, node, location)
  local key = key_of(self, location.line) .. "\0\0"
  local plan = find_plan(self, location.text, location.file, key)
  if not plan then
    plan = lower_directive(self, language, node, location, {})
    store_plan(self, plan, location.text, location.file, key)
  end
  return plan
end

return plan_cache
