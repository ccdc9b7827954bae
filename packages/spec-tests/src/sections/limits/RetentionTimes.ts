import { isSuccess } from "../../check/Answers.ts"
import { same, Mismatch, holds } from "../../check/Expect.ts"
import { JoinRefused } from "../../trial/RoomSocket.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { arrayOf, roomStage, stateOf, withRooms } from "../../trial/RoomStage.ts"
import { section, tierC, tierB, rowOf } from "../Section.ts"
import { dayMs, minuteMs } from "../Units.ts"

/** Lines 528 to 532 of the specification: Retention. */
export const retentionTimesSection = section("Limits / Retention", {
  "retention.logs": tierC(528, "log lines 7 days", {
    hooks: ["clock", "fixture", "logs"],
    features: ["logs"],
    decisions: ["D-37"],
    keep: { datum: "log lines", forMs: 7 * dayMs, becomes: "gone" },
    check: {
      title: "a line is read until it is 7 days old, and not after",
      alone: true,
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const forMs = Number(rowOf("keep", "retention.logs").forMs)
        const linesOf = async (): Promise<ReadonlyArray<unknown>> => {
          const answer = await stage.project.ask("/logs?room=old")
          isSuccess(answer)
          return arrayOf(answer).map(({ line }) => line)
        }
        const buffered = async () =>
          (await trial.control.logs(stage.project.id, "old")).map(({ line }) => line)
        const client = await stage.client("old")
        await trial.control.hold(true)
        try {
          await client.call("log", { text: "a line" })
          await trial.until("the line can be read", async () =>
            (await linesOf()).length > 0 ? true : null
          )
          await client.leave()
          await trial.control.advance(forMs - 1)
          same("the lines before", await linesOf(), ["a line"])
          same("those in memory before", await buffered(), ["a line"])
          await trial.control.advance(1)
          same("the lines after", await linesOf(), [])
          same("those in memory after", await buffered(), [])
        } finally {
          await trial.control.hold(false)
        }
      })
    }
  }),
  "retention.rows": tierC(529, "list rows 30 days after last report", {
    hooks: ["clock"],
    sameAs: "state.row.pruned-30d"
  }),
  "retention.state.forever": tierC(
    530,
    "stored state is forever unless the type declares a window",
    {
      hooks: ["clock", "fixture"],
      keep: { datum: "a room's stored state", forMs: "forever", becomes: "stays" },
      provedBy: "state.room.retention.type-or-override"
    }
  ),
  "retention.state.type-window": tierC(530, "a type window (for example 10m) deletes", {
    hooks: ["clock", "fixture"],
    keep: {
      datum: "the stored state of a room whose type declares a window",
      forMs: 10 * minuteMs,
      sweepMs: 15 * minuteMs,
      becomes: "gone"
    },
    provedBy: "state.room.retention-sweep"
  }),
  "retention.saves": tierB(531, "newest 10 generations per version", {
    sameAs: "saves.retention-10"
  }),
  "retention.deployments": tierC(532, "deployments are kept forever", {
    probe: ["http", "ws"],
    hooks: ["clock", "fixture"],
    alsoLines: [547],
    keep: { datum: "deployments", forMs: "forever", becomes: "stays" },
    check: {
      title: "a version of years ago is still there: a generation of it is restored and runs",
      alone: true,
      timeoutMs: 60_000,
      run: async (trial) => {
        same("how long they are kept", rowOf("keep", "retention.deployments").forMs, "forever")
        const stage = await roomStage(trial)
        const { secret } = await stage.project.key("rooms:write")
        const client = await stage.client("old")
        await client.call("add", { by: 7 })
        await client.call("save")
        const [saveId] = await stage.saves("old")
        if (saveId === undefined) {
          throw new Mismatch("the saves after a save", { expected: "one", actual: "none" })
        }
        await client.call("addDurably", { by: 100 })
        await client.leave()
        await stage.asleep("old")
        await stage.deploy("next")
        for (let year = 0; year < years; year++) await trial.control.advance(365 * dayMs)
        const restore = {
          method: "POST",
          bearer: secret,
          body: trial.codecs.restoreBody(saveId)
        } as const
        isSuccess(await stage.ask("/old/restore", restore))
        const token = await mintIdentity(trial, stage.project)
        const state = await trial.until("the state of the first version", async () => {
          // A client that comes while the room restarts is told to come again.
          const player = await stage.client("old", { token }).catch((cause: unknown) => {
            if (cause instanceof JoinRefused && cause.code === waking().code) return null
            throw cause
          })
          if (player === null) return null
          const read = await stateOf(player)
          await player.leave()
          return read.value < 100 ? read : null
        })
        same("what it holds", state.value, 7)
        holds("it did not begin anew", state.created === 1, state)
      }
    }
  })
})

const years = 5

const waking = () => rowOf("error", "memory.server.refuses-new").outcome
