/* module.c - opens accdeep.core: functions, classes and constants. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* Sets fields of the module on top of the stack: the tables of constants opcode, rules, scalar, action, kind, flag
 * and status, and the text version. */
static void set_constants(lua_State *L)
{
    static const char *const opcodes[ACCD_I_COUNT] = {
        "CONST", "PARAM", "INHERIT", "SELF",     "LOAD",   "LOAD_AT", "ADD",  "SUB",     "MUL",     "DIV",
        "MOD",   "SHL",   "SHR",     "AND",      "OR",     "XOR",     "EQ",   "NE",      "LT",      "LE",
        "NEG",   "NOT",   "LNOT",    "DISTANCE", "SELECT", "CAST",    "CALL", "REQUIRE", "CALL_IF",
    };
    static const char *const scalars[ACCD_SCALAR_COUNT] = {"i8",  "u8",  "i16", "u16", "i32",
                                                           "u32", "i64", "u64", "bool"};
    lua_newtable(L);
    for (int i = 0; i < ACCD_I_COUNT; i++)
        accd__set_integer(L, opcodes[i], i);
    lua_setfield(L, -2, "opcode");
    lua_newtable(L); /* field `rules`: for each rule by number, the list of its ids in the documents */
    const char *id;
    for (unsigned i = 0; accd_get_rule_id(i, 0); i++) {
        lua_newtable(L);
        for (unsigned k = 0; (id = accd_get_rule_id(i, k)); k++) {
            lua_pushstring(L, id);
            lua_rawseti(L, -2, (lua_Integer)k + 1);
        }
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "rules");
    lua_newtable(L);
    for (int i = 0; i < ACCD_SCALAR_COUNT; i++)
        accd__set_integer(L, scalars[i], i);
    lua_setfield(L, -2, "scalar");
    lua_newtable(L);
    for (int i = 0; i < ACCD_ACTION_COUNT; i++)
        accd__set_integer(L, accd_action_name((accd_action)i), i);
    lua_setfield(L, -2, "action");
    lua_newtable(L);
    accd__set_integer(L, "region", ACCD_KIND_REGION);
    accd__set_integer(L, "compute", ACCD_KIND_COMPUTE);
    accd__set_integer(L, "enter data", ACCD_KIND_ENTER_DATA);
    accd__set_integer(L, "exit data", ACCD_KIND_EXIT_DATA);
    accd__set_integer(L, "update", ACCD_KIND_UPDATE);
    lua_setfield(L, -2, "kind");
    lua_newtable(L);
    accd__set_integer(L, "uncounted", ACCD_ITEM_UNCOUNTED);
    accd__set_integer(L, "init", ACCD_ITEM_INIT);
    accd__set_integer(L, "if_present", ACCD_ITEM_IF_PRESENT);
    accd__set_integer(L, "present_or", ACCD_ITEM_PRESENT_OR);
    accd__set_integer(L, "base_pointer", ACCD_ITEM_BASE_POINTER);
    accd__set_integer(L, "copy_absent", ACCD_ITEM_COPY_ABSENT);
    accd__set_integer(L, "update_present", ACCD_ITEM_UPDATE_PRESENT);
    accd__set_integer(L, "always_in", ACCD_ITEM_ALWAYS_IN);
    accd__set_integer(L, "always_out", ACCD_ITEM_ALWAYS_OUT);
    accd__set_integer(L, "require_present", ACCD_ITEM_REQUIRE_PRESENT);
    accd__set_integer(L, "finalize", ACCD_ITEM_FINALIZE);
    accd__set_integer(L, "zero", ACCD_ITEM_ZERO);
    accd__set_integer(L, "attach_always", ACCD_ITEM_ATTACH_ALWAYS);
    accd__set_integer(L, "attach_never", ACCD_ITEM_ATTACH_NEVER);
    accd__set_integer(L, "present_part", ACCD_ITEM_PRESENT_PART);
    accd__set_integer(L, "chain", ACCD_ITEM_CHAIN);
    lua_setfield(L, -2, "flag");
    lua_newtable(L);
    for (int i = 0; i < ACCD_STATUS_COUNT; i++) {
        lua_pushstring(L, accd_status_text((accd_status)i));
        lua_setfield(L, -2, accd_status_code((accd_status)i));
    }
    lua_setfield(L, -2, "status");
    accd__set_text(L, "version", accd_version());
}

/* Opens the module accdeep.core. */
__attribute__((visibility("default"))) int luaopen_accdeep_core(lua_State *L)
{
    static const luaL_Reg objects[] = {{"construct", accd__l_construct}, {"read_ir", accd__l_read_ir}, {NULL, NULL}};
    const luaL_Reg *const methods[] = {objects,
                                       accd__inspect_methods,
                                       accd__memory_methods,
                                       accd__queue_methods,
                                       accd__kernel_methods,
                                       accd__checkpoint_methods,
                                       accd__routine_methods};
    lua_newtable(L);
    set_constants(L);
    accd__open_context_class(L);
    accd__open_rules(L);
    accd__open_routines(L);
    luaL_getmetatable(L, CONTEXT_TYPE);
    lua_getfield(L, -1, "__index");
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        luaL_setfuncs(L, methods[i], 0);
    lua_pop(L, 2);
    accd__open_program_class(L);
    accd__open_construct_class(L);
    accd__open_memory(L);
    accd__open_checkpoint_class(L);
    accd__open_limits(L);
    accd__open_debug(L);
    return 1;
}
