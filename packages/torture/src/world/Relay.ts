import {
  RelayMachine,
  type RelayNotice,
  type RelayOp,
  type RelayRules
} from "@atrium/actors/relay/RelayMachine"
import type { RelaySession } from "@atrium/actors/relay/RelaySeatsMachine"

import { Chance } from "../fuzz/Chance.ts"
import { type Heard, reconnectMs, RelayReference, seats } from "./RelayReference.ts"
import { Violation } from "./Violation.ts"

export type MakeRelay = (rules: RelayRules) => RelayMachine

export const makeRelay: MakeRelay = (rules) => new RelayMachine(rules)

const beginningMs = 1_800_000_000_000
const collection = "shapes"

interface Open {
  readonly request: number
  readonly owner: RelaySession
  readonly asker: string
  readonly key: number
}

/** A relay room beside its reference; whatever one says the other must say, too. */
class Pair {
  readonly chance: Chance
  readonly #machine: RelayMachine
  readonly #reference = new RelayReference()
  #nowMs = beginningMs
  #entered = 0
  /** Requests that their owners have heard of. */
  #open: Array<Open> = []

  constructor(chance: Chance, make: MakeRelay) {
    this.chance = chance
    this.#machine = make({
      tables: [{ name: collection, singleton: false, defaults: [1] }],
      ...{ seats, reconnectForMs: reconnectMs }
    })
  }

  #agreed(what: string, says: unknown, is: unknown): void {
    const [one, other] = [JSON.stringify(says), JSON.stringify(is)]
    if (one !== other) throw new Violation("relay", `${what}: it says ${one}, and it is ${other}`)
  }

  #heard(what: string, notices: ReadonlyArray<RelayNotice>, heard: ReadonlyArray<Heard>): void {
    for (const notice of notices) {
      if (notice.is !== "ownAsk") continue
      const { request, to: owner, from: asker, key } = notice
      // An older request of the same for the same has had its answer.
      this.#open = this.#open.filter((one) => one.asker !== asker || one.key !== key)
      this.#open.push({ request, owner, asker, key })
    }
    this.#agreed(what, notices.map(toldBy).sort(), [...heard].sort())
  }

  #session(): RelaySession | null {
    const sessions = [...this.#machine.seats]
    return sessions.length === 0 ? null : this.chance.pick(sessions)
  }

  #key(): number {
    return 1 + this.chance.below(6)
  }

  wait(): void {
    const { chance } = this
    const dueMs = this.#reference.dueAtMs()
    if (Number.isFinite(dueMs) && chance.one(6))
      this.#nowMs = Math.max(this.#nowMs, dueMs - chance.below(2))
    else this.#nowMs += chance.below(chance.one(8) ? 9000 : 120)
    const { notices } = this.#machine.lapse(this.#nowMs)
    this.#heard("lapse", notices, this.#reference.lapse(this.#nowMs))
  }

  enter(): void {
    const viewer = this.chance.one(3)
    const sessionId = `s${++this.#entered}`
    const seating = this.#machine.seats.enter(
      {
        ...{ ref: this.#entered, sessionId, playerId: sessionId, name: null },
        ...{ role: viewer ? "viewer" : "player", resumeHash: null, nextResumeHash: sessionId },
        attachedAs: null
      },
      this.#nowMs
    )
    const seated = this.#reference.enter(sessionId, viewer, this.#nowMs)
    this.#agreed("enter", seating.is, seated ? "seated" : "full")
  }

  drop(): void {
    const session = this.#session()
    const player = this.#reference.players.get(session?.id ?? "")
    if (session === null || player === undefined || session.ref === null) return
    this.#machine.seats.drop(session, this.#nowMs)
    player.droppedAtMs = this.#nowMs
  }

  leave(): void {
    const session = this.#session()
    if (session === null) return
    this.#heard("leave", this.#machine.end(session), this.#reference.end(session.id))
  }

  write(): void {
    const session = this.#session()
    if (session === null) return
    const { chance } = this
    const ops = Array.from({ length: 1 + chance.below(chance.one(6) ? 40 : 4) }, () => this.#op())
    const written = this.#machine.write(session, ops, this.#nowMs)
    const is = this.#reference.write(session.id, ops, this.#nowMs)
    this.#agreed("write", "fault" in written ? written.fault.code : written.keys, is)
    if (!("fault" in written)) this.#heard("remove", written.notices, this.#reference.removed())
  }

  #op(): RelayOp {
    const { chance } = this
    if (chance.one(3)) return { op: "add", table: 0, fields: [[0, 1 + chance.below(3)]] }
    if (chance.one(3)) return { op: "remove", table: 0, key: this.#key() }
    return { op: "set", table: 0, key: this.#key(), fields: [[0, 1 + chance.below(3)]] }
  }

  own(): void {
    const session = this.#session()
    if (session === null) return
    const key = this.#key()
    const { notices } = this.#machine.own(session, { collection, key }, this.#nowMs)
    this.#heard("own", notices, this.#reference.own(session.id, key, this.#nowMs))
  }

  answer(): void {
    if (this.#open.length === 0) return
    const { request, owner, asker, key } = this.chance.pick(this.#open)
    this.#open = this.#open.filter((one) => one.request !== request)
    const isHere = this.#machine.seats.byId(owner.id) === owner
    if (!isHere) return
    const granted = this.chance.one(2)
    const notices = this.#machine.answer(owner, request, granted)
    this.#heard("answer", notices, this.#reference.answer(asker, key, granted))
  }

  send(): void {
    const session = this.#session()
    const player = this.#reference.players.get(session?.id ?? "")
    if (session === null || player === undefined) return
    const passes = this.#machine.takeSend(session, this.#nowMs) === "passes"
    this.#agreed("send", passes, !player.viewer || player.sends.spend(1, this.#nowMs))
  }

  compare(): void {
    const records = this.#machine.tables.list[0]?.records ?? new Map()
    const owners = [...records.values()].map(({ id, owner }) => [id, owner])
    this.#agreed("records", owners.sort(byKey), [...this.#reference.records].sort(byKey))
  }
}

const byKey = ([one]: ReadonlyArray<unknown>, [other]: ReadonlyArray<unknown>): number =>
  Number(one) - Number(other)

const toldBy = (notice: RelayNotice): Heard =>
  notice.is === "ownAsk"
    ? `${notice.to.id} ask ${notice.key}`
    : `${notice.to.id} ${notice.key} ${notice.granted}`

type Doing = Exclude<keyof Pair, "chance" | "compare">

const doings: ReadonlyArray<Doing> = [
  ...(["enter", "enter", "drop", "leave", "own", "own", "own", "answer"] as const),
  ...(["send", "send", "write", "write", "write", "write"] as const)
]

/** A relay room agrees with plain maps, call by call. */
export const checkRelay = (seed: number, make: MakeRelay, calls: number): void => {
  const pair = new Pair(Chance.of(seed, "relay", 0), make)
  for (let call = 0; call < calls; call++) {
    pair.wait()
    pair[pair.chance.pick(doings)]()
    pair.compare()
  }
}
