import { RelayAllowance } from "@atrium/actors/relay/RelayAllowance"
import { step as stepRelay } from "@atrium/actors/relay/RelayMachine"
import { step as stepRoom } from "@atrium/actors/rooms/RoomMachine"
import { RoomAction, type RoomEvent, RoomState, type Step } from "@atrium/actors/rooms/RoomState"
import { SnapshotAction, SnapshotEvent } from "@atrium/actors/rooms/SnapshotMachine"
import { step as stepSnapshot } from "@atrium/actors/rooms/SnapshotMachine"
import { ServerAction, step as stepServer } from "@atrium/actors/servers/ServerMachine"
import {
  makeBucket,
  takeToken,
  type TokenBucket,
  untilTokenMs
} from "@atrium/wire/limits/TokenBucket"
import { Effect } from "effect"

import { clusterMutants } from "./ClusterMutants.ts"
import { gameMutants } from "./GameMutants.ts"
import type { Limiter } from "./Limiters.ts"
import type { Mutant } from "./Mutant.ts"
import { type Parts, rightParts } from "./Parts.ts"
import { type RelayParts, relayParts } from "./Relay.ts"
import { versionMutants } from "./VersionMutants.ts"
import { voiceMutants } from "./VoiceMutants.ts"

const room = (
  rule: string,
  says: string,
  changes: (taken: Step, event: RoomEvent) => Step
): Mutant => ({
  says,
  rule,
  parts: { stepRoom: (before, event) => changes(stepRoom(before, event), event) }
})

const roomMutants: ReadonlyArray<Mutant> = [
  room("answers", "a wake of an awake room is not answered", ([state, actions], event) =>
    event._tag === "WakeAsked" && state._tag === "Awake" ? [state, []] : [state, actions]
  ),
  room("codes", "a room that is not there has the code of a save", ([state, actions]) => [
    state,
    actions.map((action) =>
      action._tag === "Refuse" && action.code === "E_ROOM_NOT_FOUND"
        ? RoomAction.Refuse({ code: "E_SAVE_NOT_FOUND", message: action.message })
        : action
    )
  ]),
  room("settings", "a setting is answered and not stored", ([state, actions]) =>
    actions.some(({ _tag }) => _tag === "SaveSettings")
      ? [state, [RoomAction.AnswerDone()]]
      : [state, actions]
  ),
  {
    ...room("deletion", "a deletion is answered and removes nothing", ([state, actions]) =>
      actions.some(({ _tag }) => _tag === "RemoveState")
        ? [RoomState.Absent(), [RoomAction.AnswerDeleted({ objects: 0 })]]
        : [state, actions]
    ),
    near: [51]
  },
  {
    says: "a room whose server has lost it counts as held",
    rule: "rest",
    parts: {
      stepRoom: (before, event) =>
        stepRoom(before, event._tag === "Revived" ? { ...event, held: true } : event)
    }
  },
  {
    ...room("retention", "the sweep takes every room that sleeps", (taken, event) =>
      event._tag === "SweepAsked" && taken[0]._tag === "Hibernated"
        ? [RoomState.Deleting({ type: taken[0].type, epoch: null }), [RoomAction.ClaimEpoch()]]
        : taken
    ),
    near: [131]
  },
  {
    says: "deaths count for half a minute only",
    rule: "restarts",
    near: [291],
    parts: {
      stepRoom: (before, event) => {
        if (event._tag !== "ProcessExited" || !("restarts" in before))
          return stepRoom(before, event)
        const restarts = before.restarts.filter((atMs) => atMs > event.nowMs - 30_000)
        return stepRoom({ ...before, restarts }, event)
      }
    }
  },
  {
    says: "the fourth death closes a room",
    rule: "restarts",
    near: [79],
    parts: {
      stepRoom: (before, event) =>
        event._tag === "ProcessExited" && "restarts" in before
          ? stepRoom({ ...before, restarts: before.restarts.slice(1) }, event)
          : stepRoom(before, event)
    }
  },
  {
    says: "the end of a process that rooms share counts for each of them",
    near: [499],
    rule: "restarts",
    parts: {
      stepRoom: (before, event) => {
        if (event._tag !== "ProcessExited") return stepRoom(before, event)
        const { shared: _, ...counted } = event
        return stepRoom(before, counted)
      }
    }
  }
]

const serverMutants: ReadonlyArray<Mutant> = [
  {
    says: "a server takes one room more than fits",
    rule: "budget",
    parts: {
      stepServer: (before, event) => {
        const taken = stepServer(before, event)
        const full = taken[1].some(({ _tag }) => _tag === "RefuseFull" || _tag === "RefuseFree")
        if (!full || event._tag !== "AdmitAsked") return taken
        const place = { ...event, slot: before.places.length, cost: 6 }
        return [{ ...before, places: [...before.places, place] }, [ServerAction.Admit({ place })]]
      }
    }
  },
  {
    says: "the free plan has as many rooms as others",
    rule: "budget",
    parts: {
      stepServer: (before, event) =>
        stepServer(
          before,
          event._tag === "AdmitAsked"
            ? { ...event, terms: { ...event.terms, plan: "card" } }
            : event
        )
    }
  },
  {
    says: "a place stays when its room goes",
    rule: "rest",
    parts: {
      stepServer: (before, event) =>
        event._tag === "RoomGone" ? [before, []] : stepServer(before, event)
    }
  },
  {
    says: "a slot is given twice",
    rule: "budget",
    parts: {
      stepServer: (before, event) => {
        const [next, actions] = stepServer(before, event)
        return [{ ...next, places: next.places.map((place) => ({ ...place, slot: 0 })) }, actions]
      }
    }
  }
]

const storageMutants: ReadonlyArray<Mutant> = [
  {
    says: "every other epoch is the one before",
    rule: "epoch",
    parts: { nextEpoch: (last) => last + ((last + 1) % 2) }
  },
  {
    says: "the fence lets everybody through",
    rule: "fence",
    near: [43],
    parts: { fence: false }
  },
  {
    says: "a durable call is answered before its state is stored",
    rule: "durability",
    parts: {
      stepSnapshot: (before, event) => {
        const [next, actions] = stepSnapshot(before, event)
        if (event._tag !== "SaveRequested") return [next, actions]
        return [
          next,
          [SnapshotAction.Answer({ saveId: event.saveId, stored: true, wall: null }), ...actions]
        ]
      }
    }
  },
  {
    says: "a state that could not be stored counts as stored",
    near: [930],
    rule: "durability",
    parts: {
      stepSnapshot: (before, event) =>
        stepSnapshot(
          before,
          event._tag === "StoreFailed" ? SnapshotEvent.Stored({ ...event }) : event
        )
    }
  }
]

/** A bucket that counts each millisecond twice when it is looked at. */
const generous = (limit: Parameters<Parts["makeLimiter"]>[0]): Limiter => {
  const buckets = new Map<string, TokenBucket>()
  const of = (subject: string, nowMs: number): TokenBucket => {
    const bucket = buckets.get(subject) ?? makeBucket(limit, nowMs)
    buckets.set(subject, bucket)
    return bucket
  }
  const takeTwice = (bucket: TokenBucket, nowMs: number): boolean => {
    const { countedAtMs } = bucket
    if (bucket.tokens < limit.burst) {
      takeToken(bucket, { ...limit, burst: limit.burst + 1 }, nowMs)
      bucket.tokens++
      bucket.countedAtMs = countedAtMs
    }
    return takeToken(bucket, limit, nowMs)
  }
  return {
    take: (subject, nowMs) =>
      takeTwice(of(subject, nowMs), nowMs) ? 0 : untilTokenMs(of(subject, nowMs), limit),
    look: (subject, nowMs) => untilTokenMs(of(subject, nowMs), limit),
    giveBack: (subject) => {
      const bucket = buckets.get(subject)
      if (bucket !== undefined && bucket.tokens < limit.burst) bucket.tokens++
    }
  }
}

/** Answers a request in the name of the owner. */
const grantsUnasked: RelayParts["step"] = (state, event) => {
  const [next, actions] = stepRelay(state, event)
  const asked = actions.find((action) => action._tag === "AskOwner")
  if (event._tag !== "OwnershipRequested" || asked === undefined) return [next, actions]
  const { to: from, request } = asked
  return stepRelay(next, { _tag: "OwnershipAnswered", from, request, granted: true })
}

const waitsLonger: RelayParts["step"] = (state, event) =>
  stepRelay(state, event._tag === "TimePassed" ? { ...event, nowMs: event.nowMs - 1 } : event)

class CountsFrames extends RelayAllowance {
  override takeOps(_count: number, nowMs: number): boolean {
    return super.takeOps(1, nowMs)
  }
}

const relayMutant = (says: string, changed: Partial<RelayParts>): Mutant => ({
  says,
  rule: "relay",
  parts: { relay: { ...relayParts, ...changed } }
})

const relayMutants: ReadonlyArray<Mutant> = [
  relayMutant("a record is granted unasked", { step: grantsUnasked }),
  { ...relayMutant("a request waits a millisecond longer", { step: waitsLonger }), near: [67] },
  relayMutant("a frame counts as one op", { makeAllowance: (client) => new CountsFrames(client) })
]

const meterMutants: ReadonlyArray<Mutant> = [
  {
    says: "a report counts each time that it is sent",
    rule: "meters",
    parts: {
      meters: (store) => {
        let sent = 0
        return {
          ...store,
          take: (report) => store.take({ ...report, run: `${report.run}/${sent++}`, sequence: 1 })
        }
      }
    }
  },
  {
    says: "a report that the store did not take is forgotten",
    rule: "meters",
    parts: {
      meters: (store) => ({
        ...store,
        take: (report) => Effect.catchCause(store.take(report), () => Effect.void)
      })
    }
  },
  {
    says: "a runner counts rooms that it has lost",
    rule: "meters",
    parts: {
      counts: (counts) => {
        const began = counts.began.bind(counts)
        counts.began = (metered, nowMs) =>
          began(Object.assign(metered, { lapsed: () => false }), nowMs)
        return counts
      }
    }
  },
  {
    says: "a runner reports once a minute",
    rule: "meters",
    parts: {
      counts: (counts) => {
        const look = counts.look.bind(counts)
        let looks = 0
        counts.look = (nowMs) => (looks++ % 12 === 11 ? look(nowMs) : [])
        return counts
      }
    }
  }
]

export const mutants: ReadonlyArray<Mutant> = [
  ...roomMutants,
  ...serverMutants,
  ...storageMutants,
  ...clusterMutants,
  ...relayMutants,
  ...meterMutants,
  ...gameMutants,
  ...versionMutants,
  ...voiceMutants,
  { says: "a limiter fills twice as fast", rule: "limiter", parts: { makeLimiter: generous } }
]

export const partsOf = ({ parts }: Mutant): Parts => ({ ...rightParts, ...parts })
