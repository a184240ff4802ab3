-- acc34.lua - what OpenACC 3.4 changes on data: modifiers of data clauses. All else is as in 3.3 (acc33.lua).
-- Form and meaning of the fields: see tr14.lua.
--
-- The document itself was not at hand. What is known of it: the OpenACC report to the Fortran committee (J3/25-146)
-- and the announcement name the new features; a review of Flang quotes the paragraph on copyout; Clang's checks say
-- which clause has which modifier; the validation suite has tests of what always and capture do. Where these are
-- silent, or differ, the rule says "Our reading".
return {
  { id = "ACC34-ver-1", section = "1.16", kind = "syntax", status = "done",
    title = "Versions of modifiers",
    text = "The modifier readonly came with OpenACC 2.7 and zero with 3.0; capture, always, alwaysin and alwaysout "
      .. "came with 3.4, and so did if on atomic. Under the rules of an earlier version they are an error "
      .. "(unsupported)." },

  { id = "ACC34-mod-1", section = "2.7", kind = "static error", status = "done",
    title = "Modifiers that each clause allows",
    text = "copy has always, alwaysin, alwaysout and capture. copyin has always, alwaysin and readonly, copyout has "
      .. "always, alwaysout and zero, and create has zero. On data and compute constructs these three have capture, "
      .. "too. No other clause has modifiers. Our reading: copyout has alwaysout and not alwaysin; a text in "
      .. "circulation has it the other way. zero is for directives on which the clause allocates, declare excepted." },
  { id = "ACC34-mod-2", section = "2.7", kind = "static error", status = "done",
    title = "Lists of modifiers",
    text = "Several modifiers are a list with commas, in any order. Each of them is there once. Our reading: always "
      .. "beside alwaysin or alwaysout is no error." },
  { id = "ACC34-mod-3", section = "2.7", kind = "meaning", status = "done",
    title = "alwaysin modifier",
    text = "alwaysin copies to the device at entry, also where the data are present already. The counters are those "
      .. "of the clause without a modifier. Our reading: attached pointers keep their value on the device, as with "
      .. "update." },
  { id = "ACC34-mod-4", section = "2.7", kind = "meaning", status = "done",
    title = "alwaysout modifier",
    text = "alwaysout copies to the host at the exit of the clause, also where references remain. Our reading: exit "
      .. "data with a dynamic counter of 0 has no effect with the modifier either, and absent data are no error." },
  { id = "ACC34-mod-5", section = "2.7", kind = "meaning", status = "done",
    title = "always modifier",
    text = "always is alwaysin and alwaysout, as far as the clause copies: on copyin it is alwaysin, on copyout "
      .. "alwaysout. Our reading: always says nothing about create, and creates nothing on exit." },
  { id = "ACC34-mod-6", section = "2.7", kind = "meaning", status = "done",
    title = "capture modifier",
    text = "capture asks for a copy of the data on the device even where the device shares the host's memory, so that "
      .. "the host may write its own data meanwhile. Our reading: on a device with memory of its own, as all devices "
      .. "are here, capture has no effect, and data that are present are taken as they are." },
  { id = "ACC34-2.12-1", section = "2.12", kind = "meaning", status = "done",
    title = "if clause of atomic",
    text = "atomic has an if clause: where its condition is false, the statement is not atomic. Our reading: the "
      .. "statement has the form that atomic asks for all the same. With one thread the values are the same." },
}
