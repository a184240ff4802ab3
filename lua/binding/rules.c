/* rules.c - rule profiles and their knobs in Lua, made of accdeep_rules.def. */
#include "binding.h"

#include <stddef.h>
#include <string.h>

struct value {
    const char *word; /* NULL: the values are false and true */
    const char *meaning;
};

static const struct knob {
    const char *name;
    size_t offset;
    const char *about, *rules;
    const struct value *values; /* a value without a meaning is behind the last one */
} knobs[] = {
#define ACCD_VALUE(enumerator, word, meaning) {word, meaning},
#define ACCD_KNOB(name, type, about, rules, values) \
    {#name, offsetof(accd_rules, name), about, rules, (const struct value[]){values{NULL, NULL}}}, /* NOLINT: lists */
#include "accdeep_rules.def"
};
#define KNOBS (sizeof knobs / sizeof knobs[0])

/* Enumerations and flags are of the size of an int. */
static unsigned *setting_of(accd_rules *rules, const struct knob *knob)
{
    return (unsigned *)(void *)((char *)rules + knob->offset);
}

static void push_value(lua_State *L, const struct knob *knob, unsigned value)
{
    if (knob->values[value].word)
        lua_pushstring(L, knob->values[value].word);
    else
        lua_pushboolean(L, (int)value);
}

/* The number of the value on top of the stack, or raises. */
static unsigned value_on_top(lua_State *L, const struct knob *knob)
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

/* A profile by name, with settings changed by fields of the same table. */
void accd__read_rules(lua_State *L, accd_rules *rules)
{
    lua_getfield(L, -1, "base");
    const accd_rules *base = accd_find_rules(luaL_optstring(L, -1, "tr14"));
    if (!base)
        luaL_error(L, "unknown rule profile");
    *rules = *base;
    lua_pop(L, 1);
    for (size_t i = 0; i < KNOBS; i++) {
        if (lua_getfield(L, -1, knobs[i].name) != LUA_TNIL)
            *setting_of(rules, &knobs[i]) = value_on_top(L, &knobs[i]);
        lua_pop(L, 1);
    }
}

/* core.knobs() -> list of {name=, about=, rules=, values = {{value, meaning} ...}} */
static int l_knobs(lua_State *L)
{
    lua_createtable(L, (int)KNOBS, 0);
    for (size_t i = 0; i < KNOBS; i++) {
        const struct knob *knob = &knobs[i];
        lua_createtable(L, 0, 4);
        accd__set_text(L, "name", knob->name);
        accd__set_text(L, "about", knob->about);
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

/* core.profile(name) -> all its settings by name, and whose rules it cites, words in order; nil if there is none */
static int l_profile(lua_State *L)
{
    const accd_rules *named = accd_find_rules(luaL_checkstring(L, 1));
    if (!named)
        return 0;
    accd_rules rules = *named;
    lua_createtable(L, 0, KNOBS);
    for (size_t i = 0; i < KNOBS; i++) {
        push_value(L, &knobs[i], *setting_of(&rules, &knobs[i]));
        lua_setfield(L, -2, knobs[i].name);
    }
    lua_pushstring(L, named->documents);
    return 2;
}

void accd__open_rules(lua_State *L)
{
    accd__set_function(L, "knobs", l_knobs);
    accd__set_function(L, "profile", l_profile);
}
