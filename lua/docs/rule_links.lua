-- rule_links.lua - links to rules on the page spec/reference/rules.md, for other generated pages.

local rules = require "accdeep.definitions.rules"

local rule_links = {}

-- Returns the anchor of a heading, as common readers of Markdown generate it. The anchor of a rule is that of its id,
-- so that links outlive a change of the title.
function rule_links.anchor(title) return (title:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-")) end

-- Returns links to the rules of the list `ids`, separated by commas; the title of a rule is that of its link. `page`:
-- path of the page of rules from the page with the links.
function rule_links.links(ids, page)
  local list = {}
  for i, id in ipairs(ids) do
    list[i] = ('[%s](%s#%s "%s")'):format(id, page, rule_links.anchor(id), rules.title(id):gsub("|", "\\|"))
  end
  return table.concat(list, ", ")
end

-- Returns a list of the ids in a text, which are separated by blanks.
function rule_links.ids(text)
  local ids = {}
  for id in text:gmatch "%S+" do ids[#ids + 1] = id end
  return ids
end

return rule_links
