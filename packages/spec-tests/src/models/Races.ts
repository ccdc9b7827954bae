import fc from "fast-check"

import type { Check } from "../check/Check.ts"
import { type KeyDeed, keyMachine, keyModel } from "./KeyModel.ts"
import { KeySubject, revocationHoldsAfterMs } from "./KeySubject.ts"
import { raceCheck } from "./RaceCheck.ts"
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
    ...{ minLength: 2, maxLength: 3 }
  })
})

/** Things done at the same time: some order must explain all answers and what is read at the end. */
export const raceChecks: ReadonlyArray<Check> = [
  raceCheck({
    ids: ["state.key.delete-revoked", "state.key.revoked-401"],
    title: "keys that are used and revoked at the same time are as if it had been in some order",
    machine: keyMachine,
    scenes: keyRaceScenes,
    tell: keyModel.tell,
    start: (trial) => KeySubject.start(trial),
    holdsAfterMs: revocationHoldsAfterMs,
    runs: 25
  })
]
