import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Orders } from "@atrium/runtime/host/HostOrders"
import { decodeSnapshotFile } from "@atrium/runtime/room/SnapshotFile"
import { settle, TestRoom } from "@atrium/runtime/testing/TestRoom"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { defineSchema, s } from "@atrium/wire/schema"
import fc from "fast-check"
import { expect, test } from "vitest"

import { type SnapshotAction, SnapshotEvent, startedAt, step } from "./SnapshotMachine.ts"

// The room's runtime and the machine, and what may happen between them: frames cross each other, the store is slow or
// fails.

const ledger = defineSchema({
  type: "ledger",
  singletons: { sum: { entries: s.u32() } },
  rpc: { client: { enter: { returns: { entries: s.u32() }, durable: true }, save: {} } }
})

/** One thing that happens next; what cannot happen now does not. */
type Next =
  | "call"
  | "save"
  | "toRoom"
  | "toService"
  | "stored"
  | "failed"
  | "timer"
  | "wait"
  | "tick"

interface Storing {
  readonly requestId: number
  readonly entries: number
}

class World {
  readonly #room = new TestRoom(ledger, {
    rpc: {
      enter: (room) => ({ entries: ++room.state.sum.entries }),
      save: (room) => room.save()
    }
  })
  #machine = startedAt(0)
  #nowMs = 0
  #timerAtMs: number | null = null
  readonly #toRoom: Array<Uint8Array> = []
  readonly #toService: Array<() => void> = []
  #storing: Storing | null = null
  /** The entries that the store would give now. */
  #storedEntries = 0
  failures = 0
  /** Snapshots that were asked for. */
  requests = 0
  #lastId = 0
  /** Failures so far, by call that waits. */
  readonly waiting = new Map<number, number>()
  readonly answers: Array<{ readonly entries: number | null; readonly stored: number }> = []
  readonly broken: Array<string> = []

  constructor() {
    this.#room.joined(1)
  }

  async happens(next: Next): Promise<void> {
    switch (next) {
      case "call":
      case "save":
        this.waiting.set(++this.#lastId, this.failures)
        this.#room.rpc(1, { id: this.#lastId, name: next === "call" ? "enter" : "save", args: {} })
        break
      case "toRoom":
        this.#deliverToRoom()
        break
      case "toService":
        this.#toService.shift()?.()
        break
      case "stored":
      case "failed":
        this.#endStoring(next === "stored")
        break
      case "timer":
        this.#pass((this.#timerAtMs ?? this.#nowMs) - this.#nowMs)
        break
      case "wait":
        this.#pass(40)
        break
      case "tick":
        this.#pass(1)
    }
    await settle()
    this.#readReports()
  }

  #pass(ms: number): void {
    this.#nowMs += ms
    if (this.#timerAtMs === null || this.#timerAtMs > this.#nowMs) return
    this.#timerAtMs = null
    this.#machineHears(SnapshotEvent.TimerFired({ nowMs: this.#nowMs }))
  }

  get storing(): boolean {
    return this.#storing !== null
  }

  /** Lets everything end that has begun. */
  async rest(): Promise<void> {
    for (let round = 0; round < 1000 && this.waiting.size > 0; round++) {
      for (const next of ["toRoom", "toService", "stored", "timer"] as const) {
        await this.happens(next)
      }
    }
  }

  #machineHears(event: SnapshotEvent): void {
    const [next, actions] = step(this.#machine, event)
    this.#machine = next
    for (const action of actions) this.#perform(action)
  }

  #perform(action: SnapshotAction): void {
    switch (action._tag) {
      case "Request":
        this.requests++
        this.#toRoom.push(Orders.takeSnapshot(action.requestId, action.final))
        return
      case "ArmTimer":
        this.#timerAtMs = action.atMs
        return
      case "Answer":
        this.#toRoom.push(Orders.saved(action.saveId, action.stored))
        return
      case "DrainEnded":
        this.broken.push("nobody asked for a drain")
    }
  }

  #deliverToRoom(): void {
    const frame = this.#toRoom.shift()
    if (frame !== undefined) this.#room.order(frame)
  }

  #endStoring(works: boolean): void {
    if (this.#storing === null) return
    const { requestId, entries } = this.#storing
    this.#storing = null
    const nowMs = this.#nowMs
    if (works) this.#storedEntries = entries
    else this.failures++
    this.#machineHears(
      works
        ? SnapshotEvent.Stored({ requestId, nowMs })
        : SnapshotEvent.StoreFailed({ requestId, nowMs })
    )
  }

  #readReports(): void {
    for (const [name, ...values] of this.#room.reports()) {
      const nowMs = () => this.#nowMs
      const [first, second] = values
      if (name === "changed") {
        this.#toService.push(() => this.#machineHears(SnapshotEvent.Changed({ nowMs: nowMs() })))
      } else if (name === "saveRequested") {
        this.#toService.push(() =>
          this.#machineHears(
            SnapshotEvent.SaveRequested({
              saveId: Number(first),
              generation: second === true,
              wall: null,
              nowMs: nowMs()
            })
          )
        )
      } else if (name === "snapshot" && second instanceof Uint8Array) {
        const entries = entriesIn(second)
        this.#toService.push(() => {
          if (this.#storing !== null) this.broken.push("two snapshots under way")
          this.#storing = { requestId: Number(first), entries }
        })
      } else if (name === "deliver" && Array.isArray(second) && second[0] === 19) {
        this.#answered(second)
      }
    }
  }

  #answered([, id, ok, value]: ReadonlyArray<unknown>): void {
    const failuresBefore = this.waiting.get(Number(id))
    if (failuresBefore === undefined) this.broken.push(`call ${String(id)} was answered twice`)
    this.waiting.delete(Number(id))
    if (ok !== true) {
      if (failuresBefore === this.failures) this.broken.push("not stored, and nothing had failed")
      if (!Array.isArray(value) || value[0] !== "E_NOT_STORED") this.broken.push(String(value))
      return
    }
    const bytes = value instanceof Uint8Array && value.length === 4 ? value : null
    const entries = bytes === null ? null : new DataView(bytes.slice().buffer).getUint32(0, true)
    this.answers.push({ entries, stored: this.#storedEntries })
  }
}

const entriesIn = (bytes: Uint8Array): number => {
  const state = makeRoomState(ledger)
  state.loadSnapshot(decodeSnapshotFile(bytes).state)
  return state.state.sum.entries
}

const anyNext = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Next>("call") },
  { weight: 1, arbitrary: fc.constant<Next>("save") },
  { weight: 4, arbitrary: fc.constant<Next>("toRoom") },
  { weight: 4, arbitrary: fc.constant<Next>("toService") },
  { weight: 3, arbitrary: fc.constant<Next>("stored") },
  { weight: 1, arbitrary: fc.constant<Next>("failed") },
  { weight: 2, arbitrary: fc.constant<Next>("timer") },
  { weight: 2, arbitrary: fc.constant<Next>("wait") }
)

test("[D-48] an acknowledged call is stored, however frames and storage interleave", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyNext, { maxLength: 120, size: "max" }), async (story) => {
      const world = new World()
      for (const next of story) await world.happens(next)
      await world.rest()
      expect(world.broken).toEqual([])
      expect(world.waiting.size).toBe(0)
      for (const { entries, stored } of world.answers) {
        if (entries !== null) expect(stored).toBeGreaterThanOrEqual(entries)
      }
    }),
    { numRuns: 150 }
  )
})

test("[C-55] 100 calls a second cost at most ten snapshots; the first waits for nothing", async () => {
  const storeMs = 5
  const world = new World()
  const answeredAtMs: Array<number> = []
  let storingMs = 0
  for (let ms = 1; ms <= RoomLimits.savesEvery.ms * 10 + 2 * storeMs; ms++) {
    if (ms % 10 === 1 && ms <= RoomLimits.savesEvery.ms * 10) await world.happens("call")
    storingMs = world.storing ? storingMs + 1 : 0
    if (storingMs >= storeMs) await world.happens("stored")
    for (const next of ["toService", "toRoom", "toService", "toService"] as const) {
      await world.happens(next)
    }
    while (answeredAtMs.length < world.answers.length) answeredAtMs.push(ms)
    await world.happens("tick")
  }
  expect(world.requests).toBeGreaterThan(5)
  expect(world.requests).toBeLessThanOrEqual(10)
  expect(answeredAtMs[0]).toBeLessThanOrEqual(1 + 2 * storeMs)
  // A call waits for the window and its own storage, and never for two windows.
  answeredAtMs.forEach((atMs, index) => {
    expect(atMs - (10 * index + 1)).toBeLessThanOrEqual(RoomLimits.savesEvery.ms + 3 * storeMs)
  })
})
