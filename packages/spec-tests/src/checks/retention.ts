import { isRefusal, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { secretOf } from "./joins.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const sweepMs = 15 * minuteMs

/** From now on time stands still but for what the check advances. */
const held = async (trial: Trial): Promise<void> => {
  await trial.control.hold(true)
  trial.later(() => trial.control.hold(false))
}

const isThere = async (stage: RoomStage, room: string): Promise<boolean> =>
  (await stage.ask(`/${room}`)).status === 200

const isGone = async (trial: Trial, stage: RoomStage, room: string): Promise<void> =>
  isRefusal(trial, await stage.ask(`/${room}`), {
    outcome: rowOf("error", "rooms.get.not-found").outcome
  })

/** Advances to a moment of the service's clock. */
const advanceTo = async (trial: Trial, atMs: number): Promise<void> => {
  const nowMs = await trial.control.nowMs()
  await trial.control.advance(Math.ceil(atMs - nowMs))
}

/** Years, in steps that no implementation finds too long. */
const advanceYears = async (trial: Trial, years: number): Promise<void> => {
  for (let year = 0; year < years; year++) await trial.control.advance(365 * dayMs)
}

const momentOf = async (stage: RoomStage, room: string, field: string): Promise<number> =>
  Date.parse(String((await stage.detail(room))[field]))

/** Until a room goes, minute by minute; the moment of the sweep that took it. */
const sweptAt = async (trial: Trial, stage: RoomStage, room: string): Promise<number> => {
  for (let minute = 0; minute < 16; minute++) {
    if (!(await isThere(stage, room))) return trial.control.nowMs()
    await trial.control.advance(minuteMs)
  }
  await isGone(trial, stage, room)
  return trial.control.nowMs()
}

const sweepChecks: ReadonlyArray<Check> = [
  {
    ids: ["state.room.retention-sweep", "retention.state.type-window"],
    alone: true,
    timeoutMs: 60_000,
    title:
      "a lapsed window deletes a room at the first sweep after it, and sweeps are 15 minutes apart",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await held(trial)
      for (const room of ["first", "second"]) {
        const client = await stage.client(room, { type: "windowed" })
        await client.call("addDurably", { by: 1 })
        await client.leave()
      }
      await trial.control.advance(5000)
      const deletesAtMs = await momentOf(stage, "first", "deletesAt")
      isSuccess(await stage.patch("second", { retention: "1h" }))
      await advanceTo(trial, deletesAtMs - 1)
      holds("there until its window is over", await isThere(stage, "first"), "gone")
      const sweptAtMs = await sweptAt(trial, stage, "first")
      const lateMs = sweptAtMs - deletesAtMs
      holds("gone within 15 minutes", lateMs <= sweepMs + minuteMs, `${lateMs} ms`)
      // The second room's window ends between two sweeps: it goes at the later one, not before.
      const lastMs = (await momentOf(stage, "second", "deletesAt")) - hourMs
      const minutes = Math.ceil((sweptAtMs - lastMs) / minuteMs) + 3
      isSuccess(await stage.patch("second", { retention: `${minutes}m` }))
      await advanceTo(trial, sweptAtMs + sweepMs - 2 * minuteMs)
      const overMs = (await trial.control.nowMs()) - (await momentOf(stage, "second", "deletesAt"))
      holds("its window is over", overMs > 0, `${overMs} ms`)
      await trial.control.advance(3 * minuteMs)
      await isGone(trial, stage, "second")
      same("the list", await stage.roomIds(), [])
    }
  },
  {
    ids: [
      "state.room.retention.type-or-override",
      "rooms.patch.retention.duration",
      "rooms.patch.retention.forever",
      "rooms.patch.retention.null",
      "rooms.patch.retention.wins-both-ways",
      "retention.state.forever"
    ] as const,
    alone: true,
    timeoutMs: 120_000,
    title: "the type's window or the room's own, shorter or longer, forever or cleared",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await held(trial)
      const rooms = [
        ["by-type", "hourly", []],
        ["shorter", "hourly", ["30m"]],
        ["longer", "hourly", ["3h"]],
        ["cleared", "hourly", ["3h", null]],
        ["kept", "hourly", ["forever"]],
        ["own", "probe", ["1h"]],
        ["plain", "probe", []]
      ] as const
      for (const [room, type, windows] of rooms) {
        const client = await stage.client(room, { type })
        await client.call("addDurably", { by: 1 })
        await client.leave()
        for (const retention of windows) isSuccess(await stage.patch(room, { retention }))
      }
      await trial.control.advance(5000)
      const windowOf = async (room: string) => {
        const { retention, retentionOverride, deletesAt } = await stage.detail(room)
        return { retention, retentionOverride, hasEnd: deletesAt !== null }
      }
      const cleared = { retention: "1h", retentionOverride: null, hasEnd: true }
      same("cleared", await windowOf("cleared"), cleared)
      const longer = { retention: "3h", retentionOverride: "3h", hasEnd: true }
      same("longer", await windowOf("longer"), longer)
      const kept = await windowOf("kept")
      same("kept: its end", kept.hasEnd, false)
      trial.chosen("T-08", () => {
        same("kept", kept, { retention: null, retentionOverride: "forever", hasEnd: false })
      })
      same("plain: its end", (await windowOf("plain")).hasEnd, false)
      const left = async () => (await stage.roomIds()).toSorted()
      const own = await momentOf(stage, "own", "deletesAt")
      await advanceTo(trial, own - 30 * minuteMs + sweepMs + 5000)
      same("after 30 minutes and a sweep", await left(), [
        "by-type",
        "cleared",
        "kept",
        "longer",
        "own",
        "plain"
      ])
      await advanceTo(trial, own - 5000)
      same("before an hour", (await left()).length, 6)
      await advanceTo(trial, own + sweepMs + 5000)
      same("after an hour and a sweep", await left(), ["kept", "longer", "plain"])
      await advanceTo(trial, own + 2 * hourMs + sweepMs + 5000)
      same("after three hours and a sweep", await left(), ["kept", "plain"])
      await advanceYears(trial, 10)
      for (const room of ["kept", "plain"]) {
        holds(`${room} after ten years`, await isThere(stage, room), "gone")
        same(`${room}: no end`, (await stage.detail(room))["deletesAt"], null)
        const token = await mintIdentity(trial, stage.project)
        same(
          `${room}: its state`,
          (await stateOf(await stage.client(room, { token, type: null }))).value,
          1
        )
      }
    }
  },
  {
    ids: ["state.room.retention.awake-not-swept"],
    alone: true,
    title: "a room with a client is not swept, however long nothing happens in it",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await held(trial)
      const client = await stage.client("busy", { type: "windowed" })
      await client.call("addDurably", { by: 1 })
      await trial.control.advance(10 * minuteMs + 3 * sweepMs)
      holds("it is there", await isThere(stage, "busy"), "gone")
      holds("its client is", client.isOpen(), "closed")
      same("its state", (await stateOf(client)).value, 1)
    }
  },
  {
    ids: ["rooms.detail.deletesAt.exact"],
    needs: ["fixture", "storage"],
    title: "the detail's moment of deletion is the newest stored state and the window, to the ms",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("windowed", 1, { type: "windowed" })
      const objects = await trial.control.objects(stage.project.id, "windowed")
      const newestAtMs = Math.max(...objects.map(({ storedAtMs }) => storedAtMs))
      const deletesAtMs = await momentOf(stage, "windowed", "deletesAt")
      same("deletesAt", deletesAtMs, newestAtMs + 10 * minuteMs)
      isSuccess(await stage.patch("windowed", { retention: "3h" }))
      same("by its own", await momentOf(stage, "windowed", "deletesAt"), newestAtMs + 3 * hourMs)
      await stage.client("awake", { type: "windowed" })
      const beforeMs = await trial.control.nowMs()
      const awakeMs = (await momentOf(stage, "awake", "deletesAt")) - 10 * minuteMs
      const afterMs = await trial.control.nowMs()
      trial.chosen("D-07", () =>
        holds("of a room that is awake: from now", awakeMs >= beforeMs && awakeMs <= afterMs, {
          beforeMs,
          awakeMs,
          afterMs
        })
      )
    }
  }
]

const rowChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "state.row.pruned-30d",
      "state.row.pruned.state-untouched",
      "rooms.detail.status",
      "rooms.list.pruned-row-absent",
      "rooms.get.rowless-hibernated"
    ] as const,
    needs: ["fixture"],
    alone: true,
    timeoutMs: 60_000,
    title: "a row goes 30 days after its last report; the room's state stays and reads hibernated",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("old")
      await client.call("add", { by: 7 })
      await client.call("save")
      await client.leave()
      const row = await stage.asleep("old")
      await held(trial)
      const before = await stage.detail("old")
      const saves = await stage.saves("old")
      const [saveId = ""] = saves
      const bytes = await stage.bytes("old", saveId)
      const seenAtMs = Date.parse(String(row["lastSeen"]))
      await advanceTo(trial, seenAtMs + 30 * dayMs - 1)
      same("listed for 30 days", await stage.roomIds(), ["old"])
      await advanceTo(trial, seenAtMs + 30 * dayMs + sweepMs)
      same("after them", await stage.roomIds(), [])
      same("nor as asleep", await stage.roomIds("?active=false"), [])
      isSuccess(await stage.project.ask("/rooms/old"))
      const after = await stage.detail("old")
      same("its status", after["status"], "hibernated")
      const { type, stateBytes, saves: count, deletesAt } = before
      same("the rest of it", after, { ...after, type, stateBytes, saves: count, deletesAt })
      same("its generations", await stage.saves("old"), saves)
      holds(
        "their bytes",
        Buffer.from(bytes.bytes).equals((await stage.bytes("old", saveId)).bytes),
        "other"
      )
      const token = await mintIdentity(trial, stage.project)
      same("its state", (await stateOf(await stage.client("old", { token }))).value, 7)
    }
  },
  {
    ids: ["rooms.list.idle-longer-than", "rooms.list.filters-combine"],
    needs: ["fixture"],
    alone: true,
    title: "idle-longer-than lists rooms last reported longer ago, also together with active",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("old")
      await stage.client("awake")
      await held(trial)
      const seenAtMs = Date.parse(String((await stage.row("old"))?.["lastSeen"]))
      await advanceTo(trial, seenAtMs + 5 * minuteMs)
      same("5 minutes ago is not longer", await stage.roomIds("?idle-longer-than=5m"), [])
      await trial.control.advance(1)
      same("a ms more is", await stage.roomIds("?idle-longer-than=5m"), ["old"])
      const recent = await stage.client("recent")
      await recent.leave()
      await trial.control.advance(2000)
      await stage.asleep("recent")
      same("only the old", await stage.roomIds("?idle-longer-than=5m"), ["old"])
      const combined = async (active: boolean, window: string) =>
        (await stage.roomIds(`?active=${active}&idle-longer-than=${window}`)).toSorted()
      same("asleep and idle", await combined(false, "5m"), ["old"])
      same("awake and idle", await combined(true, "5m"), [])
      same("asleep", (await stage.roomIds("?active=false")).toSorted(), ["old", "recent"])
      same("awake", await stage.roomIds("?active=true"), ["awake"])
      same("in the other order", await stage.roomIds("?idle-longer-than=5m&active=false"), ["old"])
      same("idle for an hour", await combined(false, "1h"), [])
    }
  },
  {
    ids: ["rooms.row.lastSeen.clock"],
    needs: ["fixture"],
    alone: true,
    title: "lastSeen is a moment of the service's own clock, seconds from that of the storage",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await trial.control.advance(dayMs)
      const row = await stage.played("room")
      const seenAtMs = Date.parse(String(row["lastSeen"]))
      const nowMs = await trial.control.nowMs()
      holds("now by that clock", Math.abs(nowMs - seenAtMs) < 15_000, `${nowMs - seenAtMs} ms`)
      const objects = await trial.control.objects(stage.project.id, "room")
      const storedAtMs = Math.max(...objects.map((object) => object.storedAtMs))
      const apartMs = seenAtMs - storedAtMs
      holds("seconds from the storage", Math.abs(apartMs) < 10_000, `${apartMs} ms`)
    }
  }
]

const playerChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.player-fields.players"],
    timeoutMs: 30_000,
    title: "the fields of 10,000 players are kept; those of one more are not",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept } = rowOf("boundary", "limits.player-fields.players")
      await trial.control.seed(stage.project.id, { counter: "players", count: accept - 1 })
      const [last, over] = [
        await mintIdentity(trial, stage.project),
        await mintIdentity(trial, stage.project)
      ]
      /** What a player has in a room that nobody was in before. */
      const scored = async (
        room: string,
        score: { readonly token: string; readonly by: number }
      ) => {
        const client = await stage.client(room, { token: score.token })
        const answer = await client.call("score", { by: score.by })
        await client.leave()
        await stage.asleep(room)
        return answer
      }
      await scored("one", { token: last, by: 5 })
      same("the last player", await scored("two", { token: last, by: 1 }), { total: 6 })
      // Whoever is refused plays on, but nothing of it is kept.
      await scored("three", { token: over, by: 5 })
      same("one more", await scored("four", { token: over, by: 0 }), { total: 0 })
      same("the last player again", await scored("five", { token: last, by: 0 }), { total: 6 })
    }
  },
  {
    ids: ["limits.player-fields.retention"],
    alone: true,
    timeoutMs: 60_000,
    title: "a player's fields are kept 90 days from the last write, then they are the defaults",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const secret = await secretOf(trial, stage)
      await held(trial)
      /** Adds to a player's score, or reads it. */
      const scored = async (player: string, by: number): Promise<unknown> => {
        const issuedAtMs = await trial.control.nowMs()
        const token = trial.codecs.room.credential(secret, {
          project: stage.project.id,
          player,
          issuedAtMs,
          expiresAtMs: issuedAtMs + hourMs
        })
        const client = await stage.client("scores", { token })
        const answer = await client.call("score", { by })
        await client.leave()
        await trial.control.advance(2000)
        return answer
      }
      const beganAtMs = await trial.control.nowMs()
      for (const player of ["early", "late", "again"]) {
        same(player, await scored(player, 5), { total: 5 })
      }
      await advanceTo(trial, beganAtMs + 60 * dayMs)
      same("written again", await scored("again", 1), { total: 6 })
      await advanceTo(trial, beganAtMs + 90 * dayMs - minuteMs)
      same("a minute before 90 days", await scored("early", 0), { total: 5 })
      await advanceTo(trial, beganAtMs + 90 * dayMs + minuteMs)
      same("a minute after", await scored("late", 0), { total: 0 })
      same("a write begins the 90 days anew", await scored("again", 0), { total: 6 })
    }
  }
]

/** How long rooms, their rows and their players' data are kept. */
export const retentionChecks: ReadonlyArray<Check> = [...sweepChecks, ...rowChecks, ...playerChecks]
