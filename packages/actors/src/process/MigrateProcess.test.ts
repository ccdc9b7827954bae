import { Reports } from "@atrium/runtime/host/RoomReports"
import { defineSchema, describe as describeSchema, s } from "@atrium/sdk/schema"
import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { playerHash, playerUnion } from "@atrium/wire/schema/PlayerUnion"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import type { ToMigrate } from "./MigrateProcess.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, scriptOf } from "./TestProcesses.ts"

const [one, two] = [
  defineSchema({ type: "t", player: { wins: s.u8() } }),
  defineSchema({ type: "t", player: { score: s.u16() } })
]
const fieldsOf = (schema: typeof one | typeof two) => {
  const fields = playerUnion([describeSchema(schema)])
  return { hash: playerHash(fields), fields }
}
const [from, to] = [fieldsOf(one), fieldsOf(two)]

const asked = (wins: number): ToMigrate => ({
  stored: null,
  hops: [{ _tag: "Players", from, to, back: false }],
  bytes: packPlayer(one.player, { wins })
})

/** A bundle whose migration runs this. */
const bundleThat = (body: string): Promise<Uint8Array> =>
  bundleOf(`
    import { defineMigration } from "@atrium/sdk/migration"
    import { defineRoom } from "@atrium/sdk/room"
    import { defineSchema, s } from "@atrium/sdk/schema"
    export const room = defineRoom(defineSchema({ type: "t", player: { score: s.u16() } }), {})
    let runs = 0
    export const migration = defineMigration({
      player: { from: "${from.hash}", to: "${to.hash}", migrate: ({ wins }) => { ${body} } }
    })`)

const frameIn = (frame: Uint8Array): string => `Uint8Array.of(${[...frame].join(", ")})`

let processes: RoomProcesses
beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
})
afterAll(() => processes.close())

const migratorOf = async (body: string) => processes.migrator(await bundleThat(body), 64)

describe("a process for migrations", () => {
  it("[C-706] leads one thing after another on, in one process, and ends when it is closed", async () => {
    const migrator = await migratorOf("return { score: wins + 10 * runs++ }")
    for (const [run, score] of [5, 15, 25].entries()) {
      const led = await migrator.migrate(asked(5), 5000)
      if (!led.ok) throw new Error(`run ${run}: ${led.message}`)
      expect(unpackPlayer(two.player, led.bytes)).toEqual({ score })
    }
    migrator.close()
    expect(await migrator.migrate(asked(5), 5000)).toMatchObject({ ok: false, fault: "machine" })
  })

  it("[C-705] a migration that throws tells its place, and the process takes the next one", async () => {
    const migrator = await migratorOf(
      'if (wins === 1) throw new Error("one is too few"); return { score: wins }'
    )
    expect(await migrator.migrate(asked(1), 5000)).toEqual({
      ok: false,
      fault: "code",
      message: "one is too few",
      stack: expect.stringMatching(/room\.bundle\.js:\d+:\d+/)
    })
    expect(await migrator.migrate(asked(2), 5000)).toMatchObject({ ok: true })
    migrator.close()
  })

  it.each<[what: string, body: string, message: RegExp]>([
    ["never ends", "for (;;);", /^it takes more than 300 ms$/],
    ["takes all memory", "const all = []; for (;;) all.push(new Array(1e6).fill(wins))", /memory/]
  ])("[C-706] a migration that %s fails, and its process ends", async (_, body, message) => {
    const migrator = await migratorOf(body)
    const led = await migrator.migrate(asked(1), body.startsWith("for") ? 300 : 20_000)
    expect(led).toMatchObject({
      ok: false,
      fault: "code",
      message: expect.stringMatching(message)
    })
    expect(migrator.isOver).toBe(true)
    expect(await migrator.migrate(asked(2), 300)).toMatchObject({ ok: false, fault: "machine" })
  })

  it("[C-706] a migration that allocates more buffers than a room may have fails", async () => {
    const migrator = await migratorOf(
      "const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))"
    )
    expect(await migrator.migrate(asked(1), 20_000)).toMatchObject({ ok: false, fault: "code" })
    migrator.close()
  })

  it.each<[what: string, frame: Uint8Array]>([
    ["answers what was not asked", Reports.migrated(9, Uint8Array.of(1))],
    ["reports a room", Reports.ready()],
    ["sends what is no frame", Uint8Array.of(255, 255, 255, 255, 9)]
  ])("[C-706] a process that %s is not believed", async (_, frame) => {
    const script = scriptOf(`
      module.exports.connect = (port) => {
        port.send(${frameIn(frame)})
        return () => {}
      }
      module.exports.rooms = {}`)
    const migrator = processes.migrator(script, 64)
    expect(await migrator.migrate(asked(1), 5000)).toMatchObject({
      ok: false,
      fault: "code",
      message: expect.stringMatching(/^it broke the protocol/)
    })
  })

  it("[C-706] code that does not load fails what waits for it", async () => {
    const migrator = processes.migrator(scriptOf('throw new Error("no code")'), 64)
    expect(await migrator.migrate(asked(1), 5000)).toMatchObject({
      ok: false,
      fault: "code",
      message: "Error: no code"
    })
  })

  it("[C-706] ends with the others when the service closes them", async () => {
    const own = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 0 })
    const migrator = own.migrator(await bundleThat("for (;;);"), 64)
    const waits = migrator.migrate(asked(1), 20_000)
    await own.close()
    expect(await waits).toMatchObject({ ok: false })
    expect(migrator.isOver).toBe(true)
  })
})
