import { same, holds } from "../../check/Expect.ts"
import { isTaken } from "../../families/Outcome.ts"
import { freshAddress } from "../../trial/Addresses.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { doorsOf } from "../limits/Doors.ts"
import { press, quietMs } from "../limits/Pressure.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { clientRow, connectionRow, relayRow, replayRow, slowClientRow } from "../RowKinds.ts"
import { section, tierC, rowOf } from "../Section.ts"

/** Lines 339 to 353 of the specification: Errors, of a room. */
export const roomErrorsSection = section("Errors", {
  "error.room.E_RATE_LIMITED": connectionRow(
    339,
    "E_RATE_LIMITED: too many connections or new rooms from an address",
    {
      error: { outcome: { code: "E_RATE_LIMITED" } },
      provedBy: ["error.message.too-many-connections", "limits.newrooms.count"]
    }
  ),
  "error.message.too-many-connections": tierC(
    339,
    'connection refusals read "too many connections from this address"',
    {
      probe: ["ws"],
      hooks: ["address"],
      features: ["connectionLimits"],
      error: { outcome: { code: "E_RATE_LIMITED" } },
      is: { message: "too many connections from this address" },
      check: {
        needs: ["fixture"],
        timeoutMs: 60_000,
        title: "who makes too many connections is told so in the words of the specification",
        run: async (trial) => {
          const doors = await doorsOf(trial, { connectionsPerIpPerMin: 5 })
          const from = freshAddress()
          for (let n = 0; n < 5; n++) isTaken(`${n} of 5`, await doors.visit("one", from))
          const socket = await doors.socket("one", from)
          await socket.end()
          const told = socket.errors().map(({ code, message }) => ({ code, message }))
          same("what it is told", told, [{ code: "E_RATE_LIMITED", message: tooMany }])
          isTaken("another address", await doors.visit("one", freshAddress()))
        }
      }
    }
  ),
  "error.rate-limited.sender-told-once": relayRow(
    339,
    "relay overflow: the sender is told once and the connection stays open",
    {
      decisions: ["D-35", "T-76"],
      alsoLines: [400],
      error: { outcome: { code: "E_RATE_LIMITED", close: "open" } },
      provedBy: "limits.relay.bytes.burst"
    }
  ),
  "error.room.E_TENANT_WAKING": tierC(
    340,
    "E_TENANT_WAKING: server near its memory limit refuses new rooms; clients retry",
    {
      probe: ["ws"],
      hooks: ["memory"],
      features: ["serverMemory"],
      sameAs: "memory.server.refuses-new",
      check: {
        needs: ["servers", "fixture", "sdk"],
        timeoutMs: 40_000,
        title: "the client library comes in by itself when its server has memory again",
        run: withRooms(async (stage, trial) => {
          const { outcome } = rowOf("error", "error.room.E_TENANT_WAKING")
          await stage.client("held")
          const release = await press(trial, stage, "held")
          same("the code", (await refusedJoin(await stage.socket("new"))).code, outcome.code)
          const fate = trial.fixtures.client({
            project: stage.project.id,
            room: "later",
            type: "probe",
            forMs: 0
          })
          await trial.pause(quietMs)
          await release()
          const { joined, why, sockets } = await fate
          holds("it has joined", joined, { why, sockets })
          holds("it had been refused before", sockets.length > 1, sockets)
          trial.saw("behaviour clients that come back after E_TENANT_WAKING")
        })
      }
    }
  ),
  "error.room.E_STATE_CAP": relayRow(341, "E_STATE_CAP: relay write would exceed 512 KB", {
    sameAs: "limits.relay.state"
  }),
  "error.room.E_RECORD_CAP": relayRow(342, "E_RECORD_CAP: add would exceed 1024 records", {
    sameAs: "limits.relay.records"
  }),
  "error.room.E_WRITE_RATE": relayRow(
    343,
    "E_WRITE_RATE: over 35 write operations a second; frame refused whole",
    { sameAs: "limits.relay.write-ops" }
  ),
  "error.room.E_WRITE_REJECTED": relayRow(
    344,
    "E_WRITE_REJECTED: relay message over 64 KB; connection stays open",
    { sameAs: "limits.relay.message-size" }
  ),
  "error.room.E_AUDIENCE_FULL": relayRow(345, "E_AUDIENCE_FULL: audience seats full", {
    sameAs: "limits.audience.seats"
  }),
  "error.room.E_SLOW_CONSUMER": slowClientRow(346, "E_SLOW_CONSUMER: close reason with 1008", {
    sameAs: "state.socket.slow-consumer"
  }),
  "error.room.E_ROOM_DELETED": clientRow(347, "E_ROOM_DELETED: close reason with 4291", {
    sameAs: "state.room.force-delete.clients-closed-first"
  }),
  "error.room.E_CLIP_DISARMED": tierC(
    348,
    "E_CLIP_DISARMED: clip when recording stopped because state exceeds the ring",
    {
      probe: ["ws"],
      hooks: ["fixture", "memory"],
      features: ["replay"],
      sameAs: "replay.memory.disarmed"
    }
  ),
  "error.room.E_CLIP_COOLDOWN": replayRow(
    349,
    "E_CLIP_COOLDOWN: more than one clip a second per room",
    { sameAs: "replay.clip.rate" }
  ),
  "error.room.E_CLIP_TOO_LARGE": replayRow(350, "E_CLIP_TOO_LARGE: clip over 16 MB", {
    sameAs: "replay.clip.size"
  }),
  "error.room.E_EXCERPT_TOO_LONG": replayRow(351, "E_EXCERPT_TOO_LONG: window over 30 s", {
    sameAs: "replay.excerpt.window"
  }),
  "error.room.E_EXCERPT_COOLDOWN": replayRow(
    352,
    "E_EXCERPT_COOLDOWN: over 4 at once or more than one a second",
    { decisions: ["T-35"], sameAs: "replay.excerpt.concurrent" }
  ),
  "error.room.E_EXCERPT_TOO_LARGE": replayRow(
    353,
    "E_EXCERPT_TOO_LARGE: output over 4 MB of frames",
    { sameAs: "replay.excerpt.output" }
  )
})

const tooMany = "too many connections from this address"
