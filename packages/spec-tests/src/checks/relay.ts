import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import type { RelayOp } from "../codec/RoomCodec.ts"
import { boundaryChecks } from "../families/Boundary.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../families/Bucket.ts"
import { onHeldClock } from "../families/HeldClock.ts"
import { type Outcome, taken } from "../families/Outcome.ts"
import { rowOf } from "../tables/Tables.ts"
import { kib } from "../tables/Units.ts"
import { board, patiently, relayStage, settled, stateBytesOf } from "../trial/RelayStage.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import { CallRefused } from "../trial/SocketError.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

/** Longer than usual: some hundred writes, each of which may have to wait for its allowance. */
const timeoutMs = 90_000

/** What became of a write, and of the connection. */
const outcomeOf = async (client: RoomSocket, write: () => Promise<unknown>): Promise<Outcome> => {
  try {
    await write()
    return taken
  } catch (cause) {
    if (!(cause instanceof CallRefused)) throw cause
    const open = client.isOpen() ? ({ close: "open" } as const) : {}
    return { taken: false, refused: { code: cause.code, ...open } }
  }
}

const codeOf = async (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => "taken",
    (cause: unknown) => {
      if (cause instanceof CallRefused) return cause.code
      throw cause
    }
  )

const blobOf = async (client: RoomSocket, bytes: number): Promise<number> => {
  const fields = { bytes: new Uint8Array(bytes) }
  const [key = 0] = await client.relay.write({ op: "add", collection: "blobs", fields })
  return key
}

const setBlob = (client: RoomSocket, key: number, bytes: Uint8Array) =>
  client.relay.write({ op: "set", collection: "blobs", key, fields: { bytes } })

const count = (value: number) =>
  ({ op: "set", collection: "counter", key: 0, fields: { value } }) as const

const mark = (n: number) => ({ op: "add", collection: "marks", fields: { n } }) as const

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

const seatChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.players"],
    title: "a relay room takes 64 players, whatever its type asks for, and no more",
    timeoutMs,
    run: async (trial) => {
      const stage = await relayStage(trial)
      await seats(stage, "limits.relay.players", trial)
      const small = { type: "small" }
      const [one, other] = [await stage.client("two", small), await stage.client("two", small)]
      await refusedJoin(await stage.socket("two"), small)
      holds("the two stay", one.isOpen() && other.isOpen(), "closed")
    }
  },
  {
    ids: ["limits.relay.players.free"],
    title: "on the free plan a relay room takes 16 players",
    run: async (trial) => {
      const stage = await relayStage(trial)
      await trial.control.plan(stage.project.id, "free")
      await seats(stage, "limits.relay.players.free", trial)
    }
  }
]

const sizeChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.message-size"],
    title: "a relay message has at most 64 KB with its envelope; a longer one changes nothing",
    timeoutMs,
    run: async (trial) => {
      const stage = await relayStage(trial)
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
    }
  },
  {
    ids: ["limits.relay.state"],
    title: "the encoded state of a relay room has at most 512 KB; a write beyond is refused whole",
    timeoutMs,
    run: async (trial) => {
      const stage = await relayStage(trial)
      const client = await stage.client("vast", board)
      for (let blob = 0; blob < 8; blob++) await blobOf(client, 60_000)
      await blobOf(client, 12_000)
      // From here to the largest of its field its length takes three bytes.
      const [least, most] = [16 * kib, 64 * kib]
      const key = await blobOf(client, least)
      const others = (await stateBytesOf(stage, "vast")) - least
      const row = rowOf("boundary", "limits.relay.state")
      const set = (size: number) =>
        patiently(trial, () => setBlob(client, key, new Uint8Array(size - others)))
      await boundaryChecks(trial, row, {
        attempt: ({ size }) => outcomeOf(client, () => set(size)),
        intact: async (inForce) =>
          same("the state", await stateBytesOf(stage, "vast"), inForce?.size ?? others + least),
        smallest: others + least,
        most: others + most,
        runs: 4
      })
      await set(row.accept)
      const add = () => patiently(trial, () => client.relay.write(mark(1)))
      same("an add to a full state", await codeOf(add()), row.outcome.code)
      await set(row.accept - kib)
      await add()
    }
  },
  {
    ids: ["limits.relay.records"],
    title: "a collection has at most 1024 records; a frame that adds one too many is refused whole",
    timeoutMs,
    run: async (trial) => {
      const stage = await relayStage(trial)
      const client = await stage.client("many", board)
      const { accept, outcome } = rowOf("boundary", "limits.relay.records")
      const { burst } = rowOf("bucket", "limits.relay.write-ops")
      for (let left = accept - 1; left > 0; left -= burst) {
        const writer = await stage.client("many", board)
        await writer.relay.write(
          ...Array.from({ length: Math.min(left, burst) }, (_, n) => mark(n))
        )
        await writer.leave()
      }
      const write = (...ops: ReadonlyArray<RelayOp>) =>
        outcomeOf(client, () => patiently(trial, () => client.relay.write(...ops)))
      const refused = { taken: false, refused: outcome }
      same("two more than fit by one", await write(mark(1), mark(2)), refused)
      const [key = 0] = await client.relay.write(mark(3))
      same("one past all", await write(mark(4)), refused)
      const remove = { op: "remove", collection: "marks", key } as const
      same("one for one", await write(remove, mark(5)), taken)
      await blobOf(client, 1)
      same("one past all, still", await write(mark(6)), refused)
    }
  }
]

/** Clients that have a record of their own, made before: `fresh` may cost nothing. */
const owners = async (stage: RoomStage): Promise<ReadonlyArray<readonly [RoomSocket, number]>> => {
  const clients = [await stage.client("a", board), await stage.client("a", board)]
  return Promise.all(clients.map(async (client) => [client, await blobOf(client, 1)] as const))
}

const frameBytes = 32 * kib

const rateChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.bytes.rate"],
    alone: true,
    title: "256 KB of relay messages a second, counted to the millisecond",
    timeoutMs,
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
  },
  {
    ids: ["limits.relay.bytes.burst", "error.rate-limited.sender-told-once"],
    alone: true,
    title: "1 MB of relay messages at once; the excess is dropped, told once, and nothing closes",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const { burst, rate, perMs, outcome } = rowOf("bucket", "limits.relay.bytes.burst")
      const [sender, other] = [await stage.client("a", board), await stage.client("a", board)]
      const heard = (): number => other.relay.sent().length
      const told = () => sender.errors().map(({ code }) => code)
      const flood = async (): Promise<void> => {
        for (let frame = 0; frame < 40; frame++) sender.relay.sendSized(frameBytes)
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
    }
  },
  {
    ids: ["limits.relay.bytes.roomcode-exempt"],
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
]

const operationChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.write-ops"],
    alone: true,
    title: "35 write operations a second for each client",
    timeoutMs,
    run: async (trial) => {
      const stage = await relayStage(trial)
      const row = rowOf("bucket", "limits.relay.write-ops")
      const bench: BucketBench<RoomSocket> = {
        fresh: () => stage.client("busy", board),
        ask: (client) => outcomeOf(client, () => client.relay.write(count(1)))
      }
      if (trial.control.has("clock")) await bucketChecks(trial, row, bench)
      else await burstCheck(trial, row, bench)
    }
  },
  {
    ids: ["limits.relay.write-ops.per-operation", "limits.relay.write-ops.whole-frame"],
    title: "operations count one by one; a frame with one too many changes nothing",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const { burst, outcome } = rowOf("bucket", "limits.relay.write-ops")
      const client = await stage.client("busy", board)
      const marks = (many: number) => Array.from({ length: many }, (_, n) => mark(n))
      const refused = { taken: false, refused: outcome }
      const before = await stateBytesOf(stage, "busy")
      const over = await outcomeOf(client, () => client.relay.write(...marks(burst + 1)))
      same("one more than there can be", over, refused)
      same("the state after it", await stateBytesOf(stage, "busy"), before)
      const keys = await patiently(trial, () => client.relay.write(...marks(burst)))
      same("keys of as many as there can be", new Set(keys).size, burst)
      const full = await stateBytesOf(stage, "busy")
      holds("the state has grown by them", full > before, full)
      const more = await outcomeOf(client, () => client.relay.write(...marks(burst)))
      same("as many again", more, refused)
      same("the state after those", await stateBytesOf(stage, "busy"), full)
    }
  }
]

/** Limits of relay rooms, as one client or some of them meet them. */
export const relayChecks: ReadonlyArray<Check> = [
  ...seatChecks,
  ...sizeChecks,
  ...rateChecks,
  ...operationChecks
]
