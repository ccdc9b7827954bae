import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

import { decodeSnapshotFile, encodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, expect, test } from "vitest"

import { heap, marbles3, world3 } from "./testing/Marbles.ts"
import { PhysicsStage } from "./testing/PhysicsStage.ts"

const child = fileURLToPath(new URL("./testing/PlayWorldChild.ts", import.meta.url))

interface End {
  readonly from: number | null
  readonly tick: number
  readonly world: string
  readonly state: string
}

const play = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<End>> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--liftoff-only", child, ...args])
  const lines = stdout.trim().split("\n")
  return lines.map((line): End => JSON.parse(line))
}

beforeAll(() => Rapier3.init())

test.each(["2", "3"])(
  "[C-864] a world of %s dimensions goes on to the very bit in another process, from each of 20 moments",
  async (dimensions) => {
    const folder = await mkdtemp(join(tmpdir(), "atrium-worlds-"))
    try {
      const file = join(folder, "snapshots.json")
      const [first] = await play("first", dimensions, file)
      const again = await play("again", dimensions, file)
      expect(again).toHaveLength(20)
      for (const end of again) expect(end).toEqual({ ...first, from: end.from })
      expect(new Set(again.map(({ from }) => from)).size).toBe(20)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
)

const started = async () => {
  const stage = await PhysicsStage.start(marbles3, {
    physics: world3,
    onCreate: ({ state }) => {
      for (const at of heap(5)) state.balls.add({ ...at, vx: 1 })
    }
  })
  stage.ticks(20)
  return stage
}

const restarted = (bytes: Uint8Array) =>
  PhysicsStage.start(marbles3, { physics: world3 }, { snapshot: { bytes, schema: null } })

test("[C-864] a world of another library is made anew of its entities, and the log says so", async () => {
  const stage = await started()
  const { bytes } = stage.test.snapshot()
  const { physics, ...file } = decodeSnapshotFile(bytes)
  if (physics === undefined) throw new Error("no world was stored")
  expect(physics.engine).toBe("rapier3d 0.21.0")
  const older = encodeSnapshotFile({ ...file, physics: { ...physics, engine: "rapier3d 0.20.0" } })
  const again = await restarted(older)
  expect(again.test.logged()[0]?.slice(1)).toEqual([
    "warn",
    expect.stringContaining("it was stored by rapier3d 0.20.0, and this is rapier3d 0.21.0")
  ])
  stage.ticks(1)
  const [was, is] = [stage, again].map(({ room }) => room.state.balls.get(3))
  expect(is?.x).toBeCloseTo(was?.x ?? 0, 2)
  expect(is?.vx).toBeCloseTo(was?.vx ?? 0, 1)
})

test("[C-864] a world that its own library cannot read is made anew, and the log does not blame the version", async () => {
  const stage = await started()
  const { physics, ...file } = decodeSnapshotFile(stage.test.snapshot().bytes)
  if (physics === undefined) throw new Error("no world was stored")
  const broken = { ...physics, world: physics.world.slice(0, 10) }
  const again = await restarted(encodeSnapshotFile({ ...file, physics: broken }))
  expect(again.test.logged()[0]?.slice(1)).toEqual([
    "warn",
    expect.stringMatching(/anew .*: the stored world of rapier3d 0\.21\.0 could not be read$/)
  ])
  expect(world3.worldOf(again.room).bodies.len()).toBe(5)
})

test("[C-864] a snapshot without a world starts one of its entities", async () => {
  const stage = await started()
  const { physics: _, ...file } = decodeSnapshotFile(stage.test.snapshot().bytes)
  const again = await restarted(encodeSnapshotFile(file))
  expect(world3.worldOf(again.room).bodies.len()).toBe(5)
})

test("[C-864] the part of the world is the last one, and a file with a malformed one is refused", async () => {
  const stage = await started()
  const file = decodeSnapshotFile(stage.test.snapshot().bytes)
  expect(Object.keys(file).at(-1)).toBe("physics")
  const bad = [{ engine: 1 }, { world: "w" }, { bodies: { balls: 1 } }, { bodies: 1 }]
  for (const part of bad) {
    // It is malformed on purpose.
    const physics = { ...file.physics, ...part } as never
    expect(() => decodeSnapshotFile(encodeSnapshotFile({ ...file, physics }))).toThrow("physics.")
  }
})
