-- dir.lua - rules of the directory paper: a stack of data environments for each device, fusion
-- of ranges by base address and by overlap. Form and meaning of the fields: see tr14.lua.
return {
  { id = "DIR-1-01", section = "1", kind = "meaning", status = "done",
    text = "Data of a clause live for the data environment of their construct only." },
  { id = "DIR-1-02", section = "1", kind = "meaning", status = "done",
    text = "copyin in, copyout back, present must be there, create allocate; "
      .. "pcreate/pcopyin/pcopyout/pcopy allocate and move only what is not there yet." },
  { id = "DIR-1-03", section = "1", kind = "meaning", status = "open",
    text = "OpenMP 4.0 map types correspond: alloc=pcreate, to=pcopyin, from=pcopyout, "
      .. "tofrom=pcopy; OpenMP has no counterpart of the non-p clauses." },
  { id = "DIR-1-04", section = "1", kind = "meaning", status = "done",
    text = "Several accelerators on one host, each with its own directory state." },

  { id = "DIR-2-01", section = "2", kind = "meaning", status = "done",
    text = "Separate ranges: pieces of one array named in nested environments must sit in one "
      .. "device block at their true distance (a[50] fifty elements after a[0]), so that "
      .. "unchanged index expressions work." },
  { id = "DIR-2-02", section = "2", kind = "figure", status = "done",
    text = "Figure 1: outer copyin(b[0:20], a[0:20]) copyout(a[0:20]), kernel a[i]+=b[i]; "
      .. "c=&a[25]; inner copyin(a[50:20], c[0:20]), kernel a[i]+=a[i+25]+a[i+50]. Expected "
      .. "host result after the outer end: a[i] = a0[i]+b0[i]+a0[i+25]+a0[i+50] for i<20; "
      .. "a[25..69] unchanged." },
  { id = "DIR-2-03", section = "2", kind = "meaning", status = "done",
    text = "Covering ranges and aliasing: an alias pointer into a range already present must "
      .. "match it: no second allocation, no second transfer." },
  { id = "DIR-2-04", section = "2", kind = "meaning", status = "done",
    text = "Ranges with different base addresses must be compared by address interval, after "
      .. "fusion by base: c[0:20] (= a[25:20]) overlaps no single a range but lies in the fused "
      .. "a[0:70]." },
  { id = "DIR-2-05", section = "2", kind = "run-time error", status = "done",
    text = "Partial overlap with an enclosing environment's range is invalid in both APIs "
      .. "(partial-overlap)." },
  { id = "DIR-2-06", section = "2", kind = "future", status = "done",
    text = "It can be handled: split into present and absent pieces, reallocate one block for "
      .. "all, and initialise the present pieces either from the device (as present_or) or "
      .. "from the host (as update)." },

  { id = "DIR-4.1-01", section = "4.1", kind = "meaning", status = "done",
    text = "A table with one stack per accelerator; a data environment is one level; the top is "
      .. "the current one; leaving it restores the one below." },
  { id = "DIR-4.1-02", section = "4.1", kind = "meaning", status = "done",
    text = "A level holds two lists: original tuples (from clauses) and artificial tuples (after "
      .. "fusion)." },
  { id = "DIR-4.1-03", section = "4.1", kind = "meaning", status = "done",
    text = "A tuple: host base pointer ah, first element elt, length, element size, device "
      .. "address of the first element aacc, state; artificial ones also their direct "
      .. "ancestors." },
  { id = "DIR-4.1-04", section = "4.1", kind = "meaning", status = "done",
    text = "Copying the first element moves host ah + elt*size to aacc; device memory for "
      .. "elements before elt is never allocated." },
  { id = "DIR-4.1-05", section = "4.1", kind = "meaning", status = "done",
    text = "The device address of a tuple is renewed whenever a reallocation moves it." },
  { id = "DIR-4.1-06", section = "4.1", kind = "meaning", status = "done",
    text = "Opening: new_dataE, one call per clause, then write_pragma(s) fuses and inserts; "
      .. "closing: end_dataE transfers and deletes." },

  { id = "DIR-4.2-01", section = "4.2", kind = "meaning", status = "done",
    text = "Step 1 decode: each clause becomes a tuple whose state is the clause kind." },
  { id = "DIR-4.2-02", section = "4.2", kind = "meaning", status = "done",
    text = "It is compared with the other original tuples (same directive and outer levels). "
      .. "Wholly included and a present_or clause: dropped; no transfer at either end. What is dropped "
      .. "still says under which base address its data are used: the base takes part in the fusion (our "
      .. "reading, for section 2's promise that index expressions stay as they are)." },
  { id = "DIR-4.2-03", section = "4.2", kind = "run-time error", status = "done",
    text = "Partial overlap is an error by default. Of two clauses of one directive that overlap in part "
      .. "always: both map the common bytes at once, and the document splits an interval only along "
      .. "data that are present or absent before the directive." },
  { id = "DIR-4.2-04", section = "4.2", kind = "choice", status = "done",
    text = "With the extension the interval is split until every piece is wholly present or "
      .. "wholly absent; then the pieces are inserted." },
  { id = "DIR-4.2-05", section = "4.2", kind = "meaning", status = "done",
    text = "What remains enters the original list of the current level." },
  { id = "DIR-4.2-06", section = "4.2", kind = "meaning", status = "done",
    text = "Wholly included and a non-p clause: stays an original tuple, ends up ALIAS, so "
      .. "nothing is allocated or moved; the 2.0 profile reports it instead." },
  { id = "DIR-4.2-07", section = "4.2", kind = "meaning", status = "done",
    text = "The artificial list starts as the level's own originals and the previous level's artificial "
      .. "list, each new tuple recording its source as ancestor." },
  { id = "DIR-4.2-08", section = "4.2", kind = "meaning", status = "done",
    text = "Fusion 1: tuples with the same host base address become one tuple spanning both, "
      .. "including the hole between them." },
  { id = "DIR-4.2-09", section = "4.2", kind = "precedence", status = "done",
    text = "Fusion on base address comes before fusion on covering ranges, because some covering "
      .. "range would otherwise be missed." },
  { id = "DIR-4.2-10", section = "4.2", kind = "meaning", status = "done",
    text = "Fusion 2: tuples whose intervals intersect are fused; ancestor lists are joined." },
  { id = "DIR-4.2-11", section = "4.2", kind = "meaning", status = "done",
    text = "State after fusion: ALLOC if the new range is not included in one of the fused "
      .. "tuples, or one of them was already ALLOC; else ALIAS." },
  { id = "DIR-4.2-12", section = "4.2", kind = "meaning", status = "done",
    text = "In Figure 1: a[0:20], a[50:20] to a[0:70] ALLOC; c fuses into it, ALLOC inherited; b "
      .. "is carried over as ALIAS." },
  { id = "DIR-4.2-13", section = "4.2", kind = "meaning", status = "done",
    text = "Step 3 acts only on ALLOC tuples: one allocation of the tuple's full range." },
  { id = "DIR-4.2-14", section = "4.2", kind = "meaning", status = "done",
    text = "Then for every ancestor: an original with (P)COPYIN is copied from the host to the device; an "
      .. "artificial one (ALLOC or ALIAS) is copied within the device; other originals copy "
      .. "nothing. Destination is offset inside the block." },
  { id = "DIR-4.2-15", section = "4.2", kind = "meaning", status = "done",
    text = "Data already on the device move device to device, never again from the host, so "
      .. "device-side changes survive fusion." },
  { id = "DIR-4.2-16", section = "4.2", kind = "meaning", status = "done",
    text = "The enclosing environment's block stays allocated while the fused one lives." },
  { id = "DIR-4.2-17", section = "4.2", kind = "meaning", status = "done",
    text = "Bytes of a fused hole are uninitialised; reading them on the device "
      .. "(uninitialized-read, and) they are not \"present\"." },
  { id = "DIR-4.2-18", section = "4.2", kind = "meaning", status = "done",
    text = "Fusion runs to a fixed point; the result does not depend on clause order." },

  { id = "DIR-4.3-01", section = "4.3", kind = "meaning", status = "done",
    text = "The level's artificial list is unstacked; only ALLOC tuples cause actions." },
  { id = "DIR-4.3-02", section = "4.3", kind = "meaning", status = "done",
    text = "Ancestor that is an original with COPYOUT: its piece is copied to the host." },
  { id = "DIR-4.3-03", section = "4.3", kind = "meaning", status = "done",
    text = "Ancestor that is an artificial tuple of the enclosing level: its piece is copied "
      .. "from device to device back into the enclosing block, so that results of the inner "
      .. "environment are seen by the outer one." },
  { id = "DIR-4.3-04", section = "4.3", kind = "meaning", status = "done",
    text = "After the copies the top level is deleted (its blocks freed) and the enclosing lists "
      .. "are current again." },
  { id = "DIR-4.3-05", section = "4.3", kind = "meaning", status = "done",
    text = "Consequence: a clause satisfied by ALIAS never copies out at the inner end; the "
      .. "outer one does, if its clause says so." },
  { id = "DIR-4.3-06", section = "4.3", kind = "run-time error", status = "done",
    text = "Closing with no open level (region-nesting)." },

  { id = "DIR-ABI-01", section = "4", kind = "syntax", status = "untestable",
    why = "an interface for C: tests/abi/directory.c",
    text = "One function per clause, with the clause's parameters (base, first, length, element "
      .. "size). present has no function in the table (add pragma_present)." },
  { id = "DIR-ABI-02", section = "4", kind = "meaning", status = "untestable",
    why = "an interface for C: tests/abi/directory.c",
    text = "Order: new_dataE, clause calls, write_pragma; clause calls outside that window, or a "
      .. "missing write_pragma, is an error that changes nothing." },
  { id = "DIR-ABI-03", section = "4", kind = "meaning", status = "done",
    text = "pragma_update works on the current level's addresses; no algorithm is given (every "
      .. "byte must be present in originals, or it is not-present or partially-present; both "
      .. "directions)." },

  { id = "DIR-5-01", section = "5", kind = "background", status = "untestable",
    why = "a measurement: make bench",
    text = "Three vector additions device/host/device: overhead over plain CUDA within 10 % for "
      .. "small, under 5 % for meaningful sizes. GAD: 12 arrays, 7 moved each step, about 12 "
      .. "ms fixed cost, list swapping dominates." },

  { id = "DIR-6-01", section = "6", kind = "future", status = "done",
    text = "Non-nested environments (enter data/exit data, there called begin/end): a plain list "
      .. "per level suffices, since only what a begin opened can be closed by an end." },
  { id = "DIR-6-02", section = "6", kind = "future", status = "done",
    text = "In each level, above the floor of artificial tuples of the nested environment, "
      .. "another floor holds the fusion of those with the non-nested list; opening or ending "
      .. "a non-nested one touches only this floor." },
  { id = "DIR-6-03", section = "6", kind = "future", status = "done",
    text = "present_and_copyin: present pieces keep their device data, absent pieces come from "
      .. "the host." },
  { id = "DIR-6-04", section = "6", kind = "future", status = "done",
    text = "update_and_copy: the whole interval comes from the host into the new block; the "
      .. "pieces that were present are brought up to date at the end of the clause." },
  { id = "DIR-6-05", section = "6", kind = "meaning", status = "done",
    text = "Floors survive the end of the structured level in which they were opened: they move "
      .. "to the enclosing level (dynamic lifetime)." },
  { id = "DIR-6-06", section = "6", kind = "meaning", status = "done",
    text = "A level that ends copies to the host what its own clauses ask for, although data of enter data "
      .. "keep the memory on the device. The floor's tuple that was fused with the level's data stays "
      .. "with all of its range until the last enter data in it ends." },
}
