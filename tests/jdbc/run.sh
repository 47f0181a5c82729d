#!/usr/bin/env bash
# Compiles the JDBC programs and runs the one that is named: run.sh Judge PATH_OF_IFX | run.sh Demo PORT.
# Needs JARS (where the jars are) and CLASSES (where the compiled programs go).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
classpath=$(find "$JARS" -name 'jdbc-4*.jar' -o -name 'bson-*.jar' | paste -sd:)
mkdir -p "$CLASSES"
javac -Xlint:all -Werror -d "$CLASSES" -cp "$classpath" "$here"/*.java
exec java -cp "$CLASSES:$classpath" "$@"
