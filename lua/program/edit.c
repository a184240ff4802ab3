/* edit.c - reads lines from a terminal with editing and a history, through libedit (BSD licence), which is loaded at
 * run time. Without libedit, system.editor returns nothing, and its caller reads plain lines. The declarations are
 * those of libedit.so.2. */
#include "program.h"

#include <lauxlib.h>

#include <assert.h>
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct editline EditLine;
typedef struct history History;
typedef struct {
    const char *buffer, *cursor, *lastchar;
} LineInfo;
typedef struct {
    int num;
    const char *str;
} HistEvent;

enum {
    CC_NEWLINE = 1,
    CC_REFRESH = 4,
    CC_ERROR = 6,
    CC_REDISPLAY = 8,
    EL_PROMPT = 0,
    EL_EDITOR = 2,
    EL_SIGNAL = 3,
    EL_BIND = 4,
    EL_SETTY = 8,
    EL_ADDFN = 9,
    EL_HIST = 10,
    EL_PREP_TERM = 16,
    H_SETSIZE = 1,
    H_ENTER = 10,
    H_LOAD = 17,
    H_SAVE = 18,
    H_SETUNIQUE = 20,
    HISTORY = 1000, /* greatest number of lines in the history */
};

static const char editor_name[] = "accdeep.editor";

/* Line editor: entry points of libedit, its state, and the history. */
struct editor {
    EditLine *(*el_init)(const char *, FILE *, FILE *, FILE *);
    void (*el_end)(EditLine *);
    const char *(*el_gets)(EditLine *, int *);
    int (*el_set)(EditLine *, int, ...), (*el_wset)(EditLine *, int, ...);
    const LineInfo *(*el_line)(EditLine *);
    int (*el_insertstr)(EditLine *, const char *);
    History *(*history_init)(void);
    void (*history_end)(History *);
    int (*history)(History *, HistEvent *, int, ...);
    EditLine *line;
    History *past;
    lua_State *L; /* Lua thread that reads a line */
    const char *prompt;
    char *file; /* file of the history; NULL: not saved */
    bool interrupted;
};

/* Editor that reads a line now; NULL: no editor. A variable, because libedit's callbacks get only libedit's handle. */
static struct editor *reading;

/* Callback: returns the prompt. */
static char *get_prompt(EditLine *line)
{
    assert(reading);
    (void)line;
    return (char *)(uintptr_t)reading->prompt;
}

/* Callback of the interrupt key: ends the line, and sets `interrupted`, so that l_read does not return the line. */
static unsigned char on_interrupt(EditLine *line, int c)
{
    assert(reading);
    (void)line, (void)c;
    reading->interrupted = true;
    fputs("^C\n", stdout);
    return CC_NEWLINE;
}

/* Callback of the suspend key: stops the process group, with the terminal in its normal mode until the group
 * continues. */
static unsigned char on_suspend(EditLine *line, int c)
{
    assert(reading);
    (void)c;
    reading->el_set(line, EL_PREP_TERM, 0);
    kill(0, SIGTSTP);
    reading->el_set(line, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
}

/* Callback of the tab key: calls the Lua function complete(text before the cursor) -> text to insert, text to print.
 * Inserts the first text, unless it is empty or nil; otherwise prints the second one below the line, if there is one.
 * An error of the function is ignored. */
static unsigned char on_complete(EditLine *line, int c)
{
    assert(reading);
    (void)c;
    lua_State *L = reading->L;
    const LineInfo *info = reading->el_line(line);
    unsigned char result = CC_ERROR;
    lua_getiuservalue(L, 1, 1);
    lua_pushlstring(L, info->buffer, (size_t)(info->cursor - info->buffer));
    if (lua_pcall(L, 1, 2, 0) != LUA_OK) {
        lua_pop(L, 1);
        return result;
    }
    if (lua_isstring(L, -2) && *lua_tostring(L, -2)) {
        reading->el_insertstr(line, lua_tostring(L, -2));
        result = CC_REFRESH;
    } else if (lua_isstring(L, -1)) {
        printf("\n%s\n", lua_tostring(L, -1));
        result = CC_REDISPLAY;
    }
    lua_pop(L, 2);
    return result;
}

/* Loads libedit and fills the entry points of `editor`. Returns false if the library or a symbol is missing. */
static bool load_libedit(struct editor *editor)
{
    static const char *const names[] = {
        "el_init", "el_end",       "el_gets",      "el_set",      "el_wset",
        "el_line", "el_insertstr", "history_init", "history_end", "history",
    };
    void *const to[] = {
        &editor->el_init, &editor->el_end,       &editor->el_gets,      &editor->el_set,      &editor->el_wset,
        &editor->el_line, &editor->el_insertstr, &editor->history_init, &editor->history_end, &editor->history,
    };
    void *library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof names / sizeof *names; i++) {
        void *symbol = dlsym(library, names[i]);
        memcpy(to[i], &symbol, sizeof symbol);
        if (!symbol)
            return false;
    }
    return library != NULL;
}

/* Returns the editor at stack index 1. Raises for another value. */
static struct editor *check_editor(lua_State *L)
{
    return luaL_checkudata(L, 1, editor_name);
}

/* editor:close(): saves the history, if the editor has a file for it, and frees the editor. */
static int l_close(lua_State *L)
{
    struct editor *editor = check_editor(L);
    HistEvent event;
    if (editor->past && editor->file)
        editor->history(editor->past, &event, H_SAVE, editor->file);
    if (editor->line)
        editor->el_end(editor->line);
    if (editor->past)
        editor->history_end(editor->past);
    free(editor->file);
    *editor = (struct editor){0}; /* libedit stays loaded, since it keeps memory of the terminal */
    return 0;
}

/* system.editor(complete [, file of the history]) -> editor; nothing if libedit is missing or has no memory.
 * complete: function called for the tab key (see on_complete). */
static int l_editor(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    const char *file = luaL_optstring(L, 2, NULL);
    struct editor *editor = lua_newuserdatauv(L, sizeof *editor, 1);
    *editor = (struct editor){0};
    luaL_setmetatable(L, editor_name);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    if (!load_libedit(editor))
        return 0;
    setlocale(LC_CTYPE, ""); /* libedit then knows the encoding and width of characters */
    HistEvent event;
    editor->past = editor->history_init();
    editor->line = editor->el_init("accdeep", stdin, stdout, stderr);
    if (!editor->past || !editor->line)
        return 0;
    editor->history(editor->past, &event, H_SETSIZE, HISTORY);
    editor->history(editor->past, &event, H_SETUNIQUE, 1);
    editor->file = file ? strdup(file) : NULL;
    if (editor->file)
        editor->history(editor->past, &event, H_LOAD, editor->file);
    EditLine *line = editor->line;
    editor->el_set(line, EL_PROMPT, get_prompt);
    editor->el_set(line, EL_EDITOR, "emacs");
    editor->el_set(line, EL_SIGNAL, 1); /* libedit handles signals, such as a change of the window's size */
    editor->el_set(line, EL_HIST, editor->history, editor->past);
    editor->el_set(line, EL_SETTY, "-d", "-isig", NULL); /* ^C and ^Z send no signals; they are bound below */
                                                         /* libedit does not copy these wide names: they must be
                                                          * literals */
    editor->el_wset(line, EL_ADDFN, L"interrupt", L"Give up the line.", on_interrupt);
    editor->el_wset(line, EL_ADDFN, L"suspend", L"Stop the program.", on_suspend);
    editor->el_wset(line, EL_ADDFN, L"complete", L"Complete a name.", on_complete);
    editor->el_set(line, EL_BIND, "^C", "interrupt", NULL);
    editor->el_set(line, EL_BIND, "^Z", "suspend", NULL);
    editor->el_set(line, EL_BIND, "\t", "complete", NULL);
    editor->el_set(line, EL_BIND, "^R", "em-inc-search-prev", NULL);
    return 1;
}

/* editor:read(prompt) -> line without its newline; or nil, "end" at the end of input; or nil, "interrupt" after the
 * interrupt key. Raises if the editor is closed. */
static int l_read(lua_State *L)
{
    struct editor *editor = check_editor(L);
    if (!editor->line)
        return luaL_error(L, "the editor is closed");
    editor->prompt = luaL_checkstring(L, 2);
    editor->L = L;
    editor->interrupted = false;
    reading = editor;
    int n = 0;
    fflush(stdout);
    const char *text = editor->el_gets(editor->line, &n);
    reading = NULL;
    if (text && n > 0 && !editor->interrupted) {
        lua_pushlstring(L, text, (size_t)(text[n - 1] == '\n' ? n - 1 : n));
        return 1;
    }
    lua_pushnil(L);
    lua_pushstring(L, editor->interrupted ? "interrupt" : "end");
    return 2;
}

/* editor:remember(line): adds a line to the history. */
static int l_remember(lua_State *L)
{
    struct editor *editor = check_editor(L);
    HistEvent event;
    const char *text = luaL_checkstring(L, 2);
    if (editor->past)
        editor->history(editor->past, &event, H_ENTER, text);
    return 0;
}

void accd__open_edit(lua_State *L)
{
    static const luaL_Reg functions[] = {{"editor", l_editor}, {NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"read", l_read}, {"remember", l_remember}, {"close", l_close}, {"__gc", l_close}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
    luaL_newmetatable(L, editor_name);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
