-- house.lua - rules of our own, for what no document says. Form and meaning of the fields: see
-- tr14.lua.
return {
  { id = "HOUSE-scenario", section = "scenario", kind = "meaning", status = "done",
    title = "Structure of a scenario",
    text = "A scenario is a Lua script. Its head comes first, rules come before declarations, and cases do "
      .. "not nest. Text that is not Lua, or fails as Lua, is reported with its line (scenario-error)." },
  { id = "HOUSE-default", section = "scenario", kind = "meaning", status = "done",
    title = "Rule profile of a scenario without one",
    text = "A scenario may choose its rule profile, and so may each case and the command line. One that chooses none "
      .. "has the newest profile of OpenMP if its directives and routines are of OpenMP alone. Every other scenario "
      .. "has the profile tr14. A change of knobs without a base changes the profile that the scenario would have." },
  { id = "HOUSE-expect", section = "expect", kind = "meaning", status = "done",
    title = "Failed expectations and failed constructs",
    text = "An expectation that does not hold stops its case and no other case (expectation). A construct "
      .. "that fails leaves the directory, counters, attachments and memory as they were." },
  { id = "HOUSE-layout", section = "layout", kind = "meaning", status = "done",
    title = "Layout of types and classes",
    text = "Types have the layout of the C ABI of x86-64 System V. Classes have that of the Itanium C++ "
      .. "ABI (2.4): static members, member types and functions are no data, and an empty class has one "
      .. "byte. Types that cannot be mapped member by member, such as bit-fields, are rejected, and so are "
      .. "virtual base classes (unsupported). A class is rejected, too, if compilers lay it out "
      .. "differently: they disagree whether defaulted functions leave a base class a POD." },
  { id = "HOUSE-debug", section = "debug", kind = "meaning", status = "open",
    title = "Types from debug information",
    text = "A type from the debug information of a program has the offsets and sizes that stand there. Its "
      .. "shapes may name parts of members, as in include(m.a[0:m.n]). Nothing is declared if the "
      .. "information is missing, damaged, or in conflict with declarations (file, unknown-type, "
      .. "duplicate-name)." },
  { id = "HOUSE-syntax", section = "syntax", kind = "syntax", status = "done",
    title = "Syntax errors",
    text = "The text of directives, declarations, expressions and bodies follows its grammar. The first "
      .. "place that does not is reported (syntax)." },
  { id = "HOUSE-names", section = "names", kind = "static error", status = "done",
    title = "Unknown and duplicate names",
    text = "Names of variables, types, members, functions, profiles and codes must be known where they are "
      .. "used. They are declared once. Anything else is an error (unknown-name, duplicate-name and "
      .. "similar codes)." },
  { id = "HOUSE-knobs", section = "knobs", kind = "meaning", status = "done",
    title = "Knobs of rule profiles",
    text = "Every knob of a rule profile may be set by itself in a scenario's rules: in a table, or in the name, "
      .. "\"openacc-3.3+reattach=counts\". A knob changes its behaviour wherever the profile leaves the choice to the "
      .. "knob. An unknown knob or value is reported with the closest one (unknown-name, type-mismatch)." },
  { id = "HOUSE-language", section = "language", kind = "meaning", status = "done",
    title = "Kinds of values and arguments",
    text = "Values and arguments must be of the kind that the language requires (type-mismatch)." },
  { id = "HOUSE-version", section = "version", kind = "restriction", status = "done",
    title = "Features that are missing",
    text = "A feature that the contract names and this version does not have is refused, not ignored "
      .. "(unsupported)." },
  { id = "HOUSE-internal", section = "internal", kind = "run-time error", status = "open",
    title = "Errors of accdeep itself",
    text = "An error in accdeep itself is reported as one, not as an error of the scenario (internal)." },
  { id = "HOUSE-limit", section = "limit", kind = "run-time error", status = "open",
    title = "Limits of memory, instructions and time",
    text = "The memory, the instructions and the processor time of a scenario are bounded. All its coroutines count, "
      .. "and the memory of simulated devices counts. A character that a scenario writes counts as ten instructions. A "
      .. "scenario beyond a bound ends the run, and no expectation may catch this error (limit)." },
  { id = "HOUSE-memory", section = "memory", kind = "run-time error", status = "done",
    title = "Constructs without enough memory",
    text = "A construct fails and changes nothing if the host or the device does not have enough memory "
      .. "for it (out-of-memory, out-of-device-memory)." },
  { id = "HOUSE-misuse", section = "misuse", kind = "run-time error", status = "open",
    title = "Misuse of the core's interface",
    text = "A call of the core that breaks its interface is refused and changes nothing (misuse)." },
  { id = "HOUSE-device", section = "device", kind = "run-time error", status = "open",
    title = "Missing devices",
    text = "A device that the machine does not have, or whose driver does not start it, is an error "
      .. "(no-device). It is reported before anything runs on the device, with the driver's reason." },
  { id = "HOUSE-files", section = "files", kind = "run-time error", status = "open",
    title = "Unreadable files and empty folders",
    text = "Files and folders that cannot be read, and folders without scenarios, are reported with their "
      .. "names (file)." },
  { id = "HOUSE-draw", section = "draw", kind = "meaning", status = "open",
    title = "Folder of pictures",
    text = "A scenario names its pictures, and the user who runs it names their folder. Without a folder, "
      .. "nothing is written (file)." },
  { id = "HOUSE-jobs", section = "jobs", kind = "run-time error", status = "open",
    title = "Processes that die",
    text = "A process of the runner that dies affects only its own file, and is reported: "
      .. "internal, or out-of-memory if the system killed it." },
  { id = "HOUSE-explore", section = "explore", kind = "meaning", status = "done",
    title = "Vocabularies of explore",
    text = "A vocabulary is a list of words: acc, omp, host, kernel and fortran with their texts. In a vocabulary they "
      .. "are not carried out. A text with {a,b} is two words. A program is a sequence of words. Two programs are one "
      .. "class if host memory, device memory, the present table, counters and open regions are equal after them. "
      .. "A word that fails changes nothing. Anything else in a vocabulary is an error (type-mismatch, unknown-name, "
      .. "limit), and so is a word that does not parse. expect.differs carries a function out under several profiles, "
      .. "each in a session of its own." },
  { id = "HOUSE-binding", section = "embedding", kind = "static error", status = "open",
    title = "Types of the host program",
    text = "A type must be declared as the compiler of the host program lays it out: its size and the "
      .. "offsets of its members are compared. Only then is an object of the program known under a name "
      .. "(type-mismatch)." },
  { id = "HOUSE-export", section = "export", kind = "meaning", status = "open",
    title = "Export of cases as C",
    text = "A case is written as a C program if C and the directives of a standard can express it. The "
      .. "program checks what the case expects and reads. Any other case is refused with the reason "
      .. "(unsupported)." },
  { id = "HOUSE-lower", section = "lower", kind = "meaning", status = "open",
    title = "Lowering of units",
    text = "Directives of TR-14-1 in a unit of a program become standard directives and functions of the unit. All "
      .. "other text stays as it is. What standard directives cannot do is refused with its place and the reason "
      .. "(unsupported)." },
  { id = "HOUSE-ir", section = "construct IR", kind = "meaning", status = "done",
    title = "Texts of the construct IR",
    text = "A text of the construct IR executes the constructs that it describes, in order. Its names are those of "
      .. "the host program, or of memory that it declares. Of a text that is wrong, or of another version, nothing is "
      .. "executed (syntax)." },
  { id = "HOUSE-threads", section = "threads", kind = "meaning", status = "done",
    title = "Host constructs with one thread",
    text = "One thread executes the constructs of the host: parallel, teams, for, task and similar ones. "
      .. "Shared variables and reductions are the variables themselves. Private variables are other "
      .. "memory; reading them before a write is an error (uninitialized-read)." },
  { id = "HOUSE-bodies", section = "directives in texts", kind = "static error", status = "done",
    title = "Directive lines in C texts",
    text = "Every directive line in a C text (a body, a declaration, a _Pragma) is carried out or is an "
      .. "error. Pragmas of others are skipped: unroll, ivdep, once, STDC, GCC, clang and similar ones." },
  { id = "HOUSE-locals", section = "bodies", kind = "run-time error", status = "done",
    title = "Local variables without a value",
    text = "A local variable of a body has no value before one is written." },
  { id = "HOUSE-unwritten", section = "bodies", kind = "meaning", status = "done",
    title = "Unwritten device bytes copied to the host",
    text = "Device bytes that were never written may be copied to the host (copyout, from, update), for "
      .. "example from an array that is written in part. The host's bytes are undefined then (here each is "
      .. "0x7F), and nothing is reported. Device code and expectations that read such bytes on the device "
      .. "are errors (uninitialized-read)." },
}
