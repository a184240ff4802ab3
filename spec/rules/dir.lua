-- dir.lua - rules of the directory paper: a stack of data environments for each device, fusion
-- of ranges by base address and by overlap. Form and meaning of the fields: see tr14.lua.
return {
  { id = "DIR-1-01", section = "1", kind = "meaning", status = "done",
    title = "Lifetime of the data of a clause",
    text = "The data of a clause live only as long as the data environment of their construct." },
  { id = "DIR-1-02", section = "1", kind = "meaning", status = "done",
    title = "Clauses with and without p",
    text = "copyin moves data in, and copyout moves them back. present requires data on the device, and "
      .. "create allocates them. pcreate, pcopyin, pcopyout and pcopy allocate and move only what is not "
      .. "there yet." },
  { id = "DIR-1-03", section = "1", kind = "meaning", status = "open",
    title = "Map types of OpenMP 4.0",
    text = "The map types of OpenMP 4.0 correspond: alloc is pcreate, to is pcopyin, from is pcopyout, and "
      .. "tofrom is pcopy. OpenMP has no counterpart of the clauses without p." },
  { id = "DIR-1-04", section = "1", kind = "meaning", status = "done",
    title = "Several accelerators",
    text = "One host may have several accelerators. Each has its own directory state." },

  { id = "DIR-2-01", section = "2", kind = "meaning", status = "done",
    title = "Distances of pieces of one array",
    text = "Pieces of one array that nested environments name must lie in one device block, at their true "
      .. "distance. a[50] lies fifty elements after a[0], so that unchanged index expressions work." },
  { id = "DIR-2-02", section = "2", kind = "figure", status = "done",
    title = "Figure 1: nested environments on one array",
    text = "In Figure 1, the outer directive is copyin(b[0:20], a[0:20]) copyout(a[0:20]). Its kernel is "
      .. "a[i]+=b[i]. Then c=&a[25]. The inner directive is copyin(a[50:20], c[0:20]), and its kernel is "
      .. "a[i]+=a[i+25]+a[i+50]. After the outer end, the host has a[i] = a0[i]+b0[i]+a0[i+25]+a0[i+50] "
      .. "for i<20. a[25..69] are unchanged." },
  { id = "DIR-2-03", section = "2", kind = "meaning", status = "done",
    title = "Pointer that aliases a present range",
    text = "A pointer that aliases a present range must match it: there is no second allocation and no "
      .. "second transfer." },
  { id = "DIR-2-04", section = "2", kind = "meaning", status = "done",
    title = "Overlap of ranges with different bases",
    text = "Ranges with different base addresses must be compared by address interval, after the fusion by "
      .. "base. c[0:20], which is a[25:20], overlaps no single range of a but lies in the fused a[0:70]." },
  { id = "DIR-2-05", section = "2", kind = "run-time error", status = "done",
    title = "Partial overlap with an enclosing range",
    text = "A partial overlap with the range of an enclosing environment is invalid in both APIs "
      .. "(partial-overlap)." },
  { id = "DIR-2-06", section = "2", kind = "future", status = "done",
    title = "Split of a partial overlap",
    text = "Such an overlap can be handled. The range is split into present and absent pieces, and one "
      .. "block is allocated for all. The present pieces are initialised from the device, as present_or "
      .. "does, or from the host, as update does." },

  { id = "DIR-4.1-01", section = "4.1", kind = "meaning", status = "done",
    title = "Stack of data environments",
    text = "A table has one stack for each accelerator. A data environment is one level, and the top is "
      .. "the current one. Leaving a level restores the one below." },
  { id = "DIR-4.1-02", section = "4.1", kind = "meaning", status = "done",
    title = "Original and artificial tuples",
    text = "A level holds two lists: original tuples, made from clauses, and artificial tuples, made by "
      .. "fusion." },
  { id = "DIR-4.1-03", section = "4.1", kind = "meaning", status = "done",
    title = "Fields of a tuple",
    text = "A tuple has a host base pointer ah, a first element elt, a length, an element size and a "
      .. "state. aacc is the device address of the first element. Artificial tuples also have their direct "
      .. "ancestors." },
  { id = "DIR-4.1-04", section = "4.1", kind = "meaning", status = "done",
    title = "Device address of the first element",
    text = "Copying the first element moves host address ah + elt*size to aacc. Device memory for elements "
      .. "before elt is never allocated." },
  { id = "DIR-4.1-05", section = "4.1", kind = "meaning", status = "done",
    title = "Device address after a reallocation",
    text = "The device address of a tuple is renewed whenever a reallocation moves it." },
  { id = "DIR-4.1-06", section = "4.1", kind = "meaning", status = "done",
    title = "Calls of a data environment",
    text = "new_dataE opens an environment. One call for each clause follows, and write_pragma(s) fuses "
      .. "and inserts. end_dataE closes the environment: it transfers and deletes." },

  { id = "DIR-4.2-01", section = "4.2", kind = "meaning", status = "done",
    title = "Step 1: clauses become tuples",
    text = "Step 1 decodes the directive: each clause becomes a tuple whose state is the kind of the "
      .. "clause." },
  { id = "DIR-4.2-02", section = "4.2", kind = "meaning", status = "done",
    title = "Included tuples of present_or clauses",
    text = "The new tuple is compared with the other original tuples, of the same directive and of outer "
      .. "levels. A wholly included tuple of a present_or clause is dropped: nothing is transferred at "
      .. "either end. Its base address still takes part in the fusion. That is our reading, for section 2 "
      .. "promises that index expressions stay as they are." },
  { id = "DIR-4.2-03", section = "4.2", kind = "run-time error", status = "done",
    title = "Partial overlap at entry",
    text = "A partial overlap is an error by default. Two clauses of one directive that overlap in part "
      .. "are always an error, for both map the common bytes at once. The document splits an interval only "
      .. "along data that are present or absent before the directive." },
  { id = "DIR-4.2-04", section = "4.2", kind = "choice", status = "done",
    title = "Interval split by presence",
    text = "With the extension, the interval is split until every piece is wholly present or wholly "
      .. "absent. Then the pieces are inserted." },
  { id = "DIR-4.2-05", section = "4.2", kind = "meaning", status = "done",
    title = "Remaining original tuples",
    text = "The remaining tuples enter the original list of the current level." },
  { id = "DIR-4.2-06", section = "4.2", kind = "meaning", status = "done",
    title = "Included tuples of plain clauses",
    text = "A wholly included tuple of a clause without p stays an original tuple. Its state becomes "
      .. "ALIAS, so nothing is allocated or moved. The 2.0 profile reports an error instead." },
  { id = "DIR-4.2-07", section = "4.2", kind = "meaning", status = "done",
    title = "Initial artificial list",
    text = "The artificial list begins as the level's own original tuples and the artificial list of the "
      .. "previous level. Each new tuple records its source as ancestor." },
  { id = "DIR-4.2-08", section = "4.2", kind = "meaning", status = "done",
    title = "Fusion by host base address",
    text = "Fusion 1: tuples with the same host base address become one tuple. The new tuple spans both "
      .. "and the hole between them." },
  { id = "DIR-4.2-09", section = "4.2", kind = "precedence", status = "done",
    title = "Order of the two fusions",
    text = "Fusion by base address comes before fusion of covering ranges. Otherwise some covering range "
      .. "would be missed." },
  { id = "DIR-4.2-10", section = "4.2", kind = "meaning", status = "done",
    title = "Fusion of intersecting intervals",
    text = "Fusion 2: tuples whose intervals intersect are fused, and their ancestor lists are joined." },
  { id = "DIR-4.2-11", section = "4.2", kind = "meaning", status = "done",
    title = "State after a fusion",
    text = "After a fusion the state is ALLOC if none of the fused tuples includes the new range, or if "
      .. "one of them was ALLOC already. Otherwise the state is ALIAS." },
  { id = "DIR-4.2-12", section = "4.2", kind = "meaning", status = "done",
    title = "Fusion in Figure 1",
    text = "In Figure 1, a[0:20] and a[50:20] become a[0:70] with state ALLOC. c is fused into it and "
      .. "inherits ALLOC. b is carried over as ALIAS." },
  { id = "DIR-4.2-13", section = "4.2", kind = "meaning", status = "done",
    title = "Step 3: allocation of ALLOC tuples",
    text = "Step 3 acts only on ALLOC tuples. One allocation has the full range of the tuple." },
  { id = "DIR-4.2-14", section = "4.2", kind = "meaning", status = "done",
    title = "Copies into the new block",
    text = "Then data are copied for every ancestor. An original tuple with (P)COPYIN is copied from the "
      .. "host to the device. An artificial tuple (ALLOC or ALIAS) is copied within the device. Other "
      .. "original tuples copy nothing. The destination is at its offset inside the block." },
  { id = "DIR-4.2-15", section = "4.2", kind = "meaning", status = "done",
    title = "Device data survive fusion",
    text = "Data that are on the device already move from device to device, never again from the host. "
      .. "Changes made on the device therefore survive fusion." },
  { id = "DIR-4.2-16", section = "4.2", kind = "meaning", status = "done",
    title = "Lifetime of the enclosing block",
    text = "The block of the enclosing environment stays allocated while the fused one lives." },
  { id = "DIR-4.2-17", section = "4.2", kind = "meaning", status = "done",
    title = "Bytes of a fused hole",
    text = "The bytes of a fused hole are uninitialised and not present. Reading them on the device is an "
      .. "error (uninitialized-read)." },
  { id = "DIR-4.2-18", section = "4.2", kind = "meaning", status = "done",
    title = "Fixed point of fusion",
    text = "Fusion runs to a fixed point. The result does not depend on the order of clauses." },

  { id = "DIR-4.3-01", section = "4.3", kind = "meaning", status = "done",
    title = "End of a level",
    text = "At the end, the artificial list of the level is removed from the stack. Only ALLOC tuples "
      .. "cause actions." },
  { id = "DIR-4.3-02", section = "4.3", kind = "meaning", status = "done",
    title = "COPYOUT pieces at the end",
    text = "The piece of an ancestor that is an original tuple with COPYOUT is copied to the host." },
  { id = "DIR-4.3-03", section = "4.3", kind = "meaning", status = "done",
    title = "Pieces copied back to the enclosing block",
    text = "The piece of an ancestor that is an artificial tuple of the enclosing level is copied back "
      .. "into the enclosing block, from device to device. So the outer environment sees the results of "
      .. "the inner one." },
  { id = "DIR-4.3-04", section = "4.3", kind = "meaning", status = "done",
    title = "Removal of the top level",
    text = "After the copies, the top level is deleted and its blocks are freed. The enclosing lists are "
      .. "current again." },
  { id = "DIR-4.3-05", section = "4.3", kind = "meaning", status = "done",
    title = "No copyout of ALIAS tuples",
    text = "A clause that is satisfied by ALIAS therefore never copies out at the inner end. The outer "
      .. "environment does, if its clause says so." },
  { id = "DIR-4.3-06", section = "4.3", kind = "run-time error", status = "done",
    title = "Closing without an open level",
    text = "Closing an environment with no open level is an error (region-nesting)." },

  { id = "DIR-ABI-01", section = "4", kind = "syntax", status = "untestable",
    title = "Functions of the clauses",
    why = "an interface for C: tests/abi/directory.c",
    text = "Each clause has one function, with the parameters of the clause: base, first, length and "
      .. "element size. The table has no function for present (pragma_present is added)." },
  { id = "DIR-ABI-02", section = "4", kind = "meaning", status = "untestable",
    title = "Order of calls",
    why = "an interface for C: tests/abi/directory.c",
    text = "The order of calls is new_dataE, calls for clauses, write_pragma. A call for a clause at "
      .. "another time is an error that changes nothing. So is a missing write_pragma." },
  { id = "DIR-ABI-03", section = "4", kind = "meaning", status = "done",
    title = "pragma_update",
    text = "pragma_update uses the addresses of the current level, in both directions. The document gives "
      .. "no algorithm. Every byte must be present in original tuples; anything else is an error "
      .. "(not-present, partially-present)." },

  { id = "DIR-5-01", section = "5", kind = "background", status = "untestable",
    title = "Measurements of the paper",
    why = "a measurement: make bench",
    text = "The paper measures three vector additions: device, host, device. The overhead over plain CUDA "
      .. "is within 10 % for small sizes and under 5 % for meaningful ones. GAD has 12 arrays and moves 7 "
      .. "of them in each step. Its fixed cost is about 12 ms, mostly for swapping lists." },

  { id = "DIR-6-01", section = "6", kind = "future", status = "done",
    title = "Environments that are not nested",
    text = "Environments need not be nested. The directives are enter data and exit data; the paper calls "
      .. "them begin and end. One plain list for each level suffices, for an end can close only what a "
      .. "begin opened." },
  { id = "DIR-6-02", section = "6", kind = "future", status = "done",
    title = "Floors above artificial tuples",
    text = "Each level has another floor above the artificial tuples of the nested environment. It holds "
      .. "the fusion of those tuples with the list that is not nested. Opening or ending an environment "
      .. "that is not nested changes only this floor." },
  { id = "DIR-6-03", section = "6", kind = "future", status = "done",
    title = "present_and_copyin",
    text = "With present_and_copyin, present pieces keep their device data, and absent pieces come from "
      .. "the host." },
  { id = "DIR-6-04", section = "6", kind = "future", status = "done",
    title = "update_and_copy",
    text = "With update_and_copy, the whole interval comes from the host into the new block. The pieces "
      .. "that were present are updated at the end of the clause." },
  { id = "DIR-6-05", section = "6", kind = "meaning", status = "done",
    title = "Lifetime of floors",
    text = "Floors survive the end of the structured level in which they were opened. They move to the "
      .. "enclosing level, so their lifetime is dynamic." },
  { id = "DIR-6-06", section = "6", kind = "meaning", status = "done",
    title = "Ending level with data of enter data",
    text = "A level that ends copies to the host what its own clauses ask for. Data of enter data keep "
      .. "their memory on the device. A tuple of the floor that was fused with data of the level keeps all "
      .. "of its range. It is released when the last enter data in it ends." },
}
