import fc from "fast-check"
import { expect } from "vitest"

import { makeRoomState, type RoomState } from "../../codec/RoomState.ts"
import { makeStateView, type StateView } from "../../codec/StateView.ts"
import { historyOf, type Step, takeStep } from "../../codec/testing/History.ts"
import { describe as describeSchema } from "../../schema/Describe.ts"
import { fromDescriptor } from "../../schema/FromDescriptor.ts"
import type { AnyRoomSchema } from "../../schema/RoomSchema.ts"
import type { Viewer } from "../Asker.ts"
import { StateViews } from "../StateViews.ts"
import type { ReadableState, ShapeRules } from "../ViewRule.ts"
import { Person, rulePlans, rulesOf, type ShapePlan } from "./RandomRules.ts"
import { referenceView } from "./ReferenceView.ts"

const act = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ kind: "nothing" } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("enter" as const), isNobody: fc.nat({ max: 4 }) })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), pick: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("mood" as const),
      pick: fc.nat(),
      mood: fc.nat({ max: 3 })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("outside" as const),
      value: fc.nat({ max: 3 }),
      how: fc.constantFrom("all", "viewers", "records")
    })
  }
)

type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

/** All that decides what happens to a state and to those who see it. */
export interface Script {
  readonly all: AnyRoomSchema
  readonly history: ReadonlyArray<Step>
  readonly acts: ReadonlyArray<Act>
  readonly plans: ReadonlyArray<ShapePlan | null>
  /** How many of the last singletons and collections no client knows of. */
  readonly hidden: { readonly singletons: number; readonly collections: number }
}

const Steps = 60

export const scriptOf = (schema: fc.Arbitrary<AnyRoomSchema>): fc.Arbitrary<Script> =>
  schema.chain((all) =>
    fc.record({
      all: fc.constant(all),
      history: historyOf(all),
      acts: fc.array(act, { minLength: Steps, maxLength: Steps }),
      plans: rulePlans(all.singletons.list.length + all.collections.list.length),
      hidden: fc.record({ singletons: fc.nat({ max: 1 }), collections: fc.nat({ max: 1 }) })
    })
  )

interface Spectator {
  /** `null` = sees what everybody sees. */
  readonly who: Person | null
  readonly viewer: Viewer<Person>
  readonly copy: StateView<AnyRoomSchema>
}

/** Plays a script, and compares what every viewer has with the reference after each flush. */
export class ViewScene {
  deltas = 0
  /** Deltas that several viewers got. */
  shared = 0
  readonly #script: Script
  readonly #shown: AnyRoomSchema
  readonly #rules: ReadonlyMap<string, ShapeRules<Person>>
  readonly #outside = { value: 0 }
  readonly #room: RoomState<AnyRoomSchema>
  readonly #plain: ReadableState
  readonly #views: StateViews<Person>
  readonly #spectators: Array<Spectator> = []
  readonly #people: Array<Person> = []
  readonly #sent: (bytes: Uint8Array, expected: () => string) => void

  /** @param sent hears of all bytes that a viewer gets, and of the state that it sees then */
  constructor(
    script: Script,
    sent: (bytes: Uint8Array, expected: () => string) => void = () => {}
  ) {
    const { all, plans } = script
    this.#script = script
    this.#sent = sent
    this.#shown = withoutLast(script)
    this.#rules = rulesOf(plans, this.#shown, { all, outside: this.#outside })
    this.#room = makeRoomState<AnyRoomSchema>(all, { shown: this.#shown })
    this.#plain = { state: this.#part(true), hidden: this.#part(false) }
    this.#views = new StateViews<Person>(this.#room, this.#rules, {
      failed: () => {},
      viewerReads: () => this.#people.reduce((sum, { reads }) => sum + reads, 0)
    })
  }

  play(): void {
    const { history, acts } = this.#script
    for (const [at, next] of acts.entries()) {
      const step = history[at]
      if (step !== undefined) takeStep(this.#room, step)
      this.#act(next)
      if (step?.kind === "flush" || at % 4 === 3) this.#flush()
    }
  }

  #part(isShown: boolean): Readonly<Record<string, object>> {
    const shown = namesOf(this.#shown)
    const names = namesOf(this.#script.all).filter((name) => shown.includes(name) === isShown)
    return Object.fromEntries(
      names.map((name) => [name, Object(Reflect.get(this.#room.state, name))])
    )
  }

  #act(next: Act): void {
    switch (next.kind) {
      case "nothing":
        return
      case "enter":
        return this.#enter(next.isNobody === 0)
      case "leave": {
        const at = next.pick % Math.max(1, this.#spectators.length)
        for (const { viewer } of this.#spectators.splice(at, 1)) this.#views.leave(viewer)
        return
      }
      case "mood": {
        const one = this.#spectators[next.pick % Math.max(1, this.#spectators.length)]
        if (one === undefined || one.who === null) return
        one.who.mood = next.mood
        return this.#views.viewerChanged(one.viewer)
      }
      case "outside":
        this.#outside.value = next.value
        return this.#refresh(next.how)
    }
  }

  #refresh(how: string): void {
    if (how === "all") return this.#views.refresh()
    if (how === "viewers") {
      for (const { viewer } of this.#spectators) this.#views.refreshViewer(viewer)
      return
    }
    for (const part of Object.values(this.#plain.state)) {
      // Every record of the state; a singleton is its own.
      const records = Symbol.iterator in part ? [...(part as Iterable<object>)] : [part]
      for (const record of records) this.#views.refreshRecord(record)
    }
  }

  #enter(isNobody: boolean): void {
    this.#flush()
    const who = isNobody ? null : new Person(`v${this.#people.length}`)
    if (who !== null) this.#people.push(who)
    const viewer = this.#views.enter(who)
    const copy = makeStateView<AnyRoomSchema>(this.#shown)
    const full = this.#views.encodeFull(viewer)
    copy.applyFull(full)
    this.#sent(full, () => this.#expected(who))
    const twin = this.#spectators.find((other) => other.viewer === this.#views.twinOf(viewer))
    if (twin !== undefined) demandSame(copy.encodeFull(), twin.copy.encodeFull())
    this.#spectators.push({ who, viewer, copy })
    this.#flush()
  }

  #expected(who: Person | null): string {
    return JSON.stringify(
      referenceView(this.#plain, who, { shown: this.#shown, rules: this.#rules })
    )
  }

  #flush(): void {
    for (const { viewers, delta } of this.#views.flush()) {
      if (delta.length === 0) throw new Error("a delta says nothing")
      this.deltas += 1
      if (viewers.length > 1) this.shared += 1
      for (const { copy, viewer, who } of this.#spectators) {
        if (!viewers.includes(viewer)) continue
        copy.applyDelta(delta)
        this.#sent(delta, () => this.#expected(who))
      }
    }
    demandSame(this.#room.dirty || this.#views.due, false)
    for (const { who, viewer, copy } of this.#spectators) {
      demandSame(JSON.stringify(copy.state), this.#expected(who))
      demandSame(copy.encodeFull(), this.#views.encodeFull(viewer))
    }
  }
}

const demandSame = (found: unknown, wanted: unknown): void => expect(found).toEqual(wanted)

const namesOf = (schema: AnyRoomSchema): ReadonlyArray<string> => [
  ...schema.singletons.byName.keys(),
  ...schema.collections.byName.keys()
]

const withoutLast = ({ all, hidden }: Script): AnyRoomSchema => {
  const { singletons, entities, ...rest } = describeSchema(all)
  return fromDescriptor({
    ...rest,
    singletons: singletons.slice(0, Math.max(0, singletons.length - hidden.singletons)),
    // The first one stays: others refer to it.
    entities: entities.slice(0, Math.max(1, entities.length - hidden.collections))
  })
}
