import { isSuccess } from "../../check/Answers.ts"
import { holds, same } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { rowOf, section, tierC } from "../Section.ts"
import { gigabytes, hourMs, mib, minuteMs, secondMs } from "../Units.ts"
import {
  freeWall,
  newRoomsRefused,
  nothingKilled,
  overshoots,
  ownersCeiling,
  playersPlayOn,
  roomsTakeJoins,
  staleKeepsLast,
  sustainedRate,
  writesRefused
} from "./CapProbes.ts"
import { setCeiling, usedOf, withTimeHeld } from "./MeteredUse.ts"
import { kvAtTheWall } from "./PlayerStore.ts"
import { newCallsRefused } from "./VoiceCalls.ts"

const wall = { status: 402, code: "E_CAP_REACHED" } as const

/** A row about a project whose meters and plan the check sets. */
const capRow = tierC.taking({ probe: ["ws"], hooks: ["meters", "plan"], features: ["caps"] })
const wallRow = capRow.taking({ probe: ["ws", "http"] })
/** A row about what comes some time after a meter has passed its bound. */
const lagRow = tierC.taking({ probe: ["ws"], hooks: ["clock", "meters"], features: ["metering"] })

/** Lines 538 to 542 of the specification: Usage caps. */
export const capStatesSection = section("Limits / Usage caps", {
  "caps.free.wall": wallRow(538, "free without card: hard wall on new work", {
    decisions: ["D-45", "T-101"],
    move: {
      subject: "caps",
      from: "below the cap",
      trigger: "the cap is reached",
      guard: "free, no card",
      to: "hard wall",
      outcome: wall
    },
    check: freeWall
  }),
  "caps.free.nothing-killed": wallRow(538, "nothing is deleted or killed at the wall", {
    check: nothingKilled
  }),
  "caps.card.continues": tierC(539, "card on file: alert and continue", {
    probe: ["ws", "http"],
    hooks: ["meters", "outbox", "plan"],
    features: ["billing", "caps"],
    alsoLines: [314],
    provedBy: "events.cap.email"
  }),
  "caps.owner-ceiling.wall": wallRow(
    540,
    "an owner ceiling is a hard wall with or without a card",
    {
      decisions: ["D-45"],
      move: {
        subject: "caps",
        from: "below the ceiling",
        trigger: "the owner's ceiling is reached",
        to: "hard wall",
        outcome: wall
      },
      check: ownersCeiling
    }
  ),
  "caps.connected-keep-playing": capRow(542, "connected players keep playing and writing", {
    decisions: ["T-101"],
    check: playersPlayOn
  }),
  "caps.existing-rooms-accept-joins": capRow(542, "existing rooms keep running and accept joins", {
    decisions: ["T-101"],
    check: roomsTakeJoins
  }),
  "caps.room-hours.refuses-new-rooms": capRow(542, "only the room-hours cap refuses new rooms", {
    decisions: ["D-45"],
    outcome: wall,
    check: newRoomsRefused
  }),
  "caps.storage.refuses-writes": wallRow(
    542,
    "a storage cap refuses writes; reads and deletes work",
    { decisions: ["D-45"], outcome: wall, check: [writesRefused, kvAtTheWall] }
  ),
  "caps.voice.refuses-new-calls": tierC(542, "a voice wall refuses new calls only", {
    probe: ["ws"],
    hooks: ["meters", "plan"],
    features: ["caps", "voice"],
    decisions: ["D-45"],
    outcome: wall,
    check: newCallsRefused
  }),
  "caps.lag.room-hours": lagRow(542, "room-hours enforcement lags about 95 s", {
    is: { lagMs: 95 * secondMs },
    check: {
      needs: ["fixture"],
      title:
        "95 s after the ceiling of room hours is reached no room starts; before it, and 95 s after it is cleared, rooms start",
      alone: true,
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => withTimeHeld(trial, () => reachesHours(stage, trial)))
    }
  }),
  "caps.lag.storage": lagRow(542, "storage enforcement lags about 17 minutes", {
    is: { lagMs: 17 * minuteMs },
    check: {
      needs: ["fixture", "storage"],
      title: "what a project stores is metered after 17 minutes, and what is deleted no more",
      alone: true,
      timeoutMs: 60_000,
      run: withRooms(metersStorage)
    }
  }),
  "caps.stale-keeps-last": tierC(542, "a server unable to refresh caps keeps its last state", {
    probe: ["ws"],
    hooks: ["meters", "plan", "servers"],
    features: ["caps"],
    check: staleKeepsLast
  }),
  "caps.dataout.close": tierC(
    542,
    "at the data-out allowance sockets close 4290 and rooms hibernate",
    {
      probe: ["ws"],
      hooks: ["meters"],
      features: ["caps"],
      alsoLines: [200, 312],
      sameAs: "state.room.dataout-hibernates"
    }
  ),
  "caps.dataout.overshoot": tierC(
    542,
    "usage may overshoot by up to about 5 GB before forwarding stops",
    {
      probe: ["ws"],
      hooks: ["meters"],
      features: ["metering"],
      boundary: { ...gigabytes(5), outcome: { close: 4290 } },
      check: overshoots
    }
  ),
  "caps.dataout.sustained": tierC(
    542,
    "a separate sustained-rate limit drops messages after ten seconds over it",
    {
      probe: ["ws"],
      hooks: ["clock", "logs"],
      features: ["caps"],
      decisions: ["D-39"],
      alsoLines: [316],
      is: { forMs: 10 * secondMs, bytesPerSecond: 10 * mib },
      check: sustainedRate
    }
  ),
  "caps.hibernated-no-hours": tierC(542, "hibernated rooms accrue no room hours", {
    hooks: ["clock", "metrics"],
    features: ["metering"],
    check: {
      needs: ["fixture"],
      title: "an awake room accrues its hours, one that sleeps none, and one that wakes again more",
      alone: true,
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) =>
        withTimeHeld(trial, () => sleepsUnmetered(stage, trial))
      )
    }
  })
})

const lagOf = (id: string): number => Number(rowOf("statement", id).is?.["lagMs"])

/** So long after a room has been left it sleeps, whatever it is told of its type. */
const asleepMs = minuteMs

async function sleepsUnmetered(stage: RoomStage, trial: Trial): Promise<void> {
  const { control } = trial
  const lagMs = lagOf("caps.lag.room-hours")
  const usedMs = async () => (await usedOf(trial, stage.project, "roomHours")) * hourMs
  const awakeFor = async (ms: number): Promise<void> => {
    const client = await stage.client("timed")
    await control.advance(lagMs)
    const before = await usedMs()
    await control.advance(ms)
    const accrued = (await usedMs()) - before
    holds("what an awake room accrues", Math.abs(accrued - ms) <= lagMs, { accrued, ms })
    await client.leave()
    await control.advance(asleepMs)
    await stage.asleep("timed")
    await control.advance(lagMs)
  }
  await awakeFor(3 * hourMs)
  const slept = await usedMs()
  await control.advance(12 * hourMs)
  same("what is used after half a day of sleep", await usedMs(), slept)
  await awakeFor(hourMs)
}

async function reachesHours(stage: RoomStage, trial: Trial): Promise<void> {
  const { control } = trial
  const lagMs = lagOf("caps.lag.room-hours")
  await setCeiling(trial, stage.project, { meter: "roomHours", ceiling: 1 })
  const client = await stage.client("timed")
  await control.advance(hourMs / 2)
  await (await stage.client("early")).leave()
  await control.advance(hourMs / 2 + lagMs)
  const { code, close } = await refusedJoin(await stage.socket("late"))
  trial.chosen("D-45", () =>
    same("a join that would start a room", { code, close }, { code: wall.code, close: 4402 })
  )
  same("a call of the room that is awake", await client.call("add", { by: 1 }), { value: 1 })
  await setCeiling(trial, stage.project, { meter: "roomHours", ceiling: null })
  await control.advance(lagMs)
  await stage.rejoin("late")
}

async function metersStorage(stage: RoomStage, trial: Trial): Promise<void> {
  const { control } = trial
  const stored = async () =>
    (await control.objects(stage.project.id)).reduce((sum, { bytes }) => sum + bytes, 0)
  const metered = async (): Promise<number> => {
    await control.advance(lagOf("caps.lag.storage"))
    const used = await usedOf(trial, stage.project, "storageBytes")
    same("the bytes that are metered", used, await stored())
    return used
  }
  const empty = await metered()
  await stage.played("kept", 7)
  const full = await metered()
  holds("a room that is stored takes something", full > empty, { empty, full })
  isSuccess(await stage.remove("kept"))
  same("what is left without the room", await metered(), empty)
}
