import { same, holds } from "../../check/Expect.ts"
import { burstCheck } from "../../families/Bucket.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { isTaken, isRefusedAs } from "../../families/Outcome.ts"
import { freshAddress } from "../../trial/Addresses.ts"
import { roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { waking, limited } from "../Literals.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { connectionRow } from "../RowKinds.ts"
import { section, tierC, rowOf } from "../Section.ts"
import { atMost, minuteMs } from "../Units.ts"
import { lightDoorsOf, manyConnections, countUntil } from "./Doors.ts"
import { roomsPerServer, wakeRooms } from "./ServerRooms.ts"

/** Lines 396 to 397 of the specification: Connection and room limits, rooms that are awake, and new ones. */
export const awakeAndNewRoomsSection = section(roomLimitsHeading, {
  "limits.free.awake": tierC(396, "free plan: 10 rooms awake at once per server", {
    probe: ["ws"],
    hooks: ["fixture", "plan"],
    features: ["budget.free"],
    decisions: ["D-46", "T-42"],
    boundary: { ...atMost(10, "count"), outcome: waking },
    check: [
      {
        name: "standard",
        needs: ["servers"],
        timeoutMs: 90_000,
        title: "the free plan has 10 rooms awake on one server; one that sleeps leaves its place",
        run: async (trial) => {
          const { accept } = rowOf("boundary", "limits.free.awake")
          const stage = await onFreePlan(trial, { type: "probe", rooms: accept })
          const again = await stage.client("probe-0")
          same("who joins a room that is awake", await again.call("add", { by: 1 }), { value: 1 })
          await stage.remove("probe-1", "?force=true")
          await stage.client("one-more")
          same("in the place of another", await roomsPerServer(trial, stage), [accept])
        }
      },
      {
        name: "xlarge",
        needs: ["servers"],
        timeoutMs: 60_000,
        title: "the free plan has no more rooms of a class than one server holds",
        run: async (trial) => {
          const { accept } = rowOf("boundary", "budget.xlarge.awake")
          await onFreePlan(trial, { type: "xlarge", rooms: accept })
        }
      }
    ]
  }),
  "limits.newrooms.count": connectionRow(
    397,
    "60 new rooms per address per minute per server, E_RATE_LIMITED",
    {
      decisions: ["D-35"],
      bucket: {
        endpoint: "new rooms",
        key: "address",
        rate: 60,
        perMs: minuteMs,
        burst: 60,
        outcome: limited
      },
      check: {
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
      }
    }
  ),
  "limits.newrooms.in-memory-free": connectionRow(
    397,
    "joining a room already in memory is not counted",
    {
      check: {
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
    }
  ),
  "limits.newrooms.wake-counts": connectionRow(397, "waking a hibernated room counts", {
    provedBy: "limits.newrooms.in-memory-free"
  })
})

/** A project on the free plan, and the refusal of one room more than it may have awake. */
const onFreePlan = async (
  trial: Trial,
  most: { readonly type: string; readonly rooms: number }
) => {
  const stage = await roomStage(trial)
  await trial.control.plan(stage.project.id, "free")
  await wakeRooms(stage, most.type, most.rooms)
  const refusal = await refusedJoin(await stage.socket("one-more"), { type: most.type })
  const { outcome } = rowOf("boundary", "limits.free.awake")
  trial.chosen("D-46", () => {
    same("the code", refusal.code, outcome.code)
    same("the close code", refusal.close, outcome.close)
  })
  same("rooms of each server", await roomsPerServer(trial, stage), [most.rooms])
  return stage
}

const newRooms = () => rowOf("bucket", "limits.newrooms.count")
