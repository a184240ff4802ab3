/* rules.c - rule profiles and their knobs for Lua, generated from accdeep_rules.def. */
#include "binding.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* Value of a knob. */
struct value {
    const char *word; /* name of the value; NULL: the values are false and true */
    const char *meaning;
};

/* Knob: a setting of a rule profile. `name` and `offset` are those of the knob's field in accd_rules; `description`
 * and `rules` say what the knob decides, and by which rules of the documents. */
static const struct knob {
    const char *name;
    size_t offset;
    const char *description, *rules;
    const struct value *values; /* values by number; a value without a meaning ends the list */
} knobs[] = {
#define ACCD_VALUE(enumerator, word, meaning) {word, meaning},
#define ACCD_KNOB(name, type, description, rules, values)   \
    {#name, offsetof(accd_rules, name), description, rules, \
     (const struct value[]){values{NULL, NULL}}}, /* NOLINT: lists */
#include "accdeep_rules.def"
};
#define KNOBS (sizeof knobs / sizeof knobs[0])

/* Returns the address of a knob's setting in *rules. Enumerations and flags have the size of an int. */
static unsigned *get_setting(accd_rules *rules, const struct knob *knob)
{
    return (unsigned *)(void *)((char *)rules + knob->offset);
}

/* Pushes value number `value` of a knob: a word, or a boolean. */
static void push_value(lua_State *L, const struct knob *knob, unsigned value)
{
    assert(knob->values[value].meaning);
    if (knob->values[value].word)
        lua_pushstring(L, knob->values[value].word);
    else
        lua_pushboolean(L, (int)value);
}

/* Returns the number of the knob's value that is on top of the stack. Raises if the knob has no such value. */
static unsigned read_value_on_top(lua_State *L, const struct knob *knob)
{
    unsigned value = 0;
    for (; knob->values[value].meaning; value++) {
        push_value(L, knob, value);
        int same = lua_rawequal(L, -1, -2);
        lua_pop(L, 1);
        if (same)
            return value;
    }
    return (unsigned)luaL_error(L, "%s has no such value", knob->name);
}

/* Fills *rules from the table on top of the stack: field `base` names a rule profile, and other fields change
 * settings of the profile. Raises for an unknown profile or value. */
void accd__read_rules(lua_State *L, accd_rules *rules)
{
    assert(lua_istable(L, -1) && rules);
    lua_getfield(L, -1, "base");
    const accd_rules *base = accd_find_rules(luaL_optstring(L, -1, "tr14"));
    if (!base)
        luaL_error(L, "unknown rule profile");
    *rules = *base;
    lua_pop(L, 1);
    for (size_t i = 0; i < KNOBS; i++) {
        if (lua_getfield(L, -1, knobs[i].name) != LUA_TNIL)
            *get_setting(rules, &knobs[i]) = read_value_on_top(L, &knobs[i]);
        lua_pop(L, 1);
    }
}

/* core.knobs() -> list of all knobs: {name=, about=, rules=, values = {{value, meaning} ...}} */
static int l_knobs(lua_State *L)
{
    lua_createtable(L, (int)KNOBS, 0);
    for (size_t i = 0; i < KNOBS; i++) {
        const struct knob *knob = &knobs[i];
        lua_createtable(L, 0, 4);
        accd__set_text(L, "name", knob->name);
        accd__set_text(L, "about", knob->description);
        accd__set_text(L, "rules", knob->rules);
        lua_newtable(L);
        for (unsigned value = 0; knob->values[value].meaning; value++) {
            lua_createtable(L, 2, 0);
            push_value(L, knob, value);
            lua_rawseti(L, -2, 1);
            lua_pushstring(L, knob->values[value].meaning);
            lua_rawseti(L, -2, 2);
            lua_rawseti(L, -2, (lua_Integer)value + 1);
        }
        lua_setfield(L, -2, "values");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* core.profile(name) -> table of settings by knob, text of the documents whose rules the profile cites, in order;
 * nothing if no profile has this name */
static int l_profile(lua_State *L)
{
    const accd_rules *named = accd_find_rules(luaL_checkstring(L, 1));
    if (!named)
        return 0;
    accd_rules rules = *named;
    lua_createtable(L, 0, KNOBS);
    for (size_t i = 0; i < KNOBS; i++) {
        push_value(L, &knobs[i], *get_setting(&rules, &knobs[i]));
        lua_setfield(L, -2, knobs[i].name);
    }
    lua_pushstring(L, named->documents);
    return 2;
}

/* Adds core.knobs and core.profile to the module. */
void accd__open_rules(lua_State *L)
{
    accd__set_function(L, "knobs", l_knobs);
    accd__set_function(L, "profile", l_profile);
}
