import fc from "fast-check"

import { type KeyDeed, keyMachine, keyModel } from "./KeyModel.ts"
import { KeySubject, revocationHoldsAfterMs } from "./KeySubject.ts"
import { raceCheck } from "./RaceCheck.ts"
import { type RoomDeed, roomMachine, roomModel, type RoomPatch } from "./RoomModel.ts"
import { RoomSubject } from "./RoomSubject.ts"
import type { Scene } from "./RunRaces.ts"

const keyDeeds = fc.oneof(
  fc.constant<KeyDeed>({ kind: "revoke", label: "key 1" }),
  fc.constant<KeyDeed>({ kind: "revoke", label: "key 2" }),
  fc.record({
    kind: fc.constant("use" as const),
    label: fc.constantFrom("key 1", "key 2"),
    route: fc.constantFrom("list" as const, "patch" as const),
    place: fc.constant("own" as const)
  })
)

/** Two keys that several revoke and use at the same time. */
export const keyRaceScenes: fc.Arbitrary<Scene<KeyDeed>> = fc.record({
  before: fc.constant<ReadonlyArray<KeyDeed>>([
    { kind: "mint", label: "key 1", scopes: ["rooms:read"] },
    { kind: "mint", label: "key 2", scopes: ["rooms:write"] }
  ]),
  clients: fc.array(fc.array(keyDeeds, { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 3
  })
})

const roomDeeds = fc.oneof(
  fc.constant<RoomDeed>({ kind: "delete", room: "arena", force: false }),
  fc.constant<RoomDeed>({ kind: "delete", room: "arena", force: true }),
  fc.record({
    kind: fc.constant("patch" as const),
    room: fc.constant("arena" as const),
    body: fc.constantFrom<RoomPatch>(
      { retention: "36h", public: true },
      { retention: "30d", public: false },
      { retention: null },
      { public: true }
    )
  })
)

const played: ReadonlyArray<RoomDeed> = [
  { kind: "join", room: "arena" },
  { kind: "add", room: "arena" }
]
const left: ReadonlyArray<RoomDeed> = [...played, { kind: "leave", room: "arena" }]

/** A room that several set and delete at the same time: asleep, or with somebody in it. */
export const roomRaceScenes: fc.Arbitrary<Scene<RoomDeed>> = fc.record({
  before: fc.constantFrom(played, left),
  clients: fc.array(fc.array(roomDeeds, { minLength: 1, maxLength: 2 }), {
    minLength: 2,
    maxLength: 3
  })
})

/** Somebody comes in while the room is deleted or set. */
const joinRaceScenes: fc.Arbitrary<Scene<RoomDeed>> = fc.record({
  before: fc.constant(left),
  clients: fc.tuple(
    fc.constant<ReadonlyArray<RoomDeed>>([{ kind: "join", room: "arena" }]),
    fc.array(roomDeeds, { minLength: 1, maxLength: 2 })
  )
})

export const keysInSomeOrder = raceCheck({
  title: "keys that are used and revoked at the same time are as if it had been in some order",
  machine: keyMachine,
  scenes: keyRaceScenes,
  tell: keyModel.tell,
  start: (trial) => KeySubject.start(trial),
  holdsAfterMs: revocationHoldsAfterMs,
  runs: 25
})

export const roomsInSomeOrder = raceCheck({
  title: "a room that is set and deleted at the same time is as if it had been in some order",
  needs: ["fixture"],
  machine: roomMachine,
  scenes: roomRaceScenes,
  tell: roomModel.tell,
  start: (trial) => RoomSubject.start(trial),
  runs: 8
})

export const joinsInSomeOrder = raceCheck({
  title: "who comes in while a room is deleted finds the room before, or a fresh one",
  needs: ["fixture"],
  machine: roomMachine,
  scenes: joinRaceScenes,
  tell: roomModel.tell,
  start: (trial) => RoomSubject.start(trial),
  runs: 8
})
