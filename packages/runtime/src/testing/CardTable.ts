import { makeStateView, type StateView } from "@atrium/wire/codec/StateView"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"

import type { Room, RoomHandlers } from "../room/Room.ts"
import { type Report, TestRoom } from "./TestRoom.ts"

export const cards = defineSchema({
  type: "cards",
  reconnectForMs: 5000,
  entities: {
    hands: { owner: s.string(32), cards: s.list(s.u8(), 8), shown: s.bool() },
    seats: { player: s.string(32), bid: s.u8({ default: 7 }) }
  },
  singletons: { table: { phase: s.enum("play", "over"), word: s.string(16, { default: "?" }) } },
  messages: { go: {} },
  player: { isJudge: s.bool() }
})
export const secrets = {
  singletons: { deck: { next: s.u8() } },
  entities: { bets: { of: s.ref("seats"), amount: s.u16() } }
}

export type Game = Room<typeof cards, typeof secrets>
export type Handlers = RoomHandlers<typeof cards, typeof secrets>

/** A room of the rules, what its code got as `room`, and what each connection has been sent. */
export class CardTable {
  readonly room: TestRoom<typeof cards, typeof secrets>
  readonly copies = new Map<number, StateView<typeof cards>>()
  readonly ticks = new Map<number, number>()
  /** Patches since the last look: to whom, and how many bytes. */
  patches: Array<ReadonlyArray<number>> = []
  #it: Game | null = null

  constructor(visible: NonNullable<Handlers["visible"]>, more: Handlers = {}) {
    const onAuth = (room: Game): boolean => {
      this.#it = room
      return true
    }
    this.room = new TestRoom(cards, { hidden: secrets, visible, onAuth, ...more })
  }

  get it(): Game {
    if (this.#it === null) throw new Error("nobody has joined yet")
    return this.#it
  }

  join(ref: number, player = `p${ref}`): void {
    this.room.join(ref, { playerId: player })
    this.read()
  }

  /** Applies what was sent, and demands that ticks follow each other. */
  read(): ReadonlyArray<Report> {
    const reports = this.room.reports()
    for (const [name, to, what] of reports) {
      if (name === "joined") {
        const { tick, state } = Object(what)
        const copy = makeStateView(cards)
        copy.applyFull(state)
        this.copies.set(Number(to), copy)
        this.ticks.set(Number(to), tick)
      }
      const [type, tick, delta] = name === "deliver" && Array.isArray(what) ? what : []
      if (type !== ServerFrame.patch || !(delta instanceof Uint8Array)) continue
      if (!Array.isArray(to)) throw new Error("a patch of views names its clients")
      this.patches.push(to)
      for (const ref of to) {
        const before = this.ticks.get(ref) ?? 0
        if (tick !== before + 1)
          throw new Error(`client ${ref}: tick ${String(tick)} after ${before}`)
        this.ticks.set(ref, tick)
        this.copies.get(ref)?.applyDelta(delta)
      }
    }
    return reports
  }

  /** Changes the state, and says what patches came of it. */
  after(change: (room: Game) => void): ReadonlyArray<ReadonlyArray<number>> {
    this.read()
    this.patches = []
    change(this.it)
    this.room.frame(this.#anyRef(), 5)
    this.read()
    return this.patches
  }

  as(ref: number): Record<string, unknown> {
    return JSON.parse(JSON.stringify(this.copies.get(ref)?.state))
  }

  #anyRef(): number {
    const [ref] = this.copies.keys()
    if (ref === undefined) throw new Error("nobody is there")
    return ref
  }
}
