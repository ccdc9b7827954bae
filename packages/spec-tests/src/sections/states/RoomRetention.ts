import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { holds, same } from "../../check/Expect.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { stateOf, type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { section, tierC, rowOf } from "../Section.ts"
import { minuteMs, hourMs, dayMs } from "../Units.ts"
import { held, momentOf, advanceTo } from "./HeldTime.ts"

/** Lines 196 to 197 of the specification: States and transitions, the retention of a room and of its row. */
export const roomRetentionSection = section("States and transitions", {
  "state.room.retention-sweep": tierC(
    196,
    "a lapsed window deletes the state on the first sweep after it",
    {
      hooks: ["clock", "fixture"],
      alsoLines: [530],
      move: {
        subject: "room",
        from: "not awake",
        trigger: "the retention window lapses after the last activity",
        guard: "type or override declares a window",
        to: "gone"
      },
      is: { sweepMs: 15 * minuteMs },
      check: {
        alone: true,
        timeoutMs: 60_000,
        title:
          "a lapsed window deletes a room at the first sweep after it, and sweeps are 15 minutes apart",
        run: withRooms(async (stage, trial) => {
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
          holds("gone within 15 minutes", lateMs <= sweepMs + stepMs, `${lateMs} ms`)
          // The second room's window ends between two sweeps: it goes at the later one, not before.
          const lastMs = (await momentOf(stage, "second", "deletesAt")) - hourMs
          const minutes = Math.ceil((sweptAtMs - lastMs) / minuteMs) + 3
          isSuccess(await stage.patch("second", { retention: `${minutes}m` }))
          await advanceTo(trial, sweptAtMs + sweepMs - minuteMs)
          const overMs =
            (await trial.control.nowMs()) - (await momentOf(stage, "second", "deletesAt"))
          holds("its window is over", overMs > 0, `${overMs} ms`)
          await advanceTo(trial, sweptAtMs + sweepMs)
          await isGone(trial, stage, "second")
          same("the list", await stage.roomIds(), [])
        })
      }
    }
  ),
  "state.room.retention.type-or-override": tierC(
    196,
    "either the type or an override can declare the window",
    {
      hooks: ["clock", "fixture"],
      literalsOf: "state.room.retention-sweep",
      check: {
        alone: true,
        timeoutMs: 120_000,
        title: "the type's window or the room's own, shorter or longer, forever or cleared",
        run: withRooms(async (stage, trial) => {
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
        })
      }
    }
  ),
  "state.room.retention.awake-not-swept": tierC(196, "an awake room is active and is not swept", {
    level: "decided",
    hooks: ["clock", "fixture"],
    decisions: ["D-07", "T-117"],
    move: {
      subject: "room",
      from: "awake",
      trigger: "the retention window lapses after the last activity",
      to: "awake"
    },
    check: {
      alone: true,
      title: "a room with a client is not swept, however long nothing happens in it",
      run: withRooms(async (stage, trial) => {
        await held(trial)
        const client = await stage.client("busy", { type: "windowed" })
        await client.call("addDurably", { by: 1 })
        await trial.control.advance(10 * minuteMs + 3 * sweepMs)
        holds("it is there", await isThere(stage, "busy"), "gone")
        holds("its client is", client.isOpen(), "closed")
        same("its state", (await stateOf(client)).value, 1)
      })
    }
  }),
  "state.row.pruned-30d": tierC(197, "the row goes 30 days after the last report", {
    hooks: ["clock"],
    alsoLines: [529],
    keep: { datum: "rows of the room list", forMs: 30 * dayMs, becomes: "pruned" },
    check: {
      needs: ["fixture"],
      alone: true,
      timeoutMs: 60_000,
      title:
        "a row goes 30 days after its last report; the room's state stays and reads hibernated",
      run: withRooms(async (stage, trial) => {
        for (const room of ["old", "own"]) {
          const client = await stage.client(room)
          await client.call("add", { by: 7 })
          await client.call("save")
          await client.leave()
        }
        isSuccess(await stage.patch("own", { retention: "3650d" }))
        const rows = [await stage.asleep("old"), await stage.asleep("own")]
        await held(trial)
        const before = await stage.detail("old")
        const ownBefore = await stage.detail("own")
        const saves = await stage.saves("old")
        const [saveId = ""] = saves
        const bytes = await stage.bytes("old", saveId)
        const seenAtMs = rows.map((row) => Date.parse(String(row["lastSeen"])))
        await advanceTo(trial, Math.min(...seenAtMs) + 30 * dayMs - 1)
        same("listed for 30 days", (await stage.roomIds()).toSorted(), ["old", "own"])
        await advanceTo(trial, Math.max(...seenAtMs) + 30 * dayMs + sweepMs)
        same("after them", await stage.roomIds(), [])
        same("nor as asleep", await stage.roomIds("?active=false"), [])
        isSuccess(await stage.project.ask("/rooms/old"))
        const after = await stage.detail("old")
        same("its status", after["status"], "hibernated")
        const { type, stateBytes, saves: count, deletesAt } = before
        same("the rest of it", after, { ...after, type, stateBytes, saves: count, deletesAt })
        const ownAfter = await stage.detail("own")
        const windowOf = ({ retention, retentionOverride, deletesAt }: typeof before) => [
          retention,
          retentionOverride,
          deletesAt
        ]
        trial.chosen("C-81", () => same("its own window", windowOf(ownAfter), windowOf(ownBefore)))
        if (trial.control.has("storage")) {
          const objects = await trial.control.objects(stage.project.id, "old")
          const storedAtMs = Math.max(...objects.map((object) => object.storedAtMs))
          const shownAtMs = await momentOf(stage, "old", "lastSeen")
          trial.chosen("T-06", () => same("when it was seen last", shownAtMs, storedAtMs))
        }
        same("its generations", await stage.saves("old"), saves)
        holds(
          "their bytes",
          Buffer.from(bytes.bytes).equals((await stage.bytes("old", saveId)).bytes),
          "other"
        )
        const token = await mintIdentity(trial, stage.project)
        same("its state", (await stateOf(await stage.client("old", { token }))).value, 7)
      })
    }
  }),
  "state.row.pruned.state-untouched": tierC(197, "pruning leaves stored state", {
    hooks: ["clock"],
    move: {
      subject: "row",
      from: "listed",
      trigger: "30 days after the last report",
      to: "pruned"
    },
    is: { status: "hibernated" },
    provedBy: "state.row.pruned-30d"
  })
})

const sweepMs = 15 * minuteMs

const isThere = async (stage: RoomStage, room: string): Promise<boolean> =>
  (await stage.ask(`/${room}`)).status === 200

const isGone = async (trial: Trial, stage: RoomStage, room: string): Promise<void> =>
  isRefusal(trial, await stage.ask(`/${room}`), {
    outcome: rowOf("error", "rooms.get.not-found").outcome
  })

/** Years, in steps that no implementation finds too long. */
const advanceYears = async (trial: Trial, years: number): Promise<void> => {
  for (let year = 0; year < years; year++) await trial.control.advance(365 * dayMs)
}

/** The moment of a sweep is found to this. */
const stepMs = 15_000

/** Until a room goes: the moment of the sweep that took it, at most a step later. */
const sweptAt = async (trial: Trial, stage: RoomStage, room: string): Promise<number> => {
  for (let steps = 0; steps <= sweepMs / stepMs; steps++) {
    if (!(await isThere(stage, room))) return trial.control.nowMs()
    await trial.control.advance(stepMs)
  }
  await isGone(trial, stage, room)
  return trial.control.nowMs()
}
