# Sourced by the step scripts: `bash script/X.sh SPLIT START END [more flags]`, claims START to END-1.
# Writes data_store/SPLIT_NAME.START-END.json; reads the previous step's shard of the same range, else its merged file.
# With --shard I/N, the step itself finds the shards of part I beside data_store/SPLIT_NAME.json.
set -euo pipefail

if [ $# -lt 3 ] || ! [[ $2 =~ ^[0-9]+$ && $3 =~ ^[0-9]+$ ]]; then
    echo "usage: bash $0 SPLIT START END [more flags]      (claims START to END-1, such as: dev 0 500)" >&2
    exit 2
fi
split=$1 start=$2 end=$3
shift 3
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=.venv/bin/python
[ -x "$python" ] || python=python3

case " $* " in
    *" --shard"[\ =]*) range= ;;
    *) range=".$start-$end" ;;
esac

shard() { echo "data_store/${split}_$1$range.json"; }

previous() {
    if [ -e "$(shard "$1")" ]; then shard "$1"; else echo "data_store/${split}_$1.json"; fi
}

run_step() { exec "$python" -m "$@" -s "$start" -e "$end"; }
