-- devices.lua - `accdeep devices`: lists the devices of all backends.

local common = require "accdeep.tools.cli.common"

local write_output = common.write_output

-- Prints the devices of all backends. Returns 0.
local function run()
  write_output "sim     simulated device\n"
  local devices, why = common.devices_of "cuda"
  for i, info in ipairs(devices) do
    local compiler = info.compiler:find "^NVRTC" and info.compiler or "bodies are interpreted: " .. info.compiler
    write_output(("cuda:%-2d %s, %.1f GiB, %s, %s\n"):format(
      i - 1, info.name, info.bytes / (1 << 30), info.driver, compiler))
  end
  if #devices == 0 then write_output(("cuda    none: %s\n"):format(why)) end
  return 0
end

return { about = "List the devices of this machine.", options = function() end, run = run }
