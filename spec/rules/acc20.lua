-- acc20.lua - where OpenACC 2.0 differs from its later versions. Form and meaning of the fields:
-- see tr14.lua.
return {
  { id = "ACC20-2.6-1", section = "2.6", kind = "run-time error", status = "done",
    text = "A plain copy, copyin, copyout or create wants data that are not present "
      .. "(already-present); only the present_or clauses use what is there." },
}
