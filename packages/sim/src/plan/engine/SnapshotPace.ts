import {
  SnapshotEvent,
  type SnapshotState,
  startedAt,
  step
} from "@atrium/actors/rooms/SnapshotMachine"
import { HourMs } from "@atrium/wire/limits/Limit"

import { Chance } from "./Chance.ts"

/** What makes a room write. */
export interface Writing {
  /** Changes of the state in a second; `Infinity` = it changes all the time. */
  readonly changesHz: number
  readonly durableCallsPerHour: number
}

/** How long the machine is watched for one figure. */
const watchedMs = HourMs
/** Time to store a snapshot. The machine asks for one at a time. */
const storeMs = 5

/**
 * Snapshots that a room takes in an hour: the service's own SnapshotMachine, run in virtual time with
 * changes and durable calls at random moments. The same figures give the same answer.
 */
export const snapshotsPerHour = ({ changesHz, durableCallsPerHour }: Writing): number => {
  if (changesHz === 0 && durableCallsPerHour === 0) return 0
  const chance = new Chance("snapshots")
  const changeGapMs = Number.isFinite(changesHz) ? 1000 / changesHz : 0
  const callGapMs =
    durableCallsPerHour > 0 ? HourMs / durableCallsPerHour : Number.POSITIVE_INFINITY
  const gapMs = (meanMs: number): number =>
    Number.isFinite(meanMs) ? chance.gap() * meanMs : Number.POSITIVE_INFINITY
  let state: SnapshotState = startedAt(0)
  let snapshots = 0
  let timerMs = Number.POSITIVE_INFINITY
  let storedMs = Number.POSITIVE_INFINITY
  let changeMs = gapMs(changeGapMs)
  let callMs = gapMs(callGapMs)
  let saveId = 0
  const happen = (event: SnapshotEvent): void => {
    const [next, actions] = step(state, event)
    state = next
    for (const action of actions) {
      if (action._tag === "ArmTimer") timerMs = action.atMs
      if (action._tag !== "Request") continue
      snapshots += 1
      storedMs = nowMs + storeMs
    }
  }
  let nowMs = 0
  for (;;) {
    // A change while the state is known to have changed says nothing new.
    const nextChangeMs =
      state.changedAtMs === null ? Math.max(changeMs, nowMs) : Number.POSITIVE_INFINITY
    nowMs = Math.min(timerMs, storedMs, nextChangeMs, callMs)
    if (nowMs >= watchedMs) return (snapshots * HourMs) / watchedMs
    if (nowMs === storedMs) {
      storedMs = Number.POSITIVE_INFINITY
      happen(SnapshotEvent.Stored({ requestId: state.underWay?.requestId ?? 0, nowMs }))
    } else if (nowMs === timerMs) {
      timerMs = Number.POSITIVE_INFINITY
      happen(SnapshotEvent.TimerFired({ nowMs }))
    } else if (nowMs === callMs) {
      callMs = nowMs + gapMs(callGapMs)
      happen(
        SnapshotEvent.SaveRequested({ saveId: saveId++, generation: false, wall: null, nowMs })
      )
    } else {
      happen(SnapshotEvent.Changed({ nowMs }))
      changeMs = nowMs + gapMs(changeGapMs)
    }
  }
}
