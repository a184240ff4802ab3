-- equivalence.lua - groups profiles whose observations of a program are equal, and describes in words how the groups
-- differ.
--
-- Input: observations by profile (program_replay.lua), with the facts that equivalence.observe lists. A fact is a
-- sentence about one object, such as "`a` is present". Output: groups with texts, for the cases that
-- profile_differences.lua writes.

local profile_comparison = require "accdeep.script.profile_comparison"
local snapshot = require "accdeep.inspect.snapshot"
local strings = require "accdeep.base.strings"

local equivalence = {}

local FACTS = 3 -- largest number of facts in a text

-- ---------------------------------------------------------------------------------------- facts --

-- Phrases by state of a pointer (snapshot.lua).
local pointers = {
  host = "has the host's address", null = "is null", gone = "points to memory that was unmapped",
  device = "has a device address", excluded = "is not followed", nowhere = "points nowhere",
  unknown = "is not initialised",
}

-- Pattern for the text of floating-point numbers whose bytes were never written (0x7F).
local UNWRITTEN = ("%.7g"):format((string.unpack("<f", ("\x7F"):rep(4)))):gsub("%p", "%%%0")

-- Returns the state of a member or element as a phrase, such as "is 3" or "is attached to `b`". `row`: a row of
-- snapshot.lua. `display_names`: a table from the number of an object to its name.
local function format_row(row, display_names)
  if row.kind ~= "pointer" then
    local text = (row.text or "?"):gsub(UNWRITTEN, "?")
    return text:find "[^?%s]" and not row.unknown and "is " .. text or "is not initialised"
  end
  if row.state ~= "attached" then return pointers[row.state] or row.state end
  local at = row.at and row.at ~= 0 and " + " .. strings.count(row.at, "byte") or ""
  return ("is attached to `%s`%s"):format(display_names[row.to] or "?", at)
end

-- Returns the facts about the device and the host as a list of {key, text, host, is_present, bytes, counts}. `host`:
-- number of the host object that the fact is about, set only with `is_present`. `is_present`: the fact states presence.
-- `counts`: the fact is about counters.
function equivalence.observe(session)
  local now, list, display_names, hosts = snapshot.take(session, nil, {}), {}, {}, {}
  -- Adds a fact with this key and text. `fields`: the other fields of the fact, or nil.
  local function add(key, text, fields)
    local fact = fields or {}
    fact.key, fact.text = key, text
    list[#list + 1] = fact
  end
  -- Adds a fact for each row of an object. `side`: "host" or "device".
  local function add_rows(key, name, rows, side)
    for _, row in ipairs(rows) do
      local sign = (row.path == "" or row.path:find "^[%[(]") and "" or session.language.member_sign
      add(("%s %s"):format(key, row.path), ("`%s%s%s` on the %s %s"):format(name, sign, row.path, side,
        format_row(row, display_names)))
    end
  end
  for _, object in ipairs(now.host) do display_names[object.id], hosts[object.id] = object.name, object end
  for _, object in ipairs(now.device) do
    local host_object = hosts[object.host]
    display_names[object.id] = host_object and host_object.bytes == object.bytes and host_object.name or object.name
  end
  for _, object in ipairs(now.device) do
    local key = ("%s %d %d"):format(object.host, object.offset or 0, object.bytes)
    add(key, ("`%s` is present"):format(display_names[object.id]), { host = object.host, is_present = true,
      bytes = object.bytes })
    add_rows(key, display_names[object.id], object.rows, "device")
  end
  for _, object in ipairs(now.host) do add_rows("host " .. object.id, object.name, object.rows, "host") end
  for _, object in ipairs(now.device) do
    add(("counters %s %d"):format(object.host, object.offset or 0), ("`%s` has the counters %s and %s"):format(
      display_names[object.id], object.structured, object.dynamic), { counts = true })
  end
  for _, attachment in ipairs(now.attached) do
    add("attached " .. attachment.name, ("the attach counter of `%s` is %d"):format(attachment.name, attachment.count),
      { counts = true })
  end
  return list
end

-- Returns a list of texts, one for each list of facts: the facts in which the lists differ, at most FACTS of them.
-- `counters`: facts about counters are included.
local function differing_facts(lists, counters)
  local by_key, order, texts, hosts, denied = {}, {}, {}, {}, {}
  local bytes_of, ambiguous = {}, {} -- keys: texts of facts; values: length of the object, whether lengths differ
  for _, list in ipairs(lists) do
    for _, fact in ipairs(list) do
      ambiguous[fact.text] = ambiguous[fact.text] or fact.bytes and bytes_of[fact.text]
        and bytes_of[fact.text] ~= fact.bytes
      bytes_of[fact.text] = fact.bytes
    end
  end
  for g, list in ipairs(lists) do
    texts[g], hosts[g], denied[g] = {}, {}, {}
    for _, fact in ipairs(list) do
      if not by_key[fact.key] then
        by_key[fact.key] = {}
        order[#order + 1] = fact
      end
      by_key[fact.key][g] = ambiguous[fact.text] and ("%s (%s)"):format(fact.text, strings.count(fact.bytes, "byte"))
        or fact.text
      if fact.is_present then hosts[g][fact.host] = true end
    end
  end
  for _, fact in ipairs(order) do
    local values, first, several, missing = by_key[fact.key], nil, false, false
    for g = 1, #lists do
      if values[g] then
        several = several or first ~= nil and values[g] ~= first
        first = first or values[g]
      end
      missing = missing or not values[g]
    end
    for g = 1, #lists do
      if (several or missing and fact.is_present) and (counters or not fact.counts) then
        if values[g] then
          table.insert(texts[g], values[g])
        elseif fact.is_present and not hosts[g][fact.host] and not denied[g][fact.host] then
          -- The host object has no present part in this group (see `hosts`): state that once for the object.
          denied[g][fact.host] = true
          table.insert(texts[g], (fact.text:gsub("is present$", "is not present")))
        end
      end
    end
  end
  for g, list in ipairs(texts) do
    texts[g] = table.concat(list, ", ", 1, math.min(#list, FACTS)) .. (#list > FACTS and ", ..." or "")
  end
  return texts
end

-- --------------------------------------------------------------------------------------- groups --

-- Phrases by the part of the state that differs. They distinguish a group of accepting profiles whose text would equal
-- that of an earlier group.
local phrases = { ["values on the host"] = "other values on the host", ["what is present"] = "other bytes are present",
  ["values on the device"] = "other values on the device", counters = "other counters" }

-- Groups profiles with equal observations. Returns a list of {names, code, at, text, observation}, in the order of
-- `names`. `names`: the profiles of the group. `code`: the code of the error, or nil. `at`: index of the failed action,
-- or nil. `text`: the code of the error, or "accepted" and the facts that distinguish the group. `observation`: that of
-- the first profile. `observations`: observations by profile (Replay:observe), with facts in `rendering`. `counters`:
-- compare counters, too.
function equivalence.groups(names, observations, counters)
  local groups, accepted, lists = {}, {}, {}
  for _, name in ipairs(names) do
    local group
    for _, other in ipairs(groups) do
      if not group and not profile_comparison.difference(other.observation, observations[name], counters) then
        group = other
      end
    end
    if not group then
      local observation = observations[name]
      group = { names = {}, observation = observation, code = observation.code, at = observation.at }
      groups[#groups + 1] = group
      if not group.code then
        accepted[#accepted + 1] = group
        lists[#lists + 1] = observation.rendering
      end
    end
    table.insert(group.names, name)
  end
  local texts, used_texts = #accepted > 1 and differing_facts(lists, counters) or {}, {}
  for i, group in ipairs(accepted) do
    group.text = "accepted" .. ((texts[i] or "") ~= "" and "; " .. texts[i] or "")
    if i > 1 and used_texts[group.text] then
      group.text = ("%s; %s"):format(group.text, phrases[profile_comparison.difference(
        accepted[1].observation, group.observation, counters)])
      if used_texts[group.text] then group.text = ("%s (%d)"):format(group.text, i) end
    end
    used_texts[group.text] = true
  end
  for _, group in ipairs(groups) do group.text = group.text or group.code end
  return groups
end

-- Returns a key for the result of a comparison. Two programs have equal keys if each profile has the same error in
-- both, or belongs to the same group of accepting profiles in both. `observations`: a table from profile to
-- observation. `counters`: compare counters, too.
function equivalence.kind(names, observations, counters)
  local parts, accepted = {}, {}
  for _, name in ipairs(names) do
    local observation, number, distinction = observations[name], nil, ""
    if not observation.code then
      for i, other in ipairs(accepted) do
        local difference = profile_comparison.difference(other, observation, counters)
        if not difference then number = number or i else distinction = difference end
      end
      if not number then
        accepted[#accepted + 1] = observation
        number = #accepted
      end
      if number == 1 then distinction = "" end
    end
    parts[#parts + 1] = observation.code or ("accepted %d %s"):format(number, distinction)
  end
  return table.concat(parts, "\0")
end

return equivalence
