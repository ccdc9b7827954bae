import type { RelayOp } from "@atrium/actors/relay/RelayState"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"

import { ExactRate } from "./ExactRate.ts"

interface Player {
  readonly viewer: boolean
  droppedAtMs: number | null
  readonly ops: ExactRate
  readonly sends: ExactRate
}

interface Ask {
  readonly asker: string
  readonly owner: string
  readonly key: number
  readonly dueAtMs: number
}

/** An ownership message that a client must receive: `to key granted`, or `to ask key`. */
export type Heard = string

const answerMs = 5000
const recordsMost = 1024
export const reconnectMs = 3000
/** Seats that the reference allows of each kind. */
export const seats = { players: 3, viewers: 2 }

/** One collection of a relay room as plain maps. Source: spec, Connection and room limits; D-24. */
export class RelayReference {
  readonly players = new Map<string, Player>()
  records = new Map<number, string>()
  #lastKey = 0
  #asks: Array<Ask> = []

  /** @returns whether there is a seat */
  enter(id: string, viewer: boolean, nowMs: number): boolean {
    const alike = [...this.players.values()].filter((one) => one.viewer === viewer)
    if (alike.length >= (viewer ? seats.viewers : seats.players)) return false
    const ops = new ExactRate(RelayLimits.relayWriteOps, nowMs)
    const sends = new ExactRate(AudienceLimits.audienceMessages, nowMs)
    this.players.set(id, { viewer, droppedAtMs: null, ops, sends })
    return true
  }

  /** @returns a code, or the keys of what was added */
  write(id: string, ops: ReadonlyArray<RelayOp>, nowMs: number): string | ReadonlyArray<number> {
    const player = this.players.get(id)
    if (player === undefined || player.viewer) return "E_WRITE_REJECTED"
    if (!player.ops.spend(ops.length, nowMs)) return "E_WRITE_RATE"
    const records = new Map(this.records)
    const keys: Array<number> = []
    for (const op of ops) {
      if (op._tag === "Add") {
        if (records.size >= recordsMost) return "E_RECORD_CAP"
        const key = this.#lastKey + keys.length + 1
        keys.push(key)
        records.set(key, id)
        continue
      }
      const owner = records.get(op.key)
      if (owner === undefined) return "E_WRITE_REJECTED"
      if (owner !== id) return "E_NOT_OWNER"
      if (op._tag === "Remove") records.delete(op.key)
    }
    this.records = records
    this.#lastKey += keys.length
    return keys
  }

  /** The refusals to clients that asked for records that are gone. */
  removed(): ReadonlyArray<Heard> {
    return this.#refuse((ask) => !this.records.has(ask.key))
  }

  own(id: string, key: number, nowMs: number): ReadonlyArray<Heard> {
    const owner = this.records.get(key)
    if (this.players.get(id)?.viewer === true || owner === undefined) return [`${id} ${key} false`]
    if (!this.players.has(owner)) this.records.set(key, id)
    if (owner === id || !this.players.has(owner)) return [`${id} ${key} true`]
    if (this.#asks.some((ask) => ask.asker === id && ask.key === key)) return []
    this.#asks.push({ asker: id, owner, key, dueAtMs: nowMs + answerMs })
    return [`${owner} ask ${key}`]
  }

  /** Of two who asked for the same record the asker is named. */
  answer(asker: string, key: number, granted: boolean): ReadonlyArray<Heard> {
    const ask = this.#asks.find((one) => one.asker === asker && one.key === key)
    if (ask === undefined) return []
    return granted ? this.#grant(ask) : this.#refuse((one) => one === ask)
  }

  #grant(ask: Ask): ReadonlyArray<Heard> {
    const { asker, owner, key } = ask
    this.#asks = this.#asks.filter((one) => one !== ask)
    this.records.set(key, asker)
    const before = this.players.has(owner) ? [`${owner} ${key} false`] : []
    return [`${asker} ${key} true`, ...before, ...this.#refuse((other) => other.key === key)]
  }

  #refuse(picks: (ask: Ask) => boolean): ReadonlyArray<Heard> {
    const picked = this.#asks.filter(picks)
    this.#asks = this.#asks.filter((ask) => !picks(ask))
    return picked
      .filter(({ asker }) => this.players.has(asker))
      .map(({ asker, key }) => `${asker} ${key} false`)
  }

  end(id: string): ReadonlyArray<Heard> {
    this.players.delete(id)
    this.#asks = this.#asks.filter(({ asker }) => asker !== id)
    const heard: Array<Heard> = []
    for (let ask = this.#askOf(id); ask !== undefined; ask = this.#askOf(id)) {
      heard.push(...this.#grant(ask))
    }
    return heard
  }

  #askOf(owner: string): Ask | undefined {
    return this.#asks.find((ask) => ask.owner === owner)
  }

  /** When the next of them is due; infinity = never. */
  dueAtMs(): number {
    return Math.min(
      ...this.#asks.map((ask) => ask.dueAtMs),
      ...[...this.players.values()].map(({ droppedAtMs }) =>
        droppedAtMs === null ? Number.POSITIVE_INFINITY : droppedAtMs + reconnectMs
      )
    )
  }

  /** Everything that is due by now, in its order. */
  lapse(nowMs: number): ReadonlyArray<Heard> {
    const heard: Array<Heard> = []
    for (let dueMs = this.dueAtMs(); dueMs <= nowMs; dueMs = this.dueAtMs()) {
      const byNowMs = dueMs
      heard.push(...this.#refuse((ask) => ask.dueAtMs <= byNowMs))
      for (const [id, { droppedAtMs }] of Array.from(this.players)) {
        if (droppedAtMs !== null && droppedAtMs + reconnectMs <= byNowMs)
          heard.push(...this.end(id))
      }
    }
    return heard
  }
}
