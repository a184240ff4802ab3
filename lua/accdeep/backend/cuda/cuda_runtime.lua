-- cuda_runtime.lua - the prelude of every kernel made from a body (kernel_prelude.cu), and why kernels stop.

local text_file = require "accdeep.base.text_file"

local cuda_runtime = { text = text_file.read "backend/cuda/kernel_prelude.cu" }

-- Reasons to stop, by their names in the CUDA text. text: a clause for messages; again: true if a run by one thread may
-- succeed where many threads failed.
local reasons = {
  ACCD_BOUNDS = { text = "an access may leave its data" },
  ACCD_UNWRITTEN = { text = "bytes are read that may never have been written", again = true },
  ACCD_ATTACHED = { text = "an attached pointer may be changed" },
  ACCD_EXCLUDED = { text = "a member may be excluded" },
  ACCD_DIVISION = { text = "a division by zero" },
  ACCD_CONFLICT = { text = "iterations of the loop depend on each other", again = true },
  ACCD_TURNS = { text = "loops turn more often than the scenario's steps allow" },
  ACCD_PIECES = { text = "data are present in pieces" },
  ACCD_ESCAPES = { text = "the address of a local variable is stored" },
  ACCD_NAN = { text = "a NaN is stored, whose bits are not the same everywhere" },
}

-- The reasons as a list, in the order of their numbers in the CUDA text: from 1.
cuda_runtime.stops = {}
for name in cuda_runtime.text:match "\nenum {(.-)}":gmatch "ACCD_%u+" do
  table.insert(cuda_runtime.stops, reasons[name])
end

return cuda_runtime
