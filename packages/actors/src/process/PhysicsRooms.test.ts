import { fileURLToPath } from "node:url"

import { until } from "@atrium/domain/testing/Until"
import { decodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, startOf, TestListener } from "./TestProcesses.ts"

const rapier = fileURLToPath(import.meta.resolve("@dimforge/rapier3d-deterministic-compat"))

/** A hundred cubes that fall on each other; a message makes the room take memory. */
const source = `
import RAPIER from ${JSON.stringify(rapier)}
import { physics } from "@atrium/sdk/physics"
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  tickHz: 60,
  physics: { dimensions: 3, history: 240 },
  entities: { cubes: { x: s.f32(), y: s.f32(), z: s.f32() } },
  messages: { hoard: {} }
})

const world = physics(RAPIER, schema, {
  gravity: { x: 0, y: -9.81, z: 0 },
  build: (made) => made.createCollider(RAPIER.ColliderDesc.cuboid(50, 1, 50)),
  bodies: {
    cubes: {
      body: () => RAPIER.RigidBodyDesc.dynamic(),
      colliders: () => [RAPIER.ColliderDesc.cuboid(0.4, 0.4, 0.4)]
    }
  }
})

const hoard = []

export const arena = defineRoom(schema, {
  physics: world,
  onCreate(room) {
    for (let cube = 0; cube < 100; cube++) {
      room.state.cubes.add({ x: (cube % 10) * 0.85, y: 2 + Math.floor(cube / 10) * 0.9 })
    }
  },
  onMessage: { hoard: () => void hoard.push(new Uint8Array(70 * 1024 * 1024).fill(1)) },
  onTick(room, { tick }) {
    // They never come to rest.
    if (tick % 60 === 0) world.bodyOf(room, "cubes", 1 + (tick % 100))?.applyImpulse({ x: 3, y: 4, z: 2 }, true)
  }
})
`

let processes: RoomProcesses
let bundle: Uint8Array

beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
  bundle = await bundleOf(source)
})

afterAll(() => processes.close())

const started = async () => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { memoryMiB: 64, bundle, physics: true })
  room.start(startOf(bundle))
  await heard.got("ready")
  room.join(joinOf(1))
  await heard.got("joined")
  return { heard, room }
}

describe("a standard room with physics", () => {
  test("[C-865] a world of 100 bodies in three dimensions runs within 64 MiB", async () => {
    const { heard, room } = await started()
    await until("120 patches", () => {
      expect(heard.calls.filter(([name]) => name === "exited")).toEqual([])
      return heard.calls.filter(([name]) => name === "deliver").length >= 120
    })
    room.requestSnapshot(1, { final: false })
    const [, , bytes] = await heard.got("snapshot")
    if (!(bytes instanceof Uint8Array)) throw new Error("no snapshot")
    expect(decodeSnapshotFile(bytes).physics?.engine).toBe("rapier3d 0.21.0")
    expect(heard.lines).toEqual([])
    room.kill("stopped")
    await heard.got("exited")
  })

  test.runIf(process.platform === "linux")(
    "[C-865] its memory stays within the ceiling: 70 MiB of its own are too many",
    async () => {
      const { heard, room } = await started()
      room.data(1, packValue([2, 0, new Uint8Array(0)]))
      expect(await heard.exit()).toMatchObject({ cause: "memory" })
    }
  )

  test("[C-860] a deploy learns the library and its version", async () => {
    expect(await processes.describe(bundle)).toMatchObject({
      ok: true,
      types: [{ physics: { dimensions: 3, history: 240, engine: "rapier3d 0.21.0" } }]
    })
  })
})
