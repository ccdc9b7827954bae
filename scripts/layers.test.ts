import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { expect, test } from "vitest"

// The linter's lists replace each other silently when a file falls under two of them. So every arrow
// of the architecture is tried here with a file that breaks it, and with one that does not.

const root = join(import.meta.dirname, "..")

/** A file, what it imports or uses, and whether the linter must refuse that. */
type Attempt = readonly [path: string, uses: string, answer: "refused" | "fine"]

const attempts: ReadonlyArray<Attempt> = [
  ["packages/domain/src/A.ts", "@atrium/sdk/schema", "refused"],
  ["packages/domain/src/A.ts", "node:fs", "refused"],
  ["packages/domain/src/A.ts", "effect/http-api", "refused"],
  ["packages/domain/src/A.ts", "@effect/sql-pg", "refused"],
  ["packages/domain/src/A.ts", "effect#Effect", "refused"],
  ["packages/domain/src/A.ts", "effect#Schema", "fine"],
  ["packages/domain/src/A.ts", "effect/net", "refused"],
  ["packages/domain/src/A.ts", "effect/net/Dns", "refused"],
  ["packages/domain/src/A.ts", "effect/net/IpNetwork", "fine"],
  ["packages/domain/src/A.ts", "=Date", "refused"],
  ["packages/domain/src/A.ts", "=Math.random()", "refused"],
  ["packages/domain/src/A.ts", "=setTimeout", "refused"],
  ["packages/domain/src/A.test.ts", "node:fs", "fine"],
  ["packages/domain/src/A.test.ts", "@atrium/sdk/schema", "refused"],
  ["packages/domain/src/http/A.ts", "effect/http-api", "fine"],
  ["packages/domain/src/http/A.ts", "effect/http", "refused"],
  ["packages/domain/src/http/A.ts", "effect#Layer", "refused"],
  ["packages/sdk/src/bundle/A.ts", "node:fs", "fine"],
  ["packages/sdk/src/bundle/A.ts", "effect#Schema", "refused"],
  ["packages/sdk/src/bundle/A.ts", "@atrium/actors/X", "refused"],
  ["packages/sdk/src/schema/A.ts", "node:fs", "refused"],
  ["packages/sdk/src/codec/A.ts", "node:fs", "refused"],
  ["packages/sdk/src/room/A.ts", "node:fs", "refused"],
  ["packages/sdk/src/client/A.ts", "node:fs", "refused"],
  ["packages/sdk/src/client/A.ts", "effect/sql", "refused"],
  ["packages/sdk/src/client/A.ts", "@atrium/domain/Ids", "fine"],
  ["packages/sdk/src/client/A.ts", "../../../domain/src/Ids.ts", "refused"],
  ["packages/sdk/src/client/AMachine.ts", "=Date", "refused"],
  ["packages/sdk/src/client/AMachine.ts", "node:net", "refused"],
  ["packages/actors/src/room/A.ts", "@atrium/sdk/schema", "fine"],
  ["packages/actors/src/room/A.ts", "@atrium/api/X", "refused"],
  ["packages/actors/src/room/A.ts", "effect/unstable/sql", "refused"],
  ["packages/actors/src/room/A.ts", "=Date.now()", "refused"],
  ["packages/actors/src/room/AMachine.ts", "effect#Data", "fine"],
  ["packages/actors/src/room/AMachine.ts", "effect#Effect", "refused"],
  ["packages/actors/src/room/AMachine.ts", "@atrium/domain/Ids", "fine"],
  ["packages/actors/src/room/AMachine.ts", "@atrium/sdk/schema", "refused"],
  ["packages/actors/src/room/AMachine.ts", "./RoomStore.ts", "refused"],
  ["packages/actors/src/room/AMachine.ts", "=setTimeout", "refused"],
  ["packages/api/src/A.ts", "@atrium/actors/X", "fine"],
  ["packages/api/src/A.ts", "@atrium/cli/X", "refused"],
  ["packages/api/src/A.ts", "=Date.now()", "refused"],
  ["packages/api/src/handlers/a.ts", "effect/sql", "refused"],
  ["packages/api/src/handlers/a.ts", "@atrium/cli/X", "refused"],
  ["packages/cli/src/A.ts", "@atrium/actors/X", "refused"],
  ["packages/cli/src/A.ts", "@atrium/sdk/client", "fine"],
  ["packages/dashboard/src/A.tsx", "@atrium/actors/X", "refused"],
  ["packages/dashboard/src/A.tsx", "node:fs", "refused"],
  ["packages/sim/src/A.ts", "@atrium/api/X", "refused"],
  ["packages/sim/src/A.ts", "@atrium/api/testing/X", "fine"],
  ["packages/sim/src/simulation/A.ts", "@atrium/actors/room/RoomMachine", "fine"],
  ["packages/sim/src/simulation/A.ts", "@atrium/actors/room/RoomState", "fine"],
  ["packages/sim/src/simulation/A.ts", "@atrium/actors/room/RoomSteps", "refused"],
  ["packages/sim/src/simulation/A.ts", "@atrium/actors/store/RoomStore", "refused"],
  ["packages/sim/src/simulation/A.ts", "@atrium/actors/room/RoomGate", "refused"],
  ["packages/sim/src/simulation/A.ts", "@atrium/api/testing/X", "refused"],
  ["packages/sim/src/simulation/A.ts", "effect#Effect", "refused"],
  ["packages/sim/src/simulation/A.ts", "node:fs", "refused"],
  ["packages/sim/src/simulation/A.ts", "=Date.now()", "refused"],
  ["packages/spec-tests/src/A.ts", "@atrium/domain/Ids", "refused"],
  ["examples/a/room.ts", "@atrium/domain/Ids", "refused"],
  ["examples/a/room.ts", "effect#Schema", "refused"],
  ["examples/a/room.ts", "@atrium/sdk/room", "fine"]
]

const sourceOf = (uses: string): string => {
  if (uses.startsWith("=")) return `export const value = ${uses.slice(1)}\n`
  const [from, name = "value"] = uses.split("#")
  return `import { ${name} } from "${from}"\nexport const used = ${name}\n`
}

/** Each attempt gets a file name of its own, with the ending that its rule looks at. */
const placeOf = ([path]: Attempt, index: number): string =>
  path.replace(/([Aa]|room)((?:Machine)?(?:\.test)?\.tsx?)$/, `X${index}$2`)

test("[style.layers] each arrow of the architecture is held by the linter", () => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-layers-"))
  try {
    copyFileSync(join(root, "oxlint.config.ts"), join(folder, "oxlint.config.ts"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const [index, attempt] of attempts.entries()) {
      const path = join(folder, placeOf(attempt, index))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, sourceOf(attempt[1]))
    }
    const oxlint = join(root, "node_modules/oxlint/bin/oxlint")
    const run = spawnSync(process.execPath, [oxlint, "--format=unix", "packages", "examples"], {
      cwd: folder,
      encoding: "utf8"
    })
    const answers = attempts.map((attempt, index): Attempt => {
      const refused = run.stdout
        .split("\n")
        .some((line) => line.startsWith(placeOf(attempt, index)) && line.includes("no-restricted"))
      return [attempt[0], attempt[1], refused ? "refused" : "fine"]
    })
    expect(answers).toEqual(attempts)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
