import { holds, same } from "../../check/Expect.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { secretOf } from "../authentication/JoinSecret.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { thrown } from "../Literals.ts"
import { clientRow } from "../RowKinds.ts"
import { section, tierB, tierC, tierD, tierA, rowOf } from "../Section.ts"
import { held, advanceTo } from "../states/HeldTime.ts"
import { kilobytes, atMost, dayMs, hourMs } from "../Units.ts"
import { channelsCost, historyCost, noHistory } from "./PhysicsProbes.ts"
import { builds } from "./SchemaBuilds.ts"
import { buildsUpToItsLimit } from "./SchemaLimits.ts"
import { mediaPorts } from "./VoiceCalls.ts"

/** Of secure WebSocket. */
const usualPort = 443

/** Lines 410 to 414 of the specification: Connection and room limits, player fields, physics, voice. */
export const playerFieldsSection = section(roomLimitsHeading, {
  "limits.player-fields.bytes": tierB(410, "persisted fields 4 KB per player, refused at compile", {
    probe: ["sdk"],
    hooks: [],
    features: ["playerFields", "sdk"],
    decisions: ["T-KB"],
    boundary: { ...kilobytes(4), outcome: thrown },
    check: buildsUpToItsLimit
  }),
  "limits.player-fields.players": tierC(410, "10,000 players per project", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["playerFields"],
    decisions: ["D-36"],
    boundary: { ...atMost(10_000, "count"), outcome: { code: "E_PLAYERS_FULL" } },
    check: {
      timeoutMs: 30_000,
      title: "the fields of 10,000 players are kept; those of one more are not",
      run: withRooms(async (stage, trial) => {
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
        // A refused player plays on, but nothing of it is kept.
        await scored("three", { token: over, by: 5 })
        same("one more", await scored("four", { token: over, by: 0 }), { total: 0 })
        same("the last player again", await scored("five", { token: last, by: 0 }), { total: 6 })
      })
    }
  }),
  "limits.player-fields.raisable": tierD(410, "raisable on request to support", {
    documented: "Support raises it on request: no route does."
  }),
  "limits.player-fields.retention": tierC(
    410,
    "kept 90 days from the last write, then schema defaults",
    {
      probe: ["ws"],
      hooks: ["clock", "fixture"],
      features: ["playerFields"],
      keep: { datum: "persisted fields of a player", forMs: 90 * dayMs, becomes: "defaults" },
      check: {
        alone: true,
        timeoutMs: 60_000,
        title: "a player's fields are kept 90 days from the last write, then they are the defaults",
        run: withRooms(async (stage, trial) => {
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
          for (const player of ["early", "again", "late"]) {
            same(player, await scored(player, 5), { total: 5 })
          }
          // By now its room sleeps, and what was written is stored.
          const lateAtMs = await trial.control.nowMs()
          await advanceTo(trial, beganAtMs + 60 * dayMs)
          same("written again", await scored("again", 1), { total: 6 })
          await advanceTo(trial, beganAtMs + 90 * dayMs - 1)
          same("before 90 days", await scored("early", 0), { total: 5 })
          await advanceTo(trial, lateAtMs + 90 * dayMs + 1)
          same("after them", await scored("late", 0), { total: 0 })
          same("a write begins the 90 days anew", await scored("again", 0), { total: 6 })
        })
      }
    }
  ),
  "limits.physics.history": tierB(411, "physics.history 0 to 240, off unless declared", {
    probe: ["sdk"],
    hooks: [],
    features: ["physics", "sdk"],
    boundary: { ...atMost(240, "count"), least: 0, outcome: thrown },
    check: [
      builds("histories of 0 and 240 ticks build; -1, 241 and 1.5 throw", {
        taken: [{ physicsHistory: 0 }, { physicsHistory: 240 }],
        refused: [{ physicsHistory: -1 }, { physicsHistory: 241 }, { physicsHistory: 1.5 }]
      }),
      noHistory
    ]
  }),
  "limits.physics.history.cost": tierB(411, "about 120 bytes per body per tick", {
    level: "info",
    probe: ["sdk"],
    features: ["physics"],
    numbers: [120],
    check: historyCost
  }),
  "limits.physics.channels": tierB(412, "8 history channels per physics collection", {
    probe: ["sdk"],
    hooks: [],
    features: ["physics", "sdk"],
    boundary: { ...atMost(8, "count"), outcome: thrown },
    check: builds("8 history channels build; 9 throw", {
      taken: [{ physicsChannels: 8 }],
      refused: [{ physicsChannels: 9 }]
    })
  }),
  "limits.physics.channels.cost": tierB(412, "cost = channels x depth x bodies x 4 bytes", {
    level: "info",
    probe: ["sdk"],
    features: ["physics"],
    numbers: [4],
    check: channelsCost
  }),
  "limits.worker.restarts": clientRow(413, "3 restarts a minute before close", {
    decisions: ["D-22", "T-39"],
    sameAs: "state.worker.three-restarts-close"
  }),
  "limits.voice.ports": tierB(
    414,
    "voice media on 40000-40999 UDP and TCP, only where voice is on",
    {
      probe: ["ws"],
      features: ["voice"],
      decisions: ["D-59"],
      is: { fromPort: 40_000, toPort: 40_999, protocols: ["UDP", "TCP"] },
      check: mediaPorts
    }
  ),
  "limits.room.traffic-443": tierA(
    414,
    "room traffic is secure WebSocket on 443 to the regional router",
    {
      probe: ["ws"],
      features: ["publicRouter"],
      decisions: ["D-24"],
      is: { port: 443 },
      check: {
        needs: ["fixture", "sdk"],
        title: "the client library joins over secure WebSocket on port 443, and nowhere else",
        run: withRooms(async (stage, trial) => {
          const { is } = rowOf("statement", "limits.room.traffic-443")
          const { joined, why, sockets } = await trial.fixtures.client({
            project: stage.project.id,
            room: "one",
            type: "probe",
            forMs: 0
          })
          for (const address of sockets) {
            const { protocol, port } = new URL(address)
            same(`the protocol of ${address}`, protocol, "wss:")
            // An address without a port has the usual one.
            same(`the port of ${address}`, port === "" ? usualPort : Number(port), is?.["port"])
          }
          holds("it has joined", joined && sockets.length > 0, { joined, why, sockets })
        })
      }
    }
  )
})
