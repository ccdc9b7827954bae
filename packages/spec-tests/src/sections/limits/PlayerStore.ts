import { holds, same } from "../../check/Expect.ts"
import { boundaryChecks, type Sized } from "../../families/Boundary.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../../families/Bucket.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { isRefusedAs, isTaken, type Outcome, taken } from "../../families/Outcome.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, roomStage, withRooms } from "../../trial/RoomStage.ts"
import { CallRefused } from "../../trial/SocketError.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Bucket } from "../Row.ts"
import { rowOf } from "../Section.ts"
import { capOf } from "./CapStage.ts"

const decision = "D-36"

/** One call of room code to the store of players; without a player it is the client's own. */
interface KvCall {
  readonly call: "get" | "set" | "compareAndSet" | "delete" | "list"
  readonly player?: string
  readonly key?: string
  readonly value?: unknown
  readonly version?: number
}

const attempt = async (client: RoomSocket, call: KvCall): Promise<Outcome> => {
  try {
    await client.call("kv", call)
    return taken
  } catch (cause) {
    if (cause instanceof CallRefused) return { taken: false, refused: { code: cause.code } }
    throw cause
  }
}

const valueOf = async (client: RoomSocket, of: Pick<KvCall, "player" | "key">) =>
  Object(await client.call("kv", { call: "get", ...of })).value

const keysOf = async (client: RoomSocket, player: string): Promise<unknown> =>
  Object(await client.call("kv", { call: "list", player })).keys

/** A text that is so many bytes of JSON, of the characters of `sized` as far as they fit. */
const jsonText = ({ size, text }: Sized): string => {
  const [char = "a"] = text
  const [bytes, width] = [size - '""'.length, Buffer.byteLength(char)]
  return char.repeat(Math.floor(bytes / width)) + "a".repeat(bytes % width)
}

/** The least bytes of JSON that a text has. */
const leastText = 2

export const valuesUpToTheirLimit = {
  timeoutMs: 60_000,
  title: "a value of 16 KiB of JSON is stored; a larger one is refused, and the one before stays",
  run: withRooms(async (stage, trial) => {
    const client = await stage.client("writes")
    const key = "value"
    await boundaryChecks(trial, rowOf("boundary", "kv.limit.value"), {
      attempt: (value) => attempt(client, { call: "set", key, value: jsonText(value) }),
      intact: async (inForce) => {
        const stored = await valueOf(client, { key })
        same("the value", stored ?? null, inForce === null ? null : jsonText(inForce))
      },
      smallest: leastText,
      decision
    })
  })
}

/** Names that are stored are read whole, and those that are refused leave no entry. */
const namesUpToTheirLimit = (id: string, of: (name: string) => Pick<KvCall, "player" | "key">) =>
  withRooms(async (stage, trial) => {
    const client = await stage.client("writes")
    let writes = 0
    await boundaryChecks(trial, rowOf("boundary", id), {
      attempt: async ({ text }) => {
        writes += 1
        const outcome = await attempt(client, { call: "set", value: writes, ...of(text) })
        if (outcome.taken) {
          same("the value under its whole name", await valueOf(client, of(text)), writes)
          // So that the keys of a player do not run out.
          await client.call("kv", { call: "delete", ...of(text) })
        }
        return outcome
      },
      smallest: 1,
      decision
    })
    const nameless = await attempt(client, { call: "set", value: 1, ...of("") })
    trial.chosen(decision, () => holds("an empty name is refused", !nameless.taken, "taken"))
  })

export const keysUpToTheirLimit = {
  timeoutMs: 60_000,
  title: "a key of 1 to 256 bytes is taken whole; a longer one and an empty one are refused",
  run: namesUpToTheirLimit("kv.limit.key", (key) => ({ key }))
}

export const playerIdsUpToTheirLimit = {
  timeoutMs: 60_000,
  title: "a player id of up to 256 bytes is taken whole; a longer one is refused",
  run: namesUpToTheirLimit("kv.limit.playerId", (player) => ({ player, key: "key" }))
}

export const keysOfAPlayer = {
  timeoutMs: 60_000,
  title:
    "a player has 128 keys; one more is refused until one is deleted, and keys can be written again",
  run: withRooms(async (stage, trial) => {
    const { accept, outcome } = rowOf("boundary", "kv.limit.keys-per-player")
    const [one, two] = [await stage.client("one"), await stage.client("two")]
    const player = "hoarder"
    const set = (client: RoomSocket, key: string, more: Partial<KvCall> = {}) =>
      attempt(client, { call: "set", player, key, value: 1, ...more })
    for (let at = 0; at < accept; at++) {
      isTaken(`key ${at + 1}`, await set(at % 2 === 0 ? one : two, `k${at}`))
    }
    const got = await set(two, "over")
    isRefusedAs(trial, "one more key", { got, outcome, decision })
    isTaken("a key that is there", await set(two, "k0", { value: 2 }))
    isTaken("a key of another player", await set(two, "over", { player: "other" }))
    const keys = await keysOf(one, player)
    same("the keys", Array.isArray(keys) && [keys.length, keys.includes("over")], [accept, false])
    isTaken("a delete", await attempt(one, { call: "delete", player, key: "k0" }))
    isTaken("one more when one is gone", await set(one, "over"))
  })
}

export const rowsOfAProject = {
  timeoutMs: 60_000,
  title: "a project has 1,000,000 rows; one more is refused until one is deleted",
  run: withRooms(async (stage, trial) => {
    const { accept, outcome } = rowOf("boundary", "kv.limit.rows")
    const client = await stage.client("writes")
    await trial.control.seed(stage.project.id, { counter: "kvRows", count: accept - 1 })
    const set = (player: string, value = 1) =>
      attempt(client, { call: "set", player, key: "key", value })
    isTaken("the last row", await set("last"))
    isRefusedAs(trial, "one more row", { got: await set("over"), outcome, decision })
    isTaken("a row that is there", await set("last", 2))
    same(
      "the value of the refused one",
      (await valueOf(client, { player: "over", key: "key" })) ?? null,
      null
    )
    isTaken("a delete", await attempt(client, { call: "delete", player: "last", key: "key" }))
    isTaken("one more when one is gone", await set("over"))
    const other = await (await roomStage(trial)).client("writes")
    isTaken("a row of another project", await attempt(other, { call: "set", key: "key", value: 1 }))
  })
}

/** Writes past each limit of a player, and the row that says with which code they are refused. */
const overLimit = (longest: Readonly<Record<"value" | "key" | "player", number>>) =>
  [
    ["kv.limit.value", { key: "kept", value: "x".repeat(longest.value) }],
    ["kv.limit.key", { key: "k".repeat(longest.key + 1), value: 1 }],
    ["kv.limit.playerId", { player: "p".repeat(longest.player + 1), key: "kept", value: 1 }]
  ] as const

const refusesOverLimit = async (
  trial: Trial,
  look: (row: string, got: Outcome) => void
): Promise<void> => {
  const client = await (await roomStage(trial)).client("writes")
  await client.call("kv", { call: "set", key: "kept", value: "whole" })
  const longest = {
    value: rowOf("boundary", "kv.limit.value").accept,
    key: rowOf("boundary", "kv.limit.key").accept,
    player: rowOf("boundary", "kv.limit.playerId").accept
  }
  for (const [row, call] of overLimit(longest))
    look(row, await attempt(client, { call: "set", ...call }))
  const { accept } = rowOf("boundary", "kv.limit.keys-per-player")
  for (let at = 1; at < accept; at++)
    await client.call("kv", { call: "set", key: `k${at}`, value: 1 })
  look("kv.limit.keys-per-player", await attempt(client, { call: "set", key: "over", value: 1 }))
  same("what was there", await valueOf(client, { key: "kept" }), "whole")
  for (const key of ["k".repeat(longest.key), "over"]) {
    same(`what is under ${key}`, (await valueOf(client, { key })) ?? null, null)
  }
}

export const overLimitRejects = {
  timeoutMs: 60_000,
  title: "a write over a limit is refused by a code, and nothing of it is stored",
  run: (trial: Trial) =>
    refusesOverLimit(trial, (row, got) => {
      const isNamed = !got.taken && /^E_[A-Z_]+$/.test(got.refused.code ?? "")
      holds(`${row} is refused by name`, isNamed, got)
    })
}

export const namedCodes = {
  timeoutMs: 60_000,
  title: "each limit of player KV has its code",
  run: (trial: Trial) =>
    refusesOverLimit(trial, (row, got) => {
      const { outcome } = rowOf("boundary", row)
      isRefusedAs(trial, row, { got, outcome, decision })
    })
}

/** A project with enough rooms: what one of them may ask of the service is bounded as well. */
class Askers {
  readonly #stage: RoomStage
  readonly #rooms: number
  readonly #clients: Array<Promise<RoomSocket>> = []
  #asked = 0

  constructor(stage: RoomStage, { burst }: Pick<Bucket, "burst">) {
    this.#stage = stage
    this.#rooms = Math.ceil(burst / callsOfRoom) + 1
  }

  async ask(of: (asked: number) => KvCall): Promise<Outcome> {
    const asked = this.#asked++
    const at = Math.floor(asked / callsOfRoom) % this.#rooms
    this.#clients[at] ??= this.#stage.client(`asks-${at}`)
    return attempt(await this.#clients[at], of(asked))
  }
}

/** So many calls one room makes, and then another one. */
const callsOfRoom = 190

const key = (asked: number): string => `k${asked % 100}`
const reads = (asked: number): KvCall =>
  asked % 10 === 0 ? { call: "list" } : { call: "get", key: key(asked) }
const writes = (asked: number): KvCall =>
  asked % 2 === 0
    ? { call: "set", key: key(asked), value: asked }
    : { call: "delete", key: key(asked) }

const benchOf = (
  trial: Trial,
  row: Bucket,
  { asked, elsewhere }: Readonly<Record<"asked" | "elsewhere", (asked: number) => KvCall>>
): BucketBench<Askers> => ({
  fresh: async () => new Askers(await roomStage(trial), row),
  ask: (askers) => askers.ask(asked),
  elsewhere: (askers) => askers.ask(elsewhere),
  atOnce: 40,
  decision
})

const ofReads = { asked: reads, elsewhere: writes }
const ofWrites = { asked: writes, elsewhere: reads }

const paced = (id: string, title: string, calls: typeof ofReads) => ({
  alone: true as const,
  timeoutMs: 240_000,
  title,
  run: (trial: Trial): Promise<void> => {
    const row = rowOf("bucket", id)
    return bucketChecks(trial, row, benchOf(trial, row, calls))
  }
})

/** Exactly the burst on a clock that stands; without one, at most what came back meanwhile. */
const atOnce = (id: string, title: string, calls: typeof ofReads) => ({
  alone: true as const,
  timeoutMs: 120_000,
  title,
  run: async (trial: Trial): Promise<void> => {
    const row = rowOf("bucket", id)
    const bench = benchOf(trial, row, calls)
    if (!trial.control.has("clock")) return burstCheck(trial, row, bench)
    const askers = await bench.fresh()
    await onHeldClock(trial, Math.ceil((row.burst * row.perMs) / row.rate), async () => {
      let left = row.burst
      const asker = async (): Promise<void> => {
        while (left > 0) {
          const nth = row.burst - --left
          isTaken(`${id}: ${nth} at once`, await bench.ask(askers))
        }
      }
      await Promise.all(Array.from({ length: bench.atOnce ?? 1 }, asker))
      const got = await bench.ask(askers)
      isRefusedAs(trial, `${id}: the next`, { got, outcome: row.outcome, decision })
    })
  }
})

export const readsPaced = paced(
  "kv.rate.reads",
  "reads of a project's player KV come back 200 a second; writes and other projects are not touched",
  ofReads
)
export const readsAtOnce = atOnce(
  "kv.rate.reads.burst",
  "3,000 reads at once pass, from all rooms together, and the next is refused",
  ofReads
)
export const writesPaced = paced(
  "kv.rate.writes",
  "writes and deletes of a project's player KV come back 100 a second; reads and other projects are not touched",
  ofWrites
)
export const writesAtOnce = atOnce(
  "kv.rate.writes.burst",
  "2,000 writes and deletes at once pass, from all rooms together, and the next is refused",
  ofWrites
)

/** The storage wall, as room code sees it. Source: D-45. */
export const kvAtTheWall = {
  needs: ["fixture", "playerStore"] as const,
  title: "the wall of storage refuses writes of player KV; reads and deletes of it pass",
  run: withRooms(async (stage, trial) => {
    const { id } = stage.project
    await trial.control.plan(id, "free")
    const uses = (used: number) => trial.control.meter(id, { meter: "storageBytes", used })
    const { allowance } = await capOf(stage.project, "storageBytes")
    const client = await stage.client("writes")
    const set = (value: number) => attempt(client, { call: "set", key: "key", value })
    await uses(allowance - 1)
    isTaken("a write below the wall", await set(1))
    await uses(allowance)
    const outcome = { code: "E_CAP_REACHED" }
    isRefusedAs(trial, "a write at the wall", { got: await set(2), outcome, decision: "D-45" })
    same("a read at the wall", await valueOf(client, { key: "key" }), 1)
    isTaken("a delete at the wall", await attempt(client, { call: "delete", key: "key" }))
    isRefusedAs(trial, "a write again", { got: await set(3), outcome, decision: "D-45" })
    await uses(0)
    isTaken("a write when the wall is gone", await set(4))
  })
}
