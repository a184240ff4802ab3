/* rules.h - the rules the core decides by. Ids are those of spec/rules; a test compares them. */
#ifndef ACCD_RULES_H
#define ACCD_RULES_H

#define R_ALLOCATE "TR14-4.2-06"         /* a contained object gets no memory of its own */
#define R_MOVE "TR14-4.2-07"             /* each clause asks for its own bytes, each moved once */
#define R_COUNT "TR14-4.2-08"            /* references go up for all clauses */
#define R_COUNT_DYNAMIC "ACC33-2.6.7-3"  /* dynamic counter */
#define R_PARTIALLY_PRESENT "TR14-4.2-03"
#define R_PARTIAL_OVERLAP "TR14-4.2-05"
#define R_NOT_PRESENT "TR14-4.2-09"
#define R_ALREADY_PRESENT "ACC20-2.6-1"
#define R_LEAVE "TR14-4.2-11"            /* detach, references off, moves, then free */
#define R_EXIT_ABSENT "TR14-4.3-05"
#define R_ATTACH "TR14-4.1-02"
#define R_DETACH "TR14-4.1-03"
#define R_ATTACH_COUNT "TR14-4.1-04"
#define R_KEEP_POINTERS "TR14-4.1-06"    /* update keeps both sides' pointer values */
#define R_POINTER_CHANGED "TR14-4.1-08"
#define R_STRUCTURE_FIXED "TR14-4.3-04"
#define R_STILL_ATTACHED "TR14-4.3-12"
#define R_NOT_ATTACHED "TR14-4.3-13"
#define R_ATTACH_ABSENT "ACC33-att-2"
#define R_ATTACH_NULL "ACC33-att-4"
#define R_DETACH_BELOW_ZERO "ACC33-det-1"
#define R_DESCRIPTOR "FLANG-api-1"       /* data is the address the descriptor holds */
#define R_UPDATE "TR14-1.2-16"
#define R_UPDATE_ABSENT "ACC33-upd-1"
#define R_SECTION "TR14-3.1.1-23"        /* negative length, bounds that overflow */
#define R_NULL "ACC33-2.7-2"
#define R_HOST_BOUNDS "ACC33-2.7.1-1"    /* a section lies in its array */
#define R_CALLBACK "TR14-3.1.1-21"       /* bounds may call functions */
#define R_NESTING "DIR-4.3-06"
#define R_OVERLAP_LEVELS "DIR-4.2-03"    /* a part of it is present */
#define R_FUSE_BASE "DIR-4.2-08"         /* one base address, one tuple */
#define R_FUSE_RANGE "DIR-4.2-10"        /* ranges that intersect are one tuple */
#define R_FUSE_SPLIT "DIR-4.2-04"        /* present and absent pieces in one block */
#define R_COPY_IN_DEVICE "DIR-4.2-15"    /* what is there moves device to device */
#define R_COPY_BACK "DIR-4.3-03"         /* and back when the level ends */
#define R_SEND "DIR-4.2-14"              /* what clauses bring is copied to its place in the block */
#define R_FETCH "DIR-4.3-02"             /* and back, if the clause says so */
#define R_END_LEVEL "DIR-4.3-04"         /* its blocks are freed */
#define R_UNOWNED "DIR-6-01"             /* only what a begin opened can be closed by an end */
#define R_HOLE "DIR-4.2-17"              /* bytes between fused data hold nothing */
#define R_STALE "DIR-4.1-05"             /* addresses are renewed when data move */
#define R_DEVICE "DIR-1-04"
#define R_MEMORY "DIR-4.2-13"
#define R_MAP_DATA "ACC33-3.2.21-1"
#define R_UNINITIALIZED "TR14-1.2-06"
#define R_EXCLUDED "TR14-3.1.1-14"
#define R_BOUNDS "TR14-1.2-10"
#define R_UNTRANSLATED "TR14-4.3-15"
#define R_LIMIT "HOUSE-limit"
#define R_HOST_MEMORY "HOUSE-memory"
#define R_MISUSE "HOUSE-misuse"

#endif
