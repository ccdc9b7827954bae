import { RelayAllowance } from "@atrium/actors/relay/RelayAllowance"
import { step } from "@atrium/actors/relay/RelayMachine"
import {
  newRelay,
  type RelayAction,
  type RelayEvent,
  type RelayOp,
  type RelaySession,
  type RelayState
} from "@atrium/actors/relay/RelayState"
import { Chance } from "@atrium/api/testing/Chance"

import { type Heard, reconnectMs, RelayReference, seats } from "./RelayReference.ts"
import { Violation } from "./Violation.ts"

/** What a relay room is made of: the product's parts, or ones that are wrong on purpose. */
export interface RelayParts {
  readonly step: typeof step
  readonly makeAllowance: (client: {
    readonly viewer: boolean
    readonly nowMs: number
  }) => RelayAllowance
}

export const relayParts: RelayParts = {
  step,
  makeAllowance: (client) => new RelayAllowance(client)
}

const beginningMs = 1_800_000_000_000
const collection = "shapes"

interface Open {
  readonly request: number
  readonly owner: string
  readonly asker: string
  readonly key: number
}

/** A relay room beside its reference; whatever one says the other must say, too. */
class Pair {
  readonly chance: Chance
  readonly #parts: RelayParts
  readonly #allowances = new Map<string, RelayAllowance>()
  readonly #reference = new RelayReference()
  #state: RelayState = newRelay({
    tables: [{ name: collection, singleton: false, defaults: [1] }],
    seats,
    reconnectForMs: reconnectMs
  })
  #nowMs = beginningMs
  #entered = 0
  /** Requests that their owners have heard of. */
  #open: Array<Open> = []

  constructor(chance: Chance, parts: RelayParts) {
    this.chance = chance
    this.#parts = parts
  }

  #take(event: RelayEvent): ReadonlyArray<RelayAction> {
    const [next, actions] = this.#parts.step(this.#state, event)
    this.#state = next
    return actions
  }

  #agreed(what: string, says: unknown, is: unknown): void {
    const [one, other] = [JSON.stringify(says), JSON.stringify(is)]
    if (one !== other) throw new Violation("relay", `${what}: it says ${one}, and it is ${other}`)
  }

  #heard(what: string, actions: ReadonlyArray<RelayAction>, heard: ReadonlyArray<Heard>): void {
    for (const action of actions) {
      if (action._tag !== "AskOwner") continue
      const { request, to: owner, asker, key } = action
      // An older request of the same client for the same record has had its answer.
      this.#open = this.#open.filter((one) => one.asker !== asker || one.key !== key)
      this.#open.push({ request, owner, asker, key })
    }
    this.#agreed(what, actions.flatMap(heardBy).sort(), [...heard].sort())
  }

  #session(): RelaySession | null {
    const sessions = [...this.#state.sessions.values()]
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
    const actions = this.#take({ _tag: "TimePassed", nowMs: this.#nowMs })
    this.#heard("lapse", actions, this.#reference.lapse(this.#nowMs))
  }

  enter(): void {
    const viewer = this.chance.one(3)
    const nowMs = this.#nowMs
    const sessionId = `s${++this.#entered}`
    const [first] = this.#take({
      _tag: "ClientEntered",
      ref: this.#entered,
      sessionId,
      playerId: sessionId,
      name: null,
      role: viewer ? "viewer" : "player",
      resumeHash: null,
      nextResumeHash: sessionId,
      attachedAs: null,
      nowMs
    })
    const seated = this.#reference.enter(sessionId, viewer, nowMs)
    this.#agreed("enter", first?._tag, seated ? "AdmitClient" : "RefuseClient")
    this.#allowances.set(sessionId, this.#parts.makeAllowance({ viewer, nowMs }))
  }

  drop(): void {
    const session = this.#session()
    const player = this.#reference.players.get(session?.id ?? "")
    if (session === null || player === undefined || session.ref === null) return
    this.#take({ _tag: "ClientDropped", from: session.id, nowMs: this.#nowMs })
    player.droppedAtMs = this.#nowMs
  }

  leave(): void {
    const session = this.#session()
    if (session === null) return
    const actions = this.#take({ _tag: "ClientLeft", from: session.id })
    this.#heard("leave", actions, this.#reference.end(session.id))
  }

  write(): void {
    const session = this.#session()
    if (session === null) return
    const { chance } = this
    const ops = Array.from({ length: 1 + chance.below(chance.one(6) ? 40 : 4) }, () => this.#op())
    const is = this.#reference.write(session.id, ops, this.#nowMs)
    if (this.#allowances.get(session.id)?.takeOps(ops.length, this.#nowMs) === false) {
      return this.#agreed("write", "E_WRITE_RATE", is)
    }
    const write = { ops, values: [] }
    const actions = this.#take({ _tag: "WriteReceived", from: session.id, id: 1, write })
    this.#agreed("write", actions.map(answerTo).find(Boolean), is)
    if (typeof is !== "string") this.#heard("remove", actions, this.#reference.removed())
  }

  #op(): RelayOp {
    const { chance } = this
    if (chance.one(3)) return { _tag: "Add", table: 0, fields: [[0, 1 + chance.below(3)]] }
    if (chance.one(3)) return { _tag: "Remove", table: 0, key: this.#key() }
    return { _tag: "Set", table: 0, key: this.#key(), fields: [[0, 1 + chance.below(3)]] }
  }

  own(): void {
    const session = this.#session()
    if (session === null) return
    const [key, nowMs] = [this.#key(), this.#nowMs]
    const event = { _tag: "OwnershipRequested", from: session.id, collection, key, nowMs } as const
    this.#heard("own", this.#take(event), this.#reference.own(session.id, key, nowMs))
  }

  answer(): void {
    if (this.#open.length === 0) return
    const { request, owner, asker, key } = this.chance.pick(this.#open)
    this.#open = this.#open.filter((one) => one.request !== request)
    if (!this.#state.sessions.has(owner)) return
    const granted = this.chance.one(2)
    const actions = this.#take({ _tag: "OwnershipAnswered", from: owner, request, granted })
    this.#heard("answer", actions, this.#reference.answer(asker, key, granted))
  }

  send(): void {
    const session = this.#session()
    const player = this.#reference.players.get(session?.id ?? "")
    if (session === null || player === undefined) return
    const passes = this.#allowances.get(session.id)?.takeSend(this.#nowMs) === "passes"
    this.#agreed("send", passes, !player.viewer || player.sends.spend(1, this.#nowMs))
  }

  compare(): void {
    const records = this.#state.tables.list[0]?.records ?? []
    const owners = records.map(({ id, owner }) => [id, owner])
    this.#agreed("records", owners.sort(byKey), [...this.#reference.records].sort(byKey))
  }
}

const byKey = ([one]: ReadonlyArray<unknown>, [other]: ReadonlyArray<unknown>): number =>
  Number(one) - Number(other)

const heardBy = (action: RelayAction): ReadonlyArray<Heard> => {
  if (action._tag === "AskOwner") return [`${action.to} ask ${action.key}`]
  if (action._tag !== "AnswerOwnership") return []
  return [`${action.to} ${action.key} ${action.granted}`]
}

/** The answer to a write: the code of its refusal, or the keys of what it added. */
const answerTo = (action: RelayAction): string | ReadonlyArray<number> | null => {
  if (action._tag === "Refuse") return action.refusal.code
  return action._tag === "AcknowledgeWrite" ? action.keys : null
}

type Doing = Exclude<keyof Pair, "chance" | "compare">

const doings: ReadonlyArray<Doing> = [
  ...(["enter", "enter", "drop", "leave", "own", "own", "own", "answer"] as const),
  ...(["send", "send", "write", "write", "write", "write"] as const)
]

/** A relay room agrees with plain maps, call by call. */
export const checkRelay = (seed: number, parts: RelayParts, calls: number): void => {
  const pair = new Pair(Chance.of(seed, "relay", 0), parts)
  for (let call = 0; call < calls; call++) {
    pair.wait()
    pair[pair.chance.pick(doings)]()
    pair.compare()
  }
}
