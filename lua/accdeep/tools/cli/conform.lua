-- conform.lua - `accdeep conform`: runs the conformance scenarios of documents.

local lazy = require "accdeep.base.lazy"
local common = require "accdeep.tools.cli.common"
local conformance = lazy.require "accdeep.definitions.conformance"
local diagnostic = require "accdeep.base.diagnostic"
local rules = lazy.require "accdeep.definitions.rules"
local run = require "accdeep.tools.cli.run"
local system = require "accdeep.system"

-- Adds the arguments and options of this command to its parser `command`.
local function options(command)
  command:argument("documents", "TR14, DIR, FLANG, LLNL, OMP60, OMPEX, ACC20, ACC33, HOUSE; all, if none is named.")
    :args "*":argname "<document>"
  run.shared_options(command)
end

-- Runs the scenarios of the chosen documents, or of all documents. Returns the exit status; if a document is unknown,
-- runs nothing and returns the status of a usage error. Raises if the scenarios are not installed.
local function run_documents(chosen)
  local folder, selected = conformance.folder(), {}
  chosen.files, chosen.conform = {}, true
  for _, document in ipairs(chosen.documents) do
    local document_folder = conformance.find_folder(document)
    if not document_folder then
      local prefixes = {}
      for _, entry in ipairs(rules.documents) do prefixes[entry.prefix] = true end
      local meant = diagnostic.suggest(document:upper(), prefixes)
      common.err(("accdeep: there is no document '%s'; %s\n"):format(document, meant
        or system.filetype(document) and "a file or a folder of scenarios: accdeep run " .. document
        or "accdeep rules lists rules of all"))
      return common.USAGE
    end
    if not selected[document_folder] then table.insert(chosen.files, folder .. "/" .. document_folder) end
    selected[document_folder] = true
  end
  if #chosen.documents == 0 then chosen.files[1] = folder end
  return run.run(chosen)
end

return { about = "Run the conformance scenarios of documents.", options = options, run = run_documents }
