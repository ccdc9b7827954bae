import { holds, same } from "../../check/Expect.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { type BucketBench, bucketChecks } from "../../families/Bucket.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import type { Outcome } from "../../families/Outcome.ts"
import { relayStage, board, patiently, settled, withRelayRooms } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { roomStage, type RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { full } from "../Literals.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { relayRow } from "../RowKinds.ts"
import { section, tierC, rowOf } from "../Section.ts"
import { atMost, kilobytes, kib, secondMs, mib } from "../Units.ts"
import { blobOf, outcomeOf } from "./RelayWrites.ts"

/** Lines 398 to 400 of the specification: Connection and room limits, relay rooms. */
export const relayRoomsSection = section(roomLimitsHeading, {
  "limits.relay.players": relayRow(398, "64 players in one relay room", {
    decisions: ["D-43", "T-18"],
    boundary: { ...atMost(64, "count"), outcome: full },
    check: {
      title: "a relay room takes 64 players, whatever its type asks for, and no more",
      timeoutMs: 90_000,
      run: withRelayRooms(async (stage, trial) => {
        await seats(stage, "limits.relay.players", trial)
        const small = { type: "small" }
        const [one, other] = [await stage.client("two", small), await stage.client("two", small)]
        await refusedJoin(await stage.socket("two"), small)
        holds("the two stay", one.isOpen() && other.isOpen(), "closed")
      })
    }
  }),
  "limits.relay.players.free": tierC(398, "16 on the free plan", {
    probe: ["ws"],
    hooks: ["fixture", "plan"],
    features: ["relay"],
    decisions: ["D-43"],
    boundary: { ...atMost(16, "count"), outcome: full },
    check: {
      title: "on the free plan a relay room takes 16 players",
      run: withRelayRooms(async (stage, trial) => {
        await trial.control.plan(stage.project.id, "free")
        await seats(stage, "limits.relay.players.free", trial)
      })
    }
  }),
  "limits.relay.message-size": relayRow(
    399,
    "relay message at most 64 KB including the envelope: E_WRITE_REJECTED, connection stays open",
    {
      decisions: ["T-KB"],
      alsoLines: [344],
      boundary: { ...kilobytes(64), outcome: { code: "E_WRITE_REJECTED", close: "open" } },
      check: {
        title: "a relay message has at most 64 KB with its envelope; a longer one changes nothing",
        timeoutMs: 90_000,
        run: withRelayRooms(async (stage, trial) => {
          const [client, other] = [await stage.client("a", board), await stage.client("a", board)]
          const key = await blobOf(client, 1)
          const row = rowOf("boundary", "limits.relay.message-size")
          const attempt = ({ size }: { readonly size: number }): Promise<Outcome> =>
            outcomeOf(client, () =>
              patiently(trial, () =>
                client.relay.writeSized({
                  frameBytes: size,
                  of: (bytes) => ({ op: "set", collection: "blobs", key, fields: { bytes } })
                })
              )
            )
          const intact = async (): Promise<void> => holds("it stays", client.isOpen(), "closed")
          await boundaryChecks(trial, row, { attempt, intact, smallest: 400, runs: 6 })
          const sender = await stage.client("a", board)
          const seen = other.relay.sent().length
          sender.relay.sendSized(row.refuse)
          sender.relay.sendSized(row.accept)
          await settled(sender, other)
          same("what came to the other", other.relay.sent().length - seen, 1)
          same(
            "what the sender is told",
            sender.errors().map(({ code }) => code),
            [row.outcome.code]
          )
          holds("the sender stays", sender.isOpen(), "closed")
        })
      }
    }
  ),
  "limits.relay.bytes.rate": tierC(400, "256 KB of relay messages a second per connection", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["relay"],
    decisions: ["T-KB"],
    bucket: {
      endpoint: "bytes of relay messages of a connection",
      key: "connection",
      rate: 256 * kib,
      perMs: secondMs,
      burst: 1 * mib,
      outcome: { code: "E_RATE_LIMITED", close: "open" },
      told: "once"
    },
    check: {
      alone: true,
      title: "256 KB of relay messages a second, counted to the millisecond",
      timeoutMs: 90_000,
      run: async (trial) => {
        const row = rowOf("bucket", "limits.relay.bytes.rate")
        const subjects = [...(await owners(await relayStage(trial)))]
        type Owner = (typeof subjects)[number]
        const bench: BucketBench<Owner> = {
          fresh: async () => subjects.shift() ?? Promise.reject(new Error("no further client")),
          ask: ([client, key]) =>
            outcomeOf(client, () =>
              client.relay.writeSized({
                frameBytes,
                of: (bytes) => ({ op: "set", collection: "blobs", key, fields: { bytes } })
              })
            ),
          cost: frameBytes
        }
        await bucketChecks(trial, row, bench)
      }
    }
  }),
  "limits.relay.bytes.burst": relayRow(
    400,
    "burst 1 MB; excess dropped, told once, E_RATE_LIMITED",
    {
      decisions: ["D-35", "T-KB"],
      literalsOf: "limits.relay.bytes.rate",
      check: {
        alone: true,
        title:
          "1 MB of relay messages at once; the excess is dropped, told once, and nothing closes",
        run: withRelayRooms(async (stage, trial) => {
          const { burst, rate, perMs, outcome } = rowOf("bucket", "limits.relay.bytes.burst")
          const [sender, other] = [await stage.client("a", board), await stage.client("a", board)]
          const heard = (): number => other.relay.sent().length
          const told = () => sender.errors().map(({ code }) => code)
          const named = other.welcomes().map(({ clientId }) => clientId)
          const flood = async (): Promise<void> => {
            for (let frame = 0; frame < 40; frame++) {
              sender.relay.sendSized(frameBytes, frame % 2 === 0 ? null : named)
            }
            await settled(sender, other)
          }
          if (!trial.control.has("clock")) {
            const beganAtMs = performance.now()
            await flood()
            const more = ((performance.now() - beganAtMs) * rate) / perMs / frameBytes
            holds("not fewer", heard() >= burst / frameBytes, heard())
            holds("not more", heard() <= burst / frameBytes + more + 1, heard())
            holds("the sender is told", told().includes(outcome.code ?? ""), told())
            return
          }
          await onHeldClock(trial, perMs, async () => {
            await flood()
            same("what came of them", heard(), burst / frameBytes)
            same("what the sender is told", told(), [outcome.code])
            await trial.control.advance((frameBytes * perMs) / rate)
            await flood()
            same("what came when one was back", heard(), burst / frameBytes + 1)
            trial.chosen("T-76", () => same("told again", told(), [outcome.code, outcome.code]))
          })
          holds("the connection stays", sender.isOpen(), "closed")
        })
      }
    }
  ),
  "limits.relay.bytes.roomcode-exempt": relayRow(
    400,
    "rooms with deployed room code are not counted",
    {
      check: {
        title: "in rooms with deployed code bytes of messages are not counted",
        run: async (trial) => {
          const client = await (await roomStage(trial)).client("talks")
          const { burst } = rowOf("bucket", "limits.relay.bytes.burst")
          const text = "x".repeat(frameBytes)
          const messages = (2 * burst) / frameBytes
          for (let message = 0; message < messages; message++) client.say("say", text)
          await trial.until("all messages", async () =>
            client.heard("said").length === messages ? true : null
          )
          same("what the sender is told", client.errors(), [])
        }
      }
    }
  )
})

/** So many clients fit, no more, and one more when one has gone. */
const seats = async (stage: RoomStage, id: string, trial: Trial): Promise<void> => {
  const { accept, outcome } = rowOf("boundary", id)
  const clients: Array<RoomSocket> = []
  for (let seat = 0; seat < accept; seat++) clients.push(await stage.client("full", board))
  const refusal = await refusedJoin(await stage.socket("full"), board)
  trial.chosen("D-43", () => same("the code", refusal.code, outcome.code))
  trial.chosen("D-24", () => same("the close code", refusal.close, outcome.close))
  const isOpen = clients.every((client) => client.isOpen())
  holds("the others stay", isOpen, "closed")
  await clients[0]?.leave()
  await trial.until("the seat of who left is free", () =>
    stage.client("full", board).catch(() => null)
  )
}

/** Clients that have a record of their own, made before: `fresh` may cost nothing. */
const owners = async (stage: RoomStage): Promise<ReadonlyArray<readonly [RoomSocket, number]>> => {
  const clients = [await stage.client("a", board), await stage.client("a", board)]
  return Promise.all(clients.map(async (client) => [client, await blobOf(client, 1)] as const))
}

const frameBytes = 32 * kib
