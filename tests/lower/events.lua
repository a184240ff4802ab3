-- events.lua - the events of a scenario as lines that programs with accdeep's library write (ACCDEEP_EVENTS).

local events = {}

-- text: of a trace.
function events.of_trace(text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    local op, name, bytes = line:match '"op":"(%w+)","name":"(.-)","bytes":(%d+)'
    if op then lines[#lines + 1] = ("%s %s %s\n"):format(op, name, bytes) end
  end
  return table.concat(lines)
end

return events
