import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, Mismatch, same } from "../check/Expect.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../families/Bucket.ts"
import { prefixCheck } from "../families/Draw.ts"
import { onHeldClock } from "../families/HeldClock.ts"
import { isRefusedAs, isTaken, type Outcome, taken } from "../families/Outcome.ts"
import type { Bucket, Refused } from "../tables/Row.ts"
import { rowOf } from "../tables/Tables.ts"
import { freshAddress, freshPrefixes, headersFrom } from "../trial/Addresses.ts"
import { board, relayStage } from "../trial/RelayStage.ts"
import { JoinRefused, type RoomSocket } from "../trial/RoomSocket.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

const connections = () => rowOf("bucket", "limits.connections.burst")
const joins = () => rowOf("bucket", "limits.joins.address")
const projectJoins = () => rowOf("bucket", "limits.joins.project")
const newRooms = () => rowOf("bucket", "limits.newrooms.count")
const tooMany = "too many connections from this address"
/** So many that no limit of connections is met: joins are what is counted. T-121. */
const manyConnections = { connectionsPerIpPerMin: 100_000 }

/** Joins of a stage's rooms from named addresses. */
class Doors {
  readonly stage: RoomStage
  readonly #trial: Trial
  readonly #type: string

  /** @param type that of the rooms, where none is named */
  constructor(trial: Trial, stage: RoomStage, type = "probe") {
    this.#trial = trial
    this.stage = stage
    this.#type = type
  }

  socket(room: string, from: string): Promise<RoomSocket> {
    const headers = headersFrom(this.#trial, from)
    return this.#trial.socket({ project: this.stage.project, room, headers })
  }

  /** Comes in and leaves again. */
  async visit(room: string, from: string, type = this.#type): Promise<Outcome> {
    const refused = await this.refusal(room, { from, type })
    return refused === null ? taken : { taken: false, refused }
  }

  /** How a join is refused; `null` = it was let in, and has left. */
  async refusal(
    room: string,
    { from, type }: { readonly from: string; readonly type: string }
  ): Promise<Refused | null> {
    try {
      const client = await this.socket(room, from)
      await client.join({ type })
      await client.leave()
      return null
    } catch (cause) {
      if (!(cause instanceof JoinRefused)) throw cause
      const { code, close } = cause
      const { close: ours } = connections().outcome
      this.#trial.chosen("D-24", () => same("the close code", close, ours))
      // Looked at just now, as it is not the specification's.
      return ours === undefined ? { code } : { code, close: ours }
    }
  }

  /** Makes a room that is down again when it has been visited, so that none is in another's way. */
  async make(room: string, from: string): Promise<Outcome> {
    const outcome = await this.visit(room, from)
    if (outcome.taken && !this.#isRelay) await this.stage.remove(room, "?force=true")
    return outcome
  }

  /** A room that stays up for as long as the check does. */
  async keepUp(room: string): Promise<void> {
    const witness = await this.socket(room, freshAddress())
    await witness.join({ type: this.#type })
  }

  /** A room that was played in, and sleeps. */
  async putToSleep(room: string): Promise<void> {
    isTaken(room, await this.visit(room, freshAddress()))
    await this.stage.asleep(room)
  }

  get #isRelay(): boolean {
    return this.#type === board.type
  }
}

const set = async (stage: RoomStage, settings: object): Promise<void> => {
  const { name } = stage.project
  isSuccess(await stage.project.ask("", { method: "PATCH", body: { name, ...settings } }))
}

/** A room that stays up, on a server that started with these settings. */
const doorsOf = async (trial: Trial, settings: object | null = null): Promise<Doors> => {
  const stage = await roomStage(trial)
  if (settings !== null) await set(stage, settings)
  const doors = new Doors(trial, stage)
  await doors.keepUp("one")
  return doors
}

/** The same for joins in great number: a room without code is soon made and joined. */
const lightDoorsOf = async (trial: Trial, settings: object | null = null): Promise<Doors> => {
  if (!trial.config.features.includes("relay")) return doorsOf(trial, settings)
  const stage = await relayStage(trial)
  if (settings !== null) await set(stage, settings)
  const doors = new Doors(trial, stage, board.type ?? undefined)
  await doors.keepUp("one")
  return doors
}

const visits = (doors: Doors): BucketBench<string> => ({
  fresh: async () => freshAddress(),
  ask: (from) => doors.visit("one", from)
})

/** How many are let in at once before the first that is not. */
const countUntil = async (row: Bucket, ask: () => Promise<Outcome>): Promise<number> => {
  for (let count = 0; count <= 2 * row.burst; count++) {
    const outcome = await ask()
    if (outcome.taken) continue
    same(`${row.ids[0]}: the refusal`, outcome.refused.code, row.outcome.code)
    return count
  }
  throw new Mismatch(row.ids[0], { expected: "a refusal", actual: `${2 * row.burst} are taken` })
}

const connectionChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.connections.burst", "limits.connections.default"],
    needs: ["fixture"],
    timeoutMs: 60_000,
    title: "an address makes 120 new connections to a server at once, and not many more",
    run: async (trial) => burstCheck(trial, connections(), visits(await doorsOf(trial)))
  },
  {
    ids: ["limits.connections.refill"],
    needs: ["fixture"],
    alone: true,
    timeoutMs: 120_000,
    title: "connections of an address come back at 2 a second, counted to the millisecond",
    run: async (trial) => bucketChecks(trial, connections(), visits(await doorsOf(trial)))
  },
  {
    ids: ["error.message.too-many-connections", "error.room.E_RATE_LIMITED"],
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
  },
  {
    ids: ["limits.connections.ipv6-64"],
    needs: ["fixture", "clock"],
    alone: true,
    timeoutMs: 60_000,
    title: "addresses of one /64 share their connections; the next /64 and IPv4 have their own",
    run: async (trial) => {
      const doors = await doorsOf(trial)
      const [prefix, otherPrefix] = freshPrefixes()
      const plain = [freshAddress(), freshAddress()] as const
      const ask = (from: string) => doors.visit("one", from)
      await prefixCheck(trial, connections(), { ask, prefix, otherPrefix, plain })
    }
  },
  {
    ids: ["limits.connections.per-server"],
    needs: ["fixture"],
    timeoutMs: 60_000,
    title: "who has no connections to one server left has those to the next",
    run: async (trial) => {
      const doors = await doorsOf(trial, { connectionsPerIpPerMin: 5 })
      const { accept } = rowOf("boundary", "budget.xlarge.awake")
      // With the room of another class the first server has no place for the last of these.
      for (let n = 0; n < accept; n++) {
        const client = await doors.socket(`large-${n}`, freshAddress())
        await client.join({ type: "xlarge" })
      }
      const { serverStarts } = await trial.control.metrics(doors.stage.project.id)
      same("servers that started", Array.isArray(serverStarts) ? serverStarts.length : null, 2)
      const from = freshAddress()
      const ask = () => doors.visit("one", from)
      same("to the first", await countUntil(connections(), ask), 5)
      const second = `large-${accept - 1}`
      isTaken("to the second", await doors.visit(second, from, "xlarge"))
    }
  },
  {
    ids: ["limits.connections.settable", "project.patch.connections.null-restores-default"],
    needs: ["fixture", "address"],
    timeoutMs: 60_000,
    title: "the project's number counts from its server's next start on, null restores 120",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const few = { connectionsPerIpPerMin: 6 }
      const doors = new Doors(trial, stage)
      const all: BucketBench<string> = visits(doors)
      await set(stage, few)
      await stage.played("one")
      const from = freshAddress()
      const client = await doors.socket("one", freshAddress())
      await client.join()
      same("of 6", await countUntil(connections(), () => all.ask(from)), 6)
      await set(stage, { connectionsPerIpPerMin: null })
      const meanwhile = freshAddress()
      same("while it runs", await countUntil(connections(), () => all.ask(meanwhile)), 6)
      await client.leave()
      await stage.asleep("one")
      await doors.socket("one", freshAddress()).then((witness) => witness.join())
      await burstCheck(trial, connections(), all)
    }
  }
]

type Visit = (from: string) => Promise<Outcome>

/** So many are let in from one address, some at a time. */
const manyFrom = async (from: string, count: number, visit: Visit): Promise<void> => {
  let left = count
  const visitor = async (): Promise<void> => {
    while (left-- > 0) isTaken("a join", await visit(from))
  }
  await Promise.all(Array.from({ length: 8 }, visitor))
}

const isRefusedJoin = (trial: Trial, what: string, got: Outcome): void =>
  isRefusedAs(trial, what, { got, outcome: joins().outcome, decision: "D-35" })

/** Runs while time stands, all that was joined before being back. */
const onFullAllowance = (trial: Trial, row: Bucket, run: (backMs: number) => Promise<void>) => {
  const backMs = Math.ceil(row.perMs / row.rate)
  return onHeldClock(trial, backMs * row.burst, async () => {
    await trial.control.advance(backMs * row.burst)
    await run(backMs)
  })
}

const joinChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.joins.address"],
    needs: ["clock"],
    alone: true,
    timeoutMs: 120_000,
    title: "an address joins rooms of a server 600 times a minute",
    run: async (trial) => {
      const doors = await lightDoorsOf(trial, manyConnections)
      const visit: Visit = (from) => doors.visit("one", from)
      await onFullAllowance(trial, joins(), async (backMs) => {
        const from = freshAddress()
        await manyFrom(from, joins().burst, visit)
        isRefusedJoin(trial, "one more", await visit(from))
        isTaken("another address", await visit(freshAddress()))
        await trial.control.advance(backMs - 1)
        isRefusedJoin(trial, "a millisecond too early", await visit(from))
        await trial.control.advance(1)
        isTaken("in time", await visit(from))
        isRefusedJoin(trial, "the next", await visit(from))
        await trial.control.advance(3 * joins().burst * backMs)
        await manyFrom(from, joins().burst, visit)
        isRefusedJoin(trial, "never more than all", await visit(from))
      })
    }
  },
  {
    ids: ["limits.joins.address"],
    needs: ["clock", "budget"],
    alone: true,
    timeoutMs: 120_000,
    title: "who has no joins of one server left has those of the next",
    run: async (trial) => {
      const doors = await doorsOf(trial, manyConnections)
      const { accept } = rowOf("boundary", "budget.xlarge.awake")
      // With the room of another class the first server has no place for the last of these.
      for (let n = 0; n < accept; n++) {
        await (await doors.socket(`large-${n}`, freshAddress())).join({ type: "xlarge" })
      }
      await onFullAllowance(trial, joins(), async () => {
        const from = freshAddress()
        await manyFrom(from, joins().burst, (address) => doors.visit("one", address))
        isRefusedJoin(trial, "one more to the first", await doors.visit("one", from))
        isTaken("to the second", await doors.visit(`large-${accept - 1}`, from, "xlarge"))
      })
    }
  },
  {
    ids: ["limits.joins.project"],
    needs: ["clock"],
    alone: true,
    timeoutMs: 240_000,
    title: "rooms of a server are joined 6,000 times a minute, from whatever addresses",
    run: async (trial) => {
      const doors = await lightDoorsOf(trial, manyConnections)
      const other = await lightDoorsOf(trial)
      const visit: Visit = (from) => doors.visit("one", from)
      await onFullAllowance(trial, projectJoins(), async (backMs) => {
        for (let left = projectJoins().burst; left > 0; left -= joins().burst) {
          await manyFrom(freshAddress(), Math.min(left, joins().burst), visit)
        }
        isRefusedJoin(trial, "one more", await visit(freshAddress()))
        await trial.control.advance(backMs)
        isTaken("when one is back", await visit(freshAddress()))
        isTaken("another project", await other.visit("one", freshAddress()))
      })
    }
  }
]

const newRoomChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.newrooms.count", "error.room.E_RATE_LIMITED"],
    timeoutMs: 120_000,
    title: "an address makes 60 new rooms at once, and not many more",
    run: async (trial) => {
      const doors = await lightDoorsOf(trial, manyConnections)
      let made = 0
      await burstCheck(trial, newRooms(), {
        fresh: async () => freshAddress(),
        ask: (from) => doors.make(`room-${made++}`, from)
      })
      isTaken("another address", await doors.make(`room-${made++}`, freshAddress()))
    }
  },
  {
    ids: ["limits.newrooms.in-memory-free", "limits.newrooms.wake-counts"],
    needs: ["clock"],
    alone: true,
    timeoutMs: 120_000,
    title: "waking a room counts as making one, joining one that is awake does not",
    run: async (trial) => {
      const doors = await lightDoorsOf(trial, manyConnections)
      await doors.putToSleep("asleep")
      const from = freshAddress()
      const { burst, rate, perMs } = newRooms()
      await onHeldClock(trial, (burst * perMs) / rate, async () => {
        for (let n = 0; n < 3; n++) isTaken("awake, before", await doors.visit("one", from))
        let made = 0
        const make = () => doors.make(`room-${made++}`, from)
        same("rooms that are made", await countUntil(newRooms(), make), burst)
        for (let n = 0; n < 3; n++) isTaken("awake, after", await doors.visit("one", from))
        const got = await doors.visit("asleep", from)
        isRefusedAs(trial, "the one that sleeps", { got, outcome: newRooms().outcome })
        await trial.control.advance(perMs / rate)
        isTaken("it wakes when one is back", await doors.visit("asleep", from))
        holds("and has taken it", !(await make()).taken, "another is made")
      })
    }
  }
]

/** How often an address, and a project, may connect, join and make rooms. */
export const connectionLimitChecks: ReadonlyArray<Check> = [
  ...connectionChecks,
  ...joinChecks,
  ...newRoomChecks
]
