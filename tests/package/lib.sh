# What the package tests share: a folder of their own that goes away, and checks that are counted.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0 failed=0 left_out=

# check WHAT COMMAND... - the command succeeds; what it says is shown where it does not.
check() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/log" 2>&1 || {
        failed=$((failed + 1))
        echo "FAIL $what: $*"
        cat "$work/log"
    }
}
# prints TEXT COMMAND... - succeeds, and prints the text somewhere.
prints() {
    text=$1
    shift
    "$@" >"$work/printed" 2>&1 || { cat "$work/printed"; return 1; }
    grep -qF -- "$text" "$work/printed" || { echo "wanted: $text; found:"; cat "$work/printed"; return 1; }
}
# fails COMMAND...
fails() { ! "$@"; }
# have TOOL WHAT - whether the tool is there; if not, what is left out is told at the end.
have() {
    command -v "$1" >/dev/null && return 0
    left_out="$left_out $2 ($1 is missing);"
    return 1
}
finish() {
    [ -z "$left_out" ] || echo "left out:${left_out%;}"
    echo "$((checks - failed)) of $checks checks hold"
    [ "$failed" = 0 ] && [ "$checks" -gt 0 ]
}
