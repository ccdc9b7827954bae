import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, oneOf, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import { backAfter, roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"

const mib = 1024 * 1024

interface Filling {
  readonly stage: RoomStage
  readonly room: string
  readonly client: RoomSocket
  readonly bytes: number
  readonly kind?: "buffer" | "array" | "wasm"
}

/** The client after its room took more memory than it may have, and was started again. */
const restarted = async ({ stage, room, client, bytes, kind }: Filling): Promise<RoomSocket> => {
  const before = client.welcomes().at(-1)
  if (before === undefined) throw new Error("fill a room that the client has joined")
  client.say("fill", { bytes, kind: kind ?? "buffer" })
  return backAfter(stage, { client, room, before })
}

/** For so long nothing may happen to a room that is within its ceiling. */
const quietMs = 3000

const livesBelowItsCeiling =
  (type: string): ProbeOf =>
  (id) => ({
    timeoutMs: 60_000,
    title: "a room lives below the memory of its size class, and is started again above it",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { refuse } = rowOf("boundary", id)
      const client = await stage.client("filled", { type })
      await client.call("addDurably", { by: 5 })
      client.say("fill", { bytes: Math.floor(refuse * 0.8), kind: "buffer" })
      await client.call("read")
      await trial.pause(quietMs)
      same("welcomes below the ceiling", client.welcomes().length, 1)
      holds("connected below it", client.isOpen(), "closed")
      const bytes = Math.ceil(refuse * 0.25)
      const back = await restarted({ stage, room: "filled", client, bytes })
      const { value, created } = await stateOf(back)
      same("the state above it", { value, created }, { value: 5, created: 1 })
    }
  })

const ceilingChecks: ReadonlyArray<Check> = [
  { ids: ["budget.standard.memory"], ...livesBelowItsCeiling("probe")("budget.standard.memory") },
  { ids: ["budget.large.memory"], ...livesBelowItsCeiling("large")("budget.large.memory") },
  { ids: ["budget.xlarge.memory"], ...livesBelowItsCeiling("xlarge")("budget.xlarge.memory") }
]

/** A room over its memory, and one that is so again and again. */
export const memoryChecks: ReadonlyArray<Check> = [
  ...ceilingChecks,
  {
    ids: ["state.worker.memory-restart"],
    timeoutMs: 30_000,
    title: "a room over its memory ceiling is started again from its saved state",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("filled")
      const neighbour = await stage.client("neighbour")
      await client.call("addDurably", { by: 5 })
      await client.call("add", { by: 1 })
      const back = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
      const { value, created } = await stateOf(back)
      same("it did not begin anew", created, 1)
      // The later change may have been stored by itself just before.
      oneOf("the saved state", value, [5, 6])
      same("it goes on", await back.call("add", { by: 10 - value }), { value: 10 })
      same("welcomes of another room", neighbour.welcomes().length, 1)
      holds("which stays", neighbour.isOpen(), "closed")
    }
  },
  {
    ids: ["memory.ceiling-counts-all"],
    timeoutMs: 40_000,
    title: "typed arrays, buffers and WebAssembly memory count for the ceiling",
    run: async (trial) => {
      const stage = await roomStage(trial)
      for (const kind of ["buffer", "wasm", "array"] as const) {
        const client = await stage.client(kind)
        await client.call("addDurably", { by: 5 })
        const back = await restarted({ stage, room: kind, client, bytes: 120 * mib, kind })
        same(`after ${kind}`, (await stateOf(back)).value, 5)
      }
    }
  },
  {
    ids: ["state.worker.three-restarts-close", "state.room.transitions-unlisted"],
    timeoutMs: 60_000,
    title: "three restarts in a minute close the room, two do not; its state stays",
    run: async (trial) => {
      const stage = await roomStage(trial)
      let client = await stage.client("filled")
      await client.call("addDurably", { by: 5 })
      for (let time = 0; time < 2; time++) {
        client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
        same(`after restart ${time + 1}`, (await stateOf(client)).value, 5)
      }
      client.say("fill", { bytes: 200 * mib, kind: "buffer" })
      const closed = await client.end()
      trial.chosen("D-22", () =>
        same("the close", closed, {
          code: trial.codecs.room.closes.roomCrashed,
          reason: "E_ROOM_CRASHED"
        })
      )
      const { crashed } = rowOf("statement", "state.room.transitions-unlisted").is ?? {}
      const { status } = await stage.detail("filled")
      trial.chosen("D-14", () => same("its status", status, crashed))
      const again = await stage.rejoin("filled")
      same("its state", (await stateOf(again)).value, 5)
    }
  },
  {
    ids: ["state.worker.three-restarts-close"],
    needs: ["clock"],
    alone: true,
    timeoutMs: 60_000,
    title: "three restarts in more than a minute do not close the room",
    run: async (trial) => {
      const stage = await roomStage(trial)
      let client = await stage.client("filled")
      await client.call("addDurably", { by: 5 })
      for (let time = 0; time < 4; time++) {
        client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
        same(`after restart ${time + 1}`, (await stateOf(client)).value, 5)
        if (time % 2 === 1) await trial.control.advance(61_000)
      }
    }
  },
  {
    ids: ["state.worker.three-restarts-close"],
    needs: ["clock"],
    alone: true,
    timeoutMs: 60_000,
    title: "the minute of the restarts slides: the third within any minute closes the room",
    run: async (trial) => {
      const stage = await roomStage(trial)
      let client = await stage.client("filled")
      await client.call("addDurably", { by: 5 })
      // At 0, 40 and 70 seconds no minute holds three; 90 is the third since 40.
      for (const waitMs of [40_000, 30_000, 15_000]) {
        client = await restarted({ stage, room: "filled", client, bytes: 200 * mib })
        same(`before ${waitMs} ms more`, (await stateOf(client)).value, 5)
        await trial.control.advance(waitMs)
      }
      client.say("fill", { bytes: 200 * mib, kind: "buffer" })
      const closed = await client.end()
      trial.chosen("D-22", () => same("the close", closed.reason, "E_ROOM_CRASHED"))
    }
  }
]
