import { same, holds } from "../../check/Expect.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { full } from "../Literals.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { clientRow } from "../RowKinds.ts"
import { section, rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { atMost, secondMs } from "../Units.ts"

/** Lines 388 to 389 of the specification: Connection and room limits, players and frames. */
export const playersAndFramesSection = section(roomLimitsHeading, {
  "limits.maxClients.default": clientRow(388, "maxClients defaults to 64", {
    decisions: ["D-43", "T-18"],
    boundary: { ...atMost(64, "count"), outcome: full },
    check: {
      timeoutMs: 60_000,
      title: "a room whose type says nothing takes 64 clients, and no more",
      run: withRooms(async (stage, trial) => {
        const { accept, outcome } = rowOf("boundary", "limits.maxClients.default")
        const clients: Array<RoomSocket> = []
        for (let count = 0; count < accept; count++) clients.push(await stage.client("full"))
        const refusal = await refusedJoin(await stage.socket("full"))
        trial.chosen("D-43", () => same("the code", refusal.code, outcome.code))
        trial.chosen("D-24", () => same("the close code", refusal.close, outcome.close))
        holds(
          "the others stay",
          clients.every((client) => client.isOpen()),
          "closed"
        )
        await clients[0]?.leave()
        await stage.client("full")
      })
    }
  }),
  "limits.frames.rate": clientRow(389, "240 frames a second per connection", {
    decisions: ["D-35", "T-19"],
    bucket: {
      endpoint: "frames of a connection",
      key: "connection",
      rate: 240,
      perMs: secondMs,
      burst: 480,
      outcome: { code: "E_RATE_LIMITED", close: "open" },
      told: "once"
    },
    numbers: [2],
    check: [
      {
        title: "480 frames at once, 240 a second: neither more nor fewer are taken",
        run: withRooms(async (stage, trial) => {
          const client = await stage.client("busy")
          const { burst, rate } = rowOf("bucket", "limits.frames.rate")
          await trial.pause(300)
          const heard = () => client.heard("said").length
          const beganAtMs = performance.now()
          for (let frame = 0; frame < 1000; frame++) client.say("say", frame)
          await trial.until("the first frame", async () => (heard() > 0 ? true : null))
          const drainedFromMs = performance.now()
          await trial.pause(1000)
          const first = heard()
          const againAtMs = performance.now()
          for (let frame = 0; frame < 1000; frame++) client.say("say", 1000 + frame)
          await trial.until("frames of the second second", async () =>
            heard() > first ? true : null
          )
          await trial.pause(500)
          const endedAtMs = performance.now()
          await trial.until("a frame of a later time", async () => {
            client.say("say", "last")
            await trial.pause(50)
            return heard() > first ? true : null
          })
          const taken = client.heard("said").filter((said) => Object(said).value !== "last").length
          const least = burst + Math.floor((rate * (againAtMs - drainedFromMs)) / 1000) - 1
          const most = burst + Math.ceil((rate * (endedAtMs - beganAtMs)) / 1000) + 1
          holds("not fewer than is said", taken >= least, `${taken}, at least ${least}`)
          holds("not more than is said", taken <= most, `${taken}, at most ${most}`)
          trial.chosen("T-19", () => {
            holds("the connection stays", client.isOpen(), "closed")
            const told = client.errors().map(({ code }) => code)
            same("what the sender is told", [...new Set(told)], ["E_RATE_LIMITED"])
          })
        })
      },
      {
        needs: ["clock"],
        alone: true,
        title:
          "480 frames at once and 240 a second later, told once each time, on a clock that stands",
        run: withRooms(async (stage, trial) => {
          const client = await stage.client("busy")
          const { burst, rate, perMs } = rowOf("bucket", "limits.frames.rate")
          await held(trial)
          await trial.control.advance(2 * perMs)
          const heard = () => client.heard("said").length
          let expected = 0
          const calls = 50
          for (const [episode, more] of [burst, rate, burst].entries()) {
            // Calls are frames like any other.
            await Promise.all(Array.from({ length: calls }, () => client.call("read")))
            for (let frame = 0; frame < more + 20; frame++) client.say("say", frame)
            expected += more - calls
            await trial.until(`${expected} frames`, async () => (heard() >= expected ? true : null))
            await trial.pause(200)
            same(`frames of episode ${episode}`, heard(), expected)
            trial.chosen("T-19", () =>
              same("how often it is told", client.errors().length, episode + 1)
            )
            await trial.control.advance(episode === 0 ? perMs : 10 * perMs)
          }
          holds("the connection stays", client.isOpen(), "closed")
        })
      }
    ]
  }),
  "limits.frames.burst": clientRow(389, "burst twice that", {
    decisions: ["D-35", "T-19"],
    literalsOf: "limits.frames.rate",
    provedBy: "limits.frames.rate"
  })
})
