import { section, tierC } from "../Section.ts"
import { secondMs, minuteMs, gigabytes } from "../Units.ts"

const wall = { status: 402, code: "E_CAP_REACHED" } as const

/** A row about a project whose meters and plan the check sets. */
const capRow = tierC.taking({ probe: ["ws"], hooks: ["meters", "plan"], features: ["metering"] })
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
    }
  }),
  "caps.free.nothing-killed": wallRow(538, "nothing is deleted or killed at the wall"),
  "caps.card.continues": tierC(539, "card on file: alert and continue", {
    probe: ["ws", "http"],
    hooks: ["meters", "outbox", "plan"],
    features: ["metering"],
    alsoLines: [314]
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
      }
    }
  ),
  "caps.connected-keep-playing": capRow(542, "connected players keep playing and writing", {
    decisions: ["T-101"]
  }),
  "caps.existing-rooms-accept-joins": capRow(542, "existing rooms keep running and accept joins", {
    decisions: ["T-101"]
  }),
  "caps.room-hours.refuses-new-rooms": capRow(542, "only the room-hours cap refuses new rooms", {
    decisions: ["D-45"],
    outcome: wall
  }),
  "caps.storage.refuses-writes": wallRow(
    542,
    "a storage cap refuses writes; reads and deletes work",
    { decisions: ["D-45"], outcome: wall }
  ),
  "caps.voice.refuses-new-calls": tierC(542, "a voice wall refuses new calls only", {
    probe: ["ws"],
    hooks: ["meters", "plan"],
    features: ["metering", "voice"],
    decisions: ["D-45"],
    outcome: wall
  }),
  "caps.lag.room-hours": lagRow(542, "room-hours enforcement lags about 95 s", {
    is: { lagMs: 95 * secondMs }
  }),
  "caps.lag.storage": lagRow(542, "storage enforcement lags about 17 minutes", {
    is: { lagMs: 17 * minuteMs }
  }),
  "caps.stale-keeps-last": tierC(542, "a server unable to refresh caps keeps its last state", {
    probe: ["ws"],
    hooks: ["meters", "servers"],
    features: ["metering"]
  }),
  "caps.dataout.close": tierC(
    542,
    "at the data-out allowance sockets close 4290 and rooms hibernate",
    {
      probe: ["ws"],
      hooks: ["meters"],
      features: ["metering"],
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
      boundary: { ...gigabytes(5), outcome: { close: 4290 } }
    }
  ),
  "caps.dataout.sustained": lagRow(
    542,
    "a separate sustained-rate limit drops messages after ten seconds over it",
    { decisions: ["D-39"], alsoLines: [316], is: { forMs: 10 * secondMs } }
  ),
  "caps.hibernated-no-hours": tierC(542, "hibernated rooms accrue no room hours", {
    hooks: ["clock", "metrics"],
    features: ["metering"]
  })
})
