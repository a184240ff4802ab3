-- fortran_execution.lua - methods of sessions for Fortran: calls, procedures, directives among statements. The language
-- interface is language_fortran.lua.

local lazy = require "accdeep.base.lazy"
local fortran_declarations = lazy.require "accdeep.backend.fortran.fortran_declarations"
local fortran_syntax = lazy.require "accdeep.syntax.fortran_syntax"
local location = require "accdeep.base.location"
local procedure = lazy.require "accdeep.backend.fortran.procedure"
local fortran_free_form = lazy.require "accdeep.syntax.fortran_free_form"
local fortran_statement = lazy.require "accdeep.run.fortran_statement"

local fortran_execution = {}

local Session = {}

-- Executes the call statement `text`, such as wrapper(d, t1), which is at file:line. Raises for errors of the call.
function Session:fortran_call(text, file, line)
  self:with_text(text, file, line, function()
    local node = fortran_syntax.parse("call", fortran_free_form.normalize(text), 1)
    fortran_declarations.complete(self, function() fortran_statement.new_executor(self:host_env(), { node }) end)
  end)
end

-- Session:fortran_type returns the type that a specification node names. Session:fortran_procedure returns the visible
-- procedure `name`, or nil.
function Session:fortran_type(spec) return fortran_declarations.type(self, spec) end
function Session:fortran_procedure(name) return self.now.scope.procedures[name] end

-- Returns the names of visible procedures as keys, for suggestions in errors.
function Session:fortran_procedure_names()
  local names, at = {}, self.now.scope
  while at do
    for name in next, at.procedures do names[name] = true end
    at = at.outer
  end
  return names
end

-- Returns the expression that calls the function `procedure_record` of a Fortran text. env: environment of the
-- expression; node: AST of the call. Raises for wrong arguments.
function Session:fortran_function(env, node, procedure_record)
  return procedure.call_function(env, node, procedure_record, function(list, frame)
    fortran_statement.run(self, list, frame)
  end)
end

-- Returns the file and the line of position `pos` in the text of a location {text, file, line, pos}. The line is nil if
-- the line of the text is not known.
function Session:line_of(source_location)
  local text, file, line = source_location.text, source_location.file, source_location.line
  if not text or not line then return file, line end
  return file, location.line_of(text, source_location.pos, file, line)
end

-- Returns the text of the directive node `node` among statements, preceded by blanks, so that positions in this text
-- equal those in the whole text. Also registers the whole text in program.enclosing_texts, so that Session:with_text
-- locates errors in the whole text.
function Session:padded_directive_text(node)
  local current = self.now.current
  local text = current.text:sub(1, node.pos - 1):gsub("[^\n]", " ") .. node.text
  self.program.enclosing_texts[text] = current
  return text
end

-- Executes the directive node `node` among statements. Returns what the directive returns: a region, a function that
-- takes the body of a compute construct, or nothing. Raises for errors.
function Session:fortran_directive(node)
  local file, line = self:line_of(self:location_of(node.pos))
  return self[node.omp and "omp" or "acc"](self, self:padded_directive_text(node), nil, file, line)
end

-- Executes shape, policy and declarative directives among the components of a type. record: the type; directives: their
-- nodes. Raises for errors. Decides TR14-3.1.1-02.
function Session:fortran_descriptions(record, directives)
  local policies = {}
  for _, node in ipairs(directives) do
    local text = self:padded_directive_text(node)
    if node.sentinel == "!$omp" then
      self:declare_openmp(self:parse(text, "omp_directive"), record)
    else
      policies[#policies + 1] = self:define_type_directive(self:parse(text), record)
    end
  end
  self:check_policies(record, policies)
  self:types_changed()
end

-- Returns the lines that print statements wrote since the last call of this function.
function Session:output()
  local lines = self.program.printed
  self.program.printed = {}
  return lines
end

-- Adds the methods of this file to `class`.
function fortran_execution.extend(class)
  for name, method in pairs(Session) do class[name] = method end
end

return fortran_execution
