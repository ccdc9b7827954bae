import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Writable } from "node:stream"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { firstUidFor } from "./launcher/RoomUids.ts"
import { findWalls } from "./launcher/Walls.ts"
import { roomCommand } from "./RoomCommand.ts"
import { noWalls } from "./TestProcesses.ts"

/** Opens files until it may not, and says how many descriptors it had. The lowest free number is given. */
const opensFiles = `#!${process.execPath}
const { openSync, writeSync } = require("node:fs")
let last = 0
try {
  for (;;) last = openSync("/dev/null")
} catch ({ code }) {
  writeSync(1, last + 1 + " " + code)
}
`
/** Starts processes until it may not, and says each time how many there are. They end with fd 3. */
const startsProcesses = `#!/bin/sh
count=1
while :; do
  read -r go <&3 &
  count=$((count + 1))
  echo $count
done
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atrium-bounds-"))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a program in the place of a room's Node. @returns the last word that it said, and its errors */
const run = async (source: string, uid: number | null) => {
  const program = join(folder, uid === null ? "files" : "processes")
  await writeFile(program, source, { mode: 0o755 })
  const walls = uid === null ? noWalls : findWalls(process.execPath, uid)
  // Without this wall the program below would start processes until the machine has no more.
  if (uid !== null) expect(walls.prlimit).not.toBeNull()
  const boot = { code: "", vmDataKiB: null }
  const command = roomCommand(program, boot, { memoryMiB: 64, uid, walls, begins: true })
  const room = spawn(command.program, command.args, {
    env: {},
    stdio: ["ignore", "pipe", "pipe", "pipe"]
  })
  const said = { out: "", err: "" }
  room.stdout?.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  room.stderr?.on("data", (chunk: Buffer) => (said.err += chunk.toString()))
  const closed = once(room, "close")
  await once(room, "exit")
  const held = room.stdio[3]
  if (held instanceof Writable) held.end()
  await closed
  return { last: said.out.trim().split("\n").at(-1), errors: said.err }
}

describe("what the kernel gives a room's process", () => {
  test("[C-183] so many descriptors, and not one more", async () => {
    const { last } = await run(opensFiles, null)
    expect(last).toBe(`${RoomProcessLimits.roomDescriptors.max} EMFILE`)
  })

  test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
    "[C-183] so many threads and processes, and not one more",
    async () => {
      // No other test has this uid: the kernel counts what has ended until somebody reaps it.
      const { last, errors } = await run(startsProcesses, firstUidFor(process.pid, "") + 500)
      expect(last).toBe(String(RoomProcessLimits.roomThreads.max))
      expect(errors).toContain("Cannot fork")
    }
  )
})
