import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import fc from "fast-check"
import { expect, test } from "vitest"

import { type SnapshotAction, SnapshotEvent, startedAt, step } from "./SnapshotMachine.ts"

const every = RoomLimits.snapshotEvery.ms
const generationEvery = RoomLimits.generationEvery.ms
const gather = RoomLimits.savesEvery.ms
const start = 1_000_000

/** What happens to a room, between spans of waiting. */
type Doing =
  | { readonly does: "change" }
  | { readonly does: "save"; readonly generation: boolean }
  | { readonly does: "wait"; readonly ms: number }

interface Ask {
  readonly requestId: number
  readonly final: boolean
  readonly cause: string
  readonly generation: string | null
  readonly atMs: number
  endedAtMs: number
  stored: boolean
}

/** A process and a store of virtual time around the machine; it notes what must not happen. */
class World {
  #state = startedAt(start)
  nowMs = start
  #timerAtMs: number | null = null
  #underWay: Ask | null = null
  readonly asks: Array<Ask> = []
  readonly answered = new Map<number, { stored: boolean; byRequest: number }>()
  readonly savedAfter = new Map<number, number>()
  readonly savedAtMs = new Map<number, number>()
  readonly changes: Array<{ atMs: number; after: number }> = []
  readonly #delaysMs: ReadonlyArray<number>
  readonly #works: ReadonlyArray<boolean>
  drainEnded: boolean | null = null
  /** What must never happen at any step, and did. */
  readonly broken: Array<string> = []

  constructor(delaysMs: ReadonlyArray<number>, works: ReadonlyArray<boolean>) {
    this.#delaysMs = delaysMs
    this.#works = works
  }

  happens(event: SnapshotEvent): void {
    const byRequest = "requestId" in event ? event.requestId : 0
    const [next, actions] = step(this.#state, event)
    this.#state = next
    for (const action of actions) this.#perform(action, byRequest)
  }

  #perform(action: SnapshotAction, byRequest: number): void {
    switch (action._tag) {
      case "Request": {
        if (this.#underWay !== null) this.broken.push("two requests at once")
        if (this.drainEnded !== null) this.broken.push("a request after the drain")
        const delayMs = this.#delaysMs[this.asks.length % this.#delaysMs.length] ?? 0
        const works = this.#works[this.asks.length % this.#works.length] ?? true
        const { requestId, final, cause, generation } = action
        this.#underWay = {
          requestId,
          final,
          cause,
          generation,
          atMs: this.nowMs,
          endedAtMs: this.nowMs + delayMs,
          stored: works
        }
        this.asks.push(this.#underWay)
        return
      }
      case "ArmTimer":
        this.#timerAtMs = action.atMs
        return
      case "Answer":
        if (this.answered.has(action.saveId)) this.broken.push("a save was answered twice")
        this.answered.set(action.saveId, { stored: action.stored, byRequest })
        return
      case "DrainEnded":
        if (this.drainEnded !== null) this.broken.push("a drain ended twice")
        this.drainEnded = action.stored
    }
  }

  wait(ms: number): void {
    const untilMs = this.nowMs + ms
    for (;;) {
      const ask = this.#underWay
      const next = Math.min(ask?.endedAtMs ?? Infinity, this.#timerAtMs ?? Infinity)
      if (next > untilMs) break
      this.nowMs = Math.max(this.nowMs, next)
      const at = { nowMs: this.nowMs }
      if (ask?.endedAtMs === next) {
        this.#underWay = null
        const { requestId } = ask
        this.happens(
          ask.stored
            ? SnapshotEvent.Stored({ requestId, ...at })
            : SnapshotEvent.StoreFailed({ requestId, ...at })
        )
      } else {
        this.#timerAtMs = null
        this.happens(SnapshotEvent.TimerFired(at))
      }
    }
    this.nowMs = untilMs
  }

  do(doing: Doing): void {
    const nowMs = this.nowMs
    switch (doing.does) {
      case "wait":
        return this.wait(doing.ms)
      case "change":
        this.changes.push({ atMs: nowMs, after: this.asks.length })
        return this.happens(SnapshotEvent.Changed({ nowMs }))
      case "save": {
        const saveId = this.savedAfter.size
        this.savedAfter.set(saveId, this.asks.length)
        this.savedAtMs.set(saveId, nowMs)
        const { generation } = doing
        return this.happens(SnapshotEvent.SaveRequested({ saveId, generation, wall: null, nowMs }))
      }
    }
  }
}

const doings = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Doing>({ does: "change" }) },
    fc.boolean().map((generation): Doing => ({ does: "save", generation })),
    {
      weight: 3,
      arbitrary: fc
        .oneof(
          fc.nat(12_000),
          fc.constantFrom(1, gather, gather - 1, every, 60_000, generationEvery)
        )
        .map((ms): Doing => ({ does: "wait", ms }))
    }
  ),
  { maxLength: 60 }
)
const anyWorld = fc.record({
  doings,
  delaysMs: fc.array(fc.oneof(fc.constant(0), fc.nat(15_000)), { minLength: 1 }),
  works: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) }
    ),
    { minLength: 1 }
  ),
  drains: fc.boolean()
})

/** Lives through it, then lets every timer fire and every request end. */
const law = (rule: string, says: string, holds: (world: World, drains: boolean) => void): void => {
  test(`[${rule}] ${says}`, () => {
    fc.assert(
      fc.property(anyWorld, ({ doings: done, delaysMs, works, drains }) => {
        const world = new World(delaysMs, works)
        for (const doing of done) world.do(doing)
        if (drains) {
          world.happens(SnapshotEvent.DrainAsked({ nowMs: world.nowMs }))
          world.do({ does: "change" })
          world.do({ does: "save", generation: true })
        }
        world.wait(60_000)
        if (drains) {
          world.do({ does: "save", generation: true })
          world.do({ does: "change" })
          world.wait(60_000)
        }
        holds(world, drains)
      }),
      { numRuns: 300 }
    )
  })
}

/** The end of the last request before this moment; the room's start counts as one. */
const lastEndMs = (asks: ReadonlyArray<Ask>, index: number): number =>
  index === 0 ? start : (asks[index - 1]?.endedAtMs ?? start)

law("D-48", "one request at a time, one answer per save, one end", ({ broken }) => {
  expect(broken).toEqual([])
})

law("D-48", "a change is asked for within 10 s of the last storage", (world, drains) => {
  const finalIndex = world.asks.findIndex(({ final }) => final)
  for (const { atMs, after: index } of world.changes) {
    // What changes after the final snapshot has no snapshot to come.
    if (drains && index > finalIndex) continue
    const ask = world.asks[index]
    expect(ask?.atMs).toBeLessThanOrEqual(Math.max(atMs, lastEndMs(world.asks, index) + every))
  }
})

law("D-48", "without a save or a drain, requests are 10 s apart", ({ asks, savedAfter }) => {
  const bySaves = new Set(savedAfter.values())
  asks.forEach(({ atMs, final }, index) => {
    if (final || bySaves.has(index)) return
    expect(atMs - lastEndMs(asks, index)).toBeGreaterThanOrEqual(every)
  })
})

law(
  "D-48",
  "every save is answered once, by a snapshot asked for after it",
  ({ asks, answered, savedAfter }) => {
    expect(answered.size).toBe(savedAfter.size)
    for (const [saveId, index] of savedAfter) {
      const answer = answered.get(saveId)
      const ask = asks[index]
      if (answer?.stored !== true) continue
      expect(ask?.requestId).toBe(answer.byRequest)
      expect(ask?.stored).toBe(true)
    }
  }
)

law("C-55", "saves are stored in groups, with the window between them", ({ asks, savedAfter }) => {
  const answering = new Set(savedAfter.values())
  let lastMs = -Infinity
  asks.forEach(({ atMs, endedAtMs, final, cause }, index) => {
    if (!answering.has(index)) return
    // A change that is due, and a drain, wait for nothing.
    const since = asks[index - 1]?.endedAtMs ?? start
    if (!final && atMs < since + every) expect(atMs - lastMs).toBeGreaterThanOrEqual(gather)
    expect(["durable", "save", "hibernate"]).toContain(cause)
    lastMs = endedAtMs
  })
})

law("C-55", "a save is asked for within the window, or as the request before it ends", (world) => {
  for (const [saveId, index] of world.savedAfter) {
    const ask = world.asks[index]
    if (ask === undefined) continue
    const freeMs = Math.max(world.savedAtMs.get(saveId) ?? 0, lastEndMs(world.asks, index))
    expect(ask.atMs).toBeLessThanOrEqual(freeMs + gather)
  }
})

law("D-48", "a save is refused only when its snapshot failed or none could come", (world) => {
  for (const [saveId, index] of world.savedAfter) {
    if (world.answered.get(saveId)?.stored === true) continue
    expect(world.asks[index]?.stored ?? false).toBe(false)
  }
})

law(
  "D-48",
  "generations: hibernate at the drain, interval at most every 10 minutes",
  ({ asks }) => {
    let lastMs = start
    for (const { final, generation, atMs, endedAtMs, stored: isStored } of asks) {
      expect(generation === "hibernate").toBe(final)
      const dueMs = lastMs + generationEvery
      if (generation === "interval") expect(atMs).toBeGreaterThanOrEqual(dueMs)
      if (generation === null) expect(atMs).toBeLessThan(dueMs)
      if (generation !== null && isStored) lastMs = endedAtMs
    }
  }
)

law("D-48", "a failed snapshot is tried again within 10 s", ({ asks, nowMs, drainEnded }) => {
  asks.forEach(({ stored: isStored, final, endedAtMs }, index) => {
    if (isStored || final) return
    const again = asks[index + 1]
    if (again !== undefined) expect(again.atMs).toBeLessThanOrEqual(endedAtMs + every)
    else if (drainEnded === null) expect(nowMs).toBeLessThan(endedAtMs + every)
  })
})

law("D-48", "a drain ends once, with its own snapshot, and nothing follows", (world, drains) => {
  expect(world.asks.filter(({ final }) => final)).toHaveLength(drains ? 1 : 0)
  expect(world.drainEnded).toBe(drains ? (world.asks.at(-1)?.stored ?? null) : null)
})
