#!/bin/sh
# slurm.sh N FILE [OPTION...] - accdeep explore FILE OPTION... as a Slurm job array of N parts, and a job behind it that
# joins their results. The same command again continues parts that were interrupted. Results are in FILE.parts/, and
# what they say together in FILE.parts/joined. $ACCDEEP names the program, $SBATCH_OPTIONS more options of sbatch.
set -eu
n=$1 file=$2
shift 2
parts=$file.parts program=${ACCDEEP:-accdeep}
mkdir -p "$parts"

quoted() { for word; do printf " '%s'" "$(printf %s "$word" | sed "s/'/'\\\\''/g")"; done; }

cat >"$parts/part.sh" <<END
#!/bin/sh
part=\${SLURM_ARRAY_TASK_ID} resume=
test -s "$parts/\$part" && resume=--resume
"$program" explore$(quoted "$file" "$@") --shard "\$part/$n" --out "$parts/\$part" \$resume >"$parts/\$part.text"
status=\$?
test \$status -le 1 || exit \$status # 1: there are differences
END
cat >"$parts/join.sh" <<END
#!/bin/sh
"$program" explore --merge$(quoted "$@") $(quoted "$file") $(for i in $(seq "$n"); do printf ' "%s/%s"' "$parts" "$i"; done) >"$parts/joined"
status=\$?
test \$status -le 1 || exit \$status
END

# shellcheck disable=SC2086
array=$(sbatch --parsable --array="1-$n" --requeue --output="$parts/%a.log" ${SBATCH_OPTIONS:-} "$parts/part.sh")
# shellcheck disable=SC2086
sbatch --parsable --dependency="afterok:${array%%;*}" --output="$parts/joined.log" ${SBATCH_OPTIONS:-} "$parts/join.sh"
