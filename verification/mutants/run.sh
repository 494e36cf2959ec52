#!/usr/bin/env bash
# Plants each mistake of this folder in a copy of the project and runs the test that must fail: see README.md.
# run.sh [--together] [NUMBER...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=verification/mutants

together=
if [ "${1:-}" = --together ]; then together=yes && shift; fi
patches=()
for number in "${@:-}"; do
  found=("$here/$number"*.diff)
  [ -e "${found[0]}" ] || { echo "There is no $here/$number*.diff" >&2 && exit 2; }
  patches+=("${found[@]}")
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
copy=$scratch/copy log=$scratch/log
mkdir "$copy"
# The copy includes uncommitted changes, but no untracked files.
state=$(git stash create)
git archive "${state:-HEAD}" | tar -x -C "$copy"

of() { # of HEADER PATCH: prints the value of the header
  sed -n "s/^$1: *//p;/^diff /q" "$2"
}

in_copy() { # in_copy OPTION PATCH: apply, check or reverse the patch, even if the copy is inside another repository
  GIT_CEILING_DIRECTORIES=$scratch git -C "$copy" apply "$1" "$PWD/$2" 2>/dev/null
}

test_all() { # test_all PATCH...: run the tests of all patches
  local modules tests
  modules=$(for patch in "$@"; do of Module "$patch"; done | sort -u | paste -sd,)
  tests=$(for patch in "$@"; do of Test "$patch"; done | paste -sd,)
  find "$copy" -path '*/target/surefire-reports' -prune -exec rm -rf {} +
  # Only changed files are compiled. A test that hangs ends after two minutes.
  (cd "$copy" && ./mvnw test -fae -pl "$modules" -am -Dtest="$tests" -Dsurefire.failIfNoSpecifiedTests=false \
    -Dtests.excluded=none -Dsurefire.timeout="$limit" -Dmaven.test.failure.ignore=true \
    -Dmaven.compiler.useIncrementalCompilation=false \
    -Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip) >"$log" 2>&1 || true
}

outcome() { # outcome PATCH: prints the result of the patch's tests
  local module test class method report ran= failed= hung=
  module=$(of Module "$1")
  if grep -q 'COMPILATION ERROR' "$log"; then echo 'does not compile' && return; fi
  for test in $(of Test "$1" | tr ',' ' '); do
    class=${test%%#*} method=
    [ "$class" = "$test" ] || method=${test#*#}
    report=$(find "$copy/$module/target/surefire-reports" -name "TEST-*.$class.xml" 2>/dev/null | head -1)
    if [ -n "$report" ]; then
      # Reduce the report to one line for each method, with the first child of its element.
      case $(awk -v method="$method" '
          /<testcase / { name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); sub(/[ ({\[].*/, "", name)
            wanted = method == "" || name == method; ran = ran || wanted }
          /<skipped/ && wanted { ran = 0 }
          /<(failure|error)[ >]/ && wanted { failed = 1 }
          END { print failed ? "failed" : ran ? "ran" : "none" }' "$report") in
        failed) failed=yes ;;
        ran) ran=yes ;;
      esac
    elif grep -q "Running .*\.$class\$" "$log" && grep -q 'There was a timeout' "$log"; then
      hung=yes
    fi
  done
  if [ -n "$failed" ]; then
    echo found
  elif [ -n "$hung" ]; then
    echo 'found (hung)'
  elif [ -n "$ran" ]; then
    echo SURVIVED
  else
    echo 'no test ran'
  fi
}

missed=0 begin=$SECONDS
tell() { # tell PATCH OUTCOME SECONDS
  printf '%-16s %4ds  %s\n' "$2" "$3" "$(basename "$1" .diff)"
  [[ $2 == found* ]] || missed=$((missed + 1))
}

plant() { # plant PATCH...: apply the patches together, run their tests, and remove the patches
  local applied=() patch start=$SECONDS
  for patch in "$@"; do
    if in_copy --verbose "$patch"; then applied+=("$patch"); else tell "$patch" 'does not apply' 0; fi
  done
  [ ${#applied[@]} -gt 0 ] || return 0
  # The compiler's processors read these resources, but only if something is compiled.
  for patch in "${applied[@]}"; do
    grep -q '^+++ .*/META-INF/' "$patch" || continue
    find "$copy/$(of Module "$patch")/src/main/java" -name '*Properties.java' -print -quit | xargs -r touch
  done
  test_all "${applied[@]}"
  for patch in "${applied[@]}"; do tell "$patch" "$(outcome "$patch")" $((SECONDS - start)); done
  for ((i = ${#applied[@]} - 1; i >= 0; i--)); do in_copy --reverse "${applied[i]}"; done
}

# Test without a mistake first, because a test that already fails proves nothing. This also compiles everything.
limit=600
test_all "${patches[@]}"
grep -q 'BUILD SUCCESS' "$log" || { tail -30 "$log" >&2 && exit 2; }
sound=()
for patch in "${patches[@]}"; do
  case $(outcome "$patch") in
    SURVIVED) sound+=("$patch") ;;
    found*) tell "$patch" 'fails without it' $((SECONDS - begin)) ;;
    *) tell "$patch" "$(outcome "$patch")" $((SECONDS - begin)) ;;
  esac
done
echo "Built and tested without a mistake in $((SECONDS - begin)) s"

limit=120
if [ -n "$together" ]; then
  plant "${sound[@]}"
else
  for patch in "${sound[@]}"; do plant "$patch"; done
fi

echo "$((${#patches[@]} - missed)) of ${#patches[@]} found in $((SECONDS - begin)) s"
[ "$missed" -eq 0 ]
