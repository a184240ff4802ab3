-- link.lua - links between host and device, for `accdeep exec --link`.

-- Links that have a name, in GB/s and microseconds for each transfer or allocation. Large copies in one direction reach
-- such bandwidths, which are some 78 % of the nominal ones. Those are 32 GB/s of PCI Express 4.0 with 16 lanes, and
-- 63 GB/s of 5.0. NVLink-C2C has 450 GB/s: the white paper on Grace Hopper gives 900 GB/s for both directions.
local LINKS = { pcie4 = { 25, 10 }, pcie5 = { 50, 10 }, nvlink = { 350, 10 } }

-- Returns the link called `text`, or given as "GBS,US", in the form "BYTES_PER_SECOND,NANOSECONDS"; nil and a message
-- for any other text. Links have from 0.001 to 100,000 GB/s, and at most 1,000,000 us.
return function(text)
  local speed, latency
  if LINKS[text] then
    speed, latency = table.unpack(LINKS[text])
  else
    local digits, more = text:match "^(%d[%d.]*),(%d[%d.]*)$"
    speed, latency = tonumber(digits), tonumber(more)
  end
  if speed and latency and speed >= 0.001 and speed <= 1e5 and latency <= 1e6 then
    return ("%.0f,%.0f"):format(speed * 1e9, latency * 1e3)
  end
  return nil, ("'%s' is no link: pcie4, pcie5, nvlink, or GB/s and microseconds for each transfer, as in 25,10")
    :format(text)
end
