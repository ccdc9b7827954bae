import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { type KeyDeed, keyMachine, keyModel, type KeyView } from "./KeyModel.ts"
import { linearises } from "./Linearise.ts"
import type { Answer, Subject } from "./Machine.ts"
import { keyRaceScenes, roomRaceScenes } from "./Races.ts"
import { type RoomDeed, roomMachine, roomModel } from "./RoomModel.ts"
import { runRaces } from "./RunRaces.ts"
import { FakeKeys } from "./testing/FakeKeys.ts"
import { FakeRooms } from "./testing/FakeRooms.ts"

/** Each step of a deed comes a moment after the one before it. */
const slowly = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A faulty subject: it reads its rows, waits, and then writes back the rows that it read. */
class ForgetfulKeys implements Subject<KeyDeed, ReadonlyArray<KeyView>> {
  readonly #keys = new FakeKeys("none")
  #rows = new Map<string, KeyView>()

  async perform(deed: KeyDeed): Promise<Answer> {
    const before = new Map(this.#rows)
    const answer = await this.#keys.perform(deed)
    await slowly()
    const changed = (await this.#keys.view()).find(({ label }) => label === deed.label)
    if (changed !== undefined) before.set(deed.label, changed)
    this.#rows = before
    return answer
  }

  async view(): Promise<ReadonlyArray<KeyView>> {
    return [...this.#rows.values()]
  }
}

class SlowKeys extends FakeKeys {
  override async perform(deed: KeyDeed): Promise<Answer> {
    await slowly()
    const answer = await super.perform(deed)
    await slowly()
    return answer
  }
}

/** Sets one field after the other, and is at times slower than at others. */
class PatchyRooms extends FakeRooms {
  #patches = 0

  override async perform(deed: RoomDeed): Promise<Answer> {
    await slowly()
    if (deed.kind !== "patch" || deed.body.public === undefined) return super.perform(deed)
    const { public: listed, ...others } = deed.body
    const answer = await super.perform({ ...deed, body: others })
    const turns = this.#patches++ % 2 === 0 ? 9 : 1
    for (let turn = 0; turn < turns; turn++) await slowly()
    return answer === "ok" ? super.perform({ ...deed, body: { public: listed } }) : answer
  }
}

const roomRace = (start: () => FakeRooms) =>
  runRaces({
    machine: roomMachine,
    tell: roomModel.tell,
    scenes: roomRaceScenes,
    start: async () => start(),
    runs: 800,
    seed: 1,
    limitMs: 10_000
  })

describe("races of rooms", () => {
  it("[rooms.patch.atomic] finds nothing where each deed is one step", async () => {
    expect((await roomRace(() => new FakeRooms("none"))).mismatch).toBeNull()
  })

  it("[rooms.patch.atomic] finds a patch that another one comes into", async () => {
    const { mismatch } = await roomRace(() => new PatchyRooms("none"))
    expect(mismatch?.message).toMatch(/at the same time: .*patch arena/)
  })
})

const race = (start: () => Promise<Subject<KeyDeed, ReadonlyArray<KeyView>>>) =>
  runRaces({
    machine: keyMachine,
    tell: keyModel.tell,
    scenes: keyRaceScenes,
    start,
    runs: 50,
    seed: 1,
    limitMs: 10_000
  })

describe("races of keys", () => {
  it("[state.key.delete-revoked] finds nothing where each deed is one step", async () => {
    expect((await race(async () => new SlowKeys("none"))).mismatch).toBeNull()
  })

  it("[state.key.delete-revoked] finds a change that another one overwrites", async () => {
    const { mismatch } = await race(async () => new ForgetfulKeys())
    expect(mismatch?.message).toContain("at the same time")
  })

  it("[state.key.revoked-401] finds a revocation that does not hold", async () => {
    const { mismatch } = await race(async () => new SlowKeys("a revoked key still works"))
    expect(mismatch?.message).toMatch(/revoke key (\d) -> ok.* with key \1 -> /)
  })
})

describe("linearises", () => {
  const mint: KeyDeed = { kind: "mint", label: "key 1", scopes: ["rooms:read"] }
  const revoke: KeyDeed = { kind: "revoke", label: "key 1" }
  const use: KeyDeed = { kind: "use", label: "key 1", route: "list", place: "own" }
  const at = (deed: KeyDeed, [sentMs, answeredMs]: readonly [number, number], answer = "ok") => ({
    deed,
    answer,
    sentMs,
    answeredMs
  })
  const minted = keyMachine.step([], mint).map(({ state }) => state)
  const view = (used: boolean): ReadonlyArray<KeyView> => [
    { label: "key 1", scopes: ["rooms:read"], revoked: true, used }
  ]

  it("[state.key.revoked-401] deeds that overlap may have happened in either order", () => {
    const happened = [at(revoke, [0, 10]), at(use, [5, 20])]
    expect(linearises(keyMachine, minted, { happened, view: view(true) })).toBe(true)
    const refused = [at(revoke, [0, 10]), at(use, [5, 20], "401 E_UNAUTHENTICATED")]
    expect(linearises(keyMachine, minted, { happened: refused, view: view(false) })).toBe(true)
    expect(linearises(keyMachine, minted, { happened: refused, view: view(true) })).toBe(false)
  })

  it("[state.key.revoked-401] a deed that began after an answer happened after the answered deed", () => {
    const happened = [at(revoke, [0, 10]), at(use, [11, 20])]
    expect(linearises(keyMachine, minted, { happened, view: view(true) })).toBe(false)
    const race = { happened, view: view(true), holdsAfterMs: 1000 }
    expect(linearises(keyMachine, minted, race)).toBe(true)
  })

  it("[state.key.delete-revoked] the final read must fit", () => {
    const happened = [at(use, [0, 10])]
    expect(linearises(keyMachine, minted, { happened, view: view(true) })).toBe(false)
  })

  it("[state.key.delete-revoked] every sequence of deeds without overlap linearises", () => {
    const deeds = fc.array(fc.constantFrom(revoke, use), { maxLength: 6 })
    fc.assert(
      fc.property(deeds, (chosen) => {
        let [state = []] = minted
        const happened = chosen.map((deed, index) => {
          const [outcome] = keyMachine.step(state, deed)
          state = outcome?.state ?? state
          return at(deed, [0, index + 1], outcome?.answer)
        })
        expect(linearises(keyMachine, minted, { happened, view: state })).toBe(true)
      })
    )
  })
})
