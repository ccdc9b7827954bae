import { expect, it } from "vitest"

import { processKindOf } from "./ServiceProcesses.ts"

it.each([
  ["/opt/node --permission --no-warnings --eval x", "room"],
  ["/opt/node --no-warnings /x/src/launcher/main.ts {}", "launcher"],
  [
    "/bin/sh -c  trap '' HUP \"$@\" 3<&- & atrium-postgres /x/bin/postgres -D y",
    "databaseGuardian"
  ],
  ["/x/native/bin/postgres -D /proc/self/cwd -c port=1", "postmaster"],
  ["postgres: atrium atrium 127.0.0.1(34552) idle", "backend"],
  ["postgres: checkpointer ", "databaseWorker"],
  ["postgres: autovacuum worker atrium", "passing"],
  ["/opt/esbuild --service", "other"]
])("[D-14] %s is a %s", (command, kind) => {
  expect(processKindOf(command)).toBe(kind)
})
