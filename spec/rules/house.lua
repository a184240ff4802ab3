-- house.lua - rules of our own, for what no document says. Form and meaning of the fields: see
-- tr14.lua.
return {
  { id = "HOUSE-scenario", section = "scenario", kind = "meaning", status = "done",
    text = "A scenario is a Lua script: its head comes first, rules come before declarations, "
      .. "cases do not nest, and what is no Lua or fails as Lua is reported with its line "
      .. "(scenario-error)." },
  { id = "HOUSE-expect", section = "expect", kind = "meaning", status = "done",
    text = "An expectation that does not hold stops its case, whatever the other cases do "
      .. "(expectation); a construct that fails leaves directory, counters, attachments and "
      .. "memory as they were." },
  { id = "HOUSE-layout", section = "layout", kind = "meaning", status = "done",
    text = "Types are laid out as the C ABI of x86-64 System V says, classes as the Itanium C++ ABI does "
      .. "(2.4): static members, member types and functions are no data, an empty class has one byte; what "
      .. "cannot be mapped member by member, as bit-fields, is rejected, and so are virtual base classes and a "
      .. "class that compilers lay out differently, for they disagree whether defaulted functions leave a base "
      .. "class a POD (unsupported)." },
  { id = "HOUSE-debug", section = "debug", kind = "meaning", status = "open",
    text = "A type taken from the debug information of a program has the offsets and sizes that stand "
      .. "there, and its shapes may name parts of members, include(m.a[0:m.n]); nothing is declared where "
      .. "it is missing, damaged, or at odds with what is declared (file, unknown-type, duplicate-name)." },
  { id = "HOUSE-syntax", section = "syntax", kind = "syntax", status = "done",
    text = "Text of directives, declarations, expressions and bodies follows its grammar; the "
      .. "first place that does not is reported (syntax)." },
  { id = "HOUSE-names", section = "names", kind = "static error", status = "done",
    text = "Names of variables, types, members, functions, profiles and codes are known where "
      .. "they are used, and declared once (unknown-name, duplicate-name and their like)." },
  { id = "HOUSE-knobs", section = "knobs", kind = "meaning", status = "done",
    text = "Every knob of a rule profile may be set by itself in a scenario's rules, and changes what it is about "
      .. "where the profile leaves that to it; a knob or a value that there is not is reported with the closest one "
      .. "(unknown-name, type-mismatch)." },
  { id = "HOUSE-language", section = "language", kind = "meaning", status = "done",
    text = "Values and arguments are of the kind that the language asks for (type-mismatch)." },
  { id = "HOUSE-version", section = "version", kind = "restriction", status = "done",
    text = "What the contract names and this version does not do is refused, not ignored "
      .. "(unsupported)." },
  { id = "HOUSE-internal", section = "internal", kind = "run-time error", status = "open",
    text = "An error in accdeep itself is reported as one, not as an error of the scenario "
      .. "(internal)." },
  { id = "HOUSE-limit", section = "limit", kind = "run-time error", status = "open",
    text = "Memory and instructions of a scenario are bounded: what goes beyond ends the run "
      .. "(limit), and no expectation may catch it." },
  { id = "HOUSE-memory", section = "memory", kind = "run-time error", status = "done",
    text = "A construct for which host or device have not enough memory fails and changes "
      .. "nothing (out-of-memory, out-of-device-memory)." },
  { id = "HOUSE-misuse", section = "misuse", kind = "run-time error", status = "open",
    text = "A call of the core that breaks its interface is refused and changes nothing "
      .. "(misuse)." },
  { id = "HOUSE-device", section = "device", kind = "run-time error", status = "open",
    text = "A device of the machine that is not there, or whose driver does not start it, is "
      .. "reported with the driver's reason before anything runs on it (no-device)." },
  { id = "HOUSE-files", section = "files", kind = "run-time error", status = "open",
    text = "Files and folders that cannot be read, and folders without scenarios, are reported with "
      .. "their names (file)." },
  { id = "HOUSE-draw", section = "draw", kind = "meaning", status = "open",
    text = "A scenario names its pictures, and whoever runs it the folder that they are written to; without one "
      .. "nothing is written (file)." },
  { id = "HOUSE-jobs", section = "jobs", kind = "run-time error", status = "open",
    text = "A process of the runner that dies costs its own file only, and is reported (internal)." },
  { id = "HOUSE-binding", section = "embedding", kind = "static error", status = "open",
    text = "An object of a host program is known under a name once its type, as declared, has the size that "
      .. "the program's compiler gave it, and its members stand where they are declared (type-mismatch)." },
  { id = "HOUSE-export", section = "export", kind = "meaning", status = "open",
    text = "A case that uses only what C and the directives of a standard have is written as a C program that "
      .. "checks what the case expects and reads; any other has a reason (unsupported)." },
  { id = "HOUSE-threads", section = "threads", kind = "meaning", status = "done",
    text = "Constructs of the host (parallel, teams, for, task and their kin) are executed by one "
      .. "thread: shared variables and reductions are the variables themselves, private ones "
      .. "are other memory, of which nothing is known until it is written "
      .. "(uninitialized-read)." },
  { id = "HOUSE-bodies", section = "directives in texts", kind = "static error", status = "done",
    text = "Every directive line in a C text - a body, a declaration, a _Pragma - is carried out or is an error; a "
      .. "pragma of others (unroll, ivdep, once, STDC, GCC, clang and their kin) is passed over." },
  { id = "HOUSE-locals", section = "bodies", kind = "run-time error", status = "done",
    text = "A local variable of a body has no value before one is written." },
  { id = "HOUSE-unwritten", section = "bodies", kind = "meaning", status = "done",
    text = "Device bytes that nobody wrote may come back to the host (copyout, from, update), as of an array that "
      .. "is written in part: the host's bytes are undefined then (here 0xA5 each), and nothing is reported. Device "
      .. "code and expectations that read such bytes on the device are errors (uninitialized-read)." },
}
