import { same, holds } from "../../check/Expect.ts"
import { burstCheck, bucketChecks, type BucketBench } from "../../families/Bucket.ts"
import { prefixCheck } from "../../families/Draw.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { isTaken, type Outcome, isRefusedAs } from "../../families/Outcome.ts"
import { freshAddress, freshPrefixes } from "../../trial/Addresses.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { limited } from "../Literals.ts"
import type { Bucket } from "../Row.ts"
import { connectionRow } from "../RowKinds.ts"
import { section, tierC, rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { minuteMs, secondMs, atMost } from "../Units.ts"
import {
  lightDoorsOf,
  manyConnections,
  doorsOf,
  connections,
  countUntil,
  Doors,
  set
} from "./Doors.ts"

/** Lines 390 to 392 of the specification: Connection and room limits, connections and joins. */
export const connectionsAndJoinsSection = section(roomLimitsHeading, {
  "limits.joins.address": connectionRow(390, "600 joins per client address per minute per server", {
    decisions: ["D-35", "T-121"],
    bucket: {
      endpoint: "joins",
      key: "address",
      rate: 600,
      perMs: minuteMs,
      burst: 600,
      outcome: limited
    },
    check: [
      {
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
      }
    ]
  }),
  "limits.joins.project": connectionRow(
    390,
    "6,000 joins per minute per server for the whole project",
    {
      decisions: ["D-35"],
      bucket: {
        endpoint: "joins",
        key: "project",
        rate: 6000,
        perMs: minuteMs,
        burst: 6000,
        outcome: limited
      },
      check: {
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
    }
  ),
  "limits.connections.burst": tierC(391, "120 new connections per address per minute (default)", {
    probe: ["ws"],
    hooks: ["address"],
    features: ["connectionLimits"],
    alsoLines: [424, 339],
    bucket: {
      endpoint: "new connections",
      key: "address",
      rate: 2,
      perMs: secondMs,
      burst: 120,
      outcome: limited
    },
    check: {
      needs: ["fixture"],
      timeoutMs: 60_000,
      title: "an address makes 120 new connections to a server at once, and not many more",
      run: async (trial) => burstCheck(trial, connections(), visits(await doorsOf(trial)))
    }
  }),
  "limits.connections.refill": tierC(391, "refill 2 a second", {
    probe: ["ws"],
    hooks: ["address", "clock"],
    features: ["connectionLimits"],
    literalsOf: "limits.connections.burst",
    check: {
      needs: ["fixture"],
      alone: true,
      timeoutMs: 120_000,
      title: "connections of an address come back at 2 a second, counted to the millisecond",
      run: async (trial) => bucketChecks(trial, connections(), visits(await doorsOf(trial)))
    }
  }),
  "limits.connections.ipv6-64": tierC(391, "IPv6 is counted by /64", {
    probe: ["ws"],
    hooks: ["address"],
    features: ["connectionLimits"],
    is: { prefixBits: 64 },
    check: {
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
    }
  }),
  "limits.connections.per-server": tierC(391, "counted per server", {
    probe: ["ws"],
    hooks: ["address", "metrics"],
    features: ["connectionLimits"],
    check: {
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
    }
  }),
  "limits.connections.settable": connectionRow(391, "the project setting changes it", {
    decisions: ["D-35"],
    check: {
      needs: ["fixture", "address"],
      timeoutMs: 60_000,
      title: "the project's number counts from its server's next start on, null restores 120",
      run: withRooms(async (stage, trial) => {
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
      })
    }
  }),
  "limits.handshake.timeout": tierC(
    392,
    "the join handshake must be sent within 5 seconds of connecting",
    {
      probe: ["ws"],
      hooks: ["clock"],
      decisions: ["D-24", "T-20"],
      boundary: {
        ...atMost(5 * secondMs, "ms"),
        outcome: { code: "E_HANDSHAKE_TIMEOUT", close: 4408 }
      },
      check: {
        alone: true,
        title: "who has not sent the join handshake 5 seconds after connecting is closed",
        run: withRooms(async (stage, trial) => {
          const { accept, outcome } = rowOf("boundary", "limits.handshake.timeout")
          await stage.played("late")
          const token = await mintIdentity(trial, stage.project)
          await held(trial)
          const [late, silent] = [await stage.socket("late"), await stage.socket("late")]
          await trial.control.advance(accept - 1)
          holds("both wait", late.isOpen() && silent.isOpen(), "closed")
          await late.join({ token })
          await trial.control.advance(2)
          const closed = await silent.end()
          trial.chosen("T-20", () =>
            same("the close", closed, { code: outcome.close, reason: outcome.code })
          )
          holds("who joined stays", late.isOpen(), "closed")
        })
      }
    }
  )
})

const joins = () => rowOf("bucket", "limits.joins.address")

const projectJoins = () => rowOf("bucket", "limits.joins.project")

const visits = (doors: Doors): BucketBench<string> => ({
  fresh: async () => freshAddress(),
  ask: (from) => doors.visit("one", from)
})

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
