# lib.sh - for the tests of this folder: compile FILE [OPTION...] makes $work/NAME of programs/NAME.*, by gcc, and
# compile_by_clang does so by clang; plain takes out of a text what differs from run to run. through: a command in front
# of the compiler.
ulimit -c 0 # shells tell of core files
queries="-fno-builtin-acc_on_device -fno-builtin-omp_is_initial_device" # gcc would answer for the host
compile() {
    file=$1
    shift
    case $file in
    *.c) compiler="gcc $queries" ;;
    *.cpp) compiler=g++ ;;
    *.f90)
        compiler="gfortran -J $work"
        [ "$(gfortran -dumpversion | cut -d . -f 1)" -lt 15 ] || compiler="$compiler $queries"
        ;;
    esac
    case $file in
    target*) standard=-fopenmp ;;
    mixed*) standard="-fopenacc -fopenmp" ;;
    *) standard=-fopenacc ;;
    esac
    # shellcheck disable=SC2086 # the compiler's own options
    ${through:-} $compiler -g $standard -foffload=disable "programs/$file" "$@" -o "$work/${file%.*}" -lpthread
}
compile_by_clang() {
    file=$1
    shift
    case $file in
    *.c) compiler=clang ;;
    *.cpp) compiler=clang++ ;;
    esac
    # shellcheck disable=SC2086 # the compiler's own options
    ${through:-} $compiler -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu "programs/$file" "$@" -o "$work/${file%.*}"
}
plain() { sed -e "s,$work/,,g" -e "s,$work,WORK,g" -e 's/0x[0-9a-f][0-9a-f]*/ADDRESS/g'; }
# Runs, and tells the status: program output, then messages.
try() {
    "$@" >"$work/.out" 2>"$work/.err"
    status=$?
    cat "$work/.out" "$work/.err" | plain
    echo "status $status"
}
