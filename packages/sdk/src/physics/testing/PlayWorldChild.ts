/**
 * Plays a room with a heap of cubes or squares, in a process of its own. Its lines are JSON.
 *
 * `first <dimensions> <file>` plays 105 ticks from the start, and keeps a snapshot of every 5th in the file; `again <dimensions>
 * <file>` plays each of these snapshots to the end. Both print a line for each end: the tick of the snapshot, `null` for the
 * first, the hash of the world's bytes, and that of the state.
 */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

import type { StartOrder } from "@atrium/runtime/host/HostOrders"
import type { Room } from "@atrium/runtime/room/Room"
import { decodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"

import { heap, marbles2, marbles3, world2, world3 } from "./Marbles.ts"
import { PhysicsStage } from "./PhysicsStage.ts"

const [mode, dimensions, file = ""] = process.argv.slice(2)
const lastTick = 105
const everyTicks = 5

type Stage = Pick<PhysicsStage<typeof marbles2>, "tick" | "ticks" | "test">

/** A push from the side now and then, so that the heap does not come to rest. */
const pushes = (tick: number): boolean => tick % 25 === 0

const stageOf = async (start: Partial<StartOrder>): Promise<Stage> => {
  if (dimensions === "2") {
    return PhysicsStage.start(
      marbles2,
      {
        physics: world2,
        onCreate: ({ state }) => {
          for (const { x, y } of heap(20)) state.discs.add({ x, y, angle: 0.1 })
        },
        onTick: (room: Room<typeof marbles2>, { tick }) => {
          if (pushes(tick))
            world2.bodyOf(room, "discs", 1 + (tick % 20))?.applyImpulse({ x: 2, y: 3 }, true)
        }
      },
      start
    )
  }
  const stage = await PhysicsStage.start(
    marbles3,
    {
      physics: world3,
      onCreate: ({ state }) => {
        for (const at of heap(20)) state.balls.add(at)
      },
      onTick: (room: Room<typeof marbles3>, { tick }) => {
        if (pushes(tick)) {
          world3.bodyOf(room, "balls", 1 + (tick % 20))?.applyImpulse({ x: 2, y: 3, z: 1 }, true)
        }
      }
    },
    start
  )
  // Both have the parts that are used here.
  return stage as unknown as Stage
}

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Plays up to the last tick. @returns the snapshots on the way */
const playToEnd = (stage: Stage, from: number | null): ReadonlyArray<string> => {
  const kept: Array<string> = []
  for (; stage.tick < lastTick; stage.ticks(1)) {
    if (from !== null || stage.tick % everyTicks > 0) continue
    const { bytes } = stage.test.snapshot()
    const stored = Buffer.from(bytes).toString("base64")
    // A tick of virtual time may come a turn late.
    if (kept.at(-1) !== stored) kept.push(stored)
  }
  const { physics, state, tick } = decodeSnapshotFile(stage.test.snapshot().bytes)
  const world = hash(physics?.world ?? new Uint8Array(0))
  process.stdout.write(`${JSON.stringify({ from, tick, world, state: hash(state) })}\n`)
  return kept
}

await Promise.all([Rapier2.init(), Rapier3.init()])
if (mode === "first") {
  writeFileSync(file, JSON.stringify(playToEnd(await stageOf({}), null)))
} else {
  // Written by this program.
  const kept = JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<string>
  for (const stored of kept) {
    const bytes = new Uint8Array(Buffer.from(stored, "base64"))
    const { tick } = decodeSnapshotFile(bytes)
    playToEnd(await stageOf({ snapshot: { bytes, schema: null } }), tick)
  }
}
