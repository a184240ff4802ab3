-- acc20.lua - where OpenACC 2.0 differs from its later versions. Form and meaning of the fields:
-- see tr14.lua.
return {
  { id = "ACC20-2.6-1", section = "2.6", kind = "run-time error", status = "done",
    title = "Plain clauses on present data",
    text = "A plain copy, copyin, copyout or create of data that are present is an error (already-present). Only the "
      .. "present_or clauses use data that are present." },
}
