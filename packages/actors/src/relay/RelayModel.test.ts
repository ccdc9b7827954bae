import { deepStrictEqual } from "node:assert"

import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { defineSchema, s } from "@atrium/wire/schema"
import fc from "fast-check"
import { expect, test } from "vitest"

import { decodeRelaySnapshot } from "./RelaySnapshot.ts"
import { makeStage } from "./testing/RelayStage.ts"

const schema = defineSchema({
  type: "board",
  singletons: { topic: { x: s.u8() } },
  entities: { shapes: { x: s.u8(), label: s.string(4) }, marks: { x: s.u8() } }
})
const reconnectForMs = 3000

type Client = ReturnType<ReturnType<typeof makeStage>["join"]>

interface Op {
  readonly op: "add" | "set" | "remove"
  readonly c: "shapes" | "marks" | "topic" | "nothing"
  readonly k: number
  readonly v: { readonly x?: number; readonly label?: string }
}

type Action =
  | { readonly is: "join" | "leave" | "drop" | "resume" | "own" | "restart"; readonly pick: number }
  | { readonly is: "answer"; readonly pick: number; readonly granted: boolean }
  | { readonly is: "wait"; readonly ms: number }
  | { readonly is: "write"; readonly pick: number; readonly ops: ReadonlyArray<Op> }

interface ModelRecord {
  readonly values: Record<string, unknown>
  owner: string
}

interface Ask {
  readonly asker: string
  readonly owner: string
  readonly c: string
  readonly k: number
  readonly dueAtMs: number
}

/** The room as plain maps: slow, and simple enough to be believed. */
class Model {
  topic: Record<string, unknown> = { x: 0 }
  tables = new Map<string, Map<number, ModelRecord>>([
    ["shapes", new Map()],
    ["marks", new Map()]
  ])
  nextIds = new Map([
    ["shapes", 1],
    ["marks", 1]
  ])
  /** Sessions, and since when they have no connection. */
  sessions = new Map<string, number | null>()
  asks: ReadonlyArray<Ask> = []
  /** Expected ownership frames: the recipient, then the frame without its request number. */
  told: Array<ReadonlyArray<unknown>> = []

  get plain(): unknown {
    const rows = (name: string) =>
      [...(this.tables.get(name) ?? [])]
        .toSorted(([a], [b]) => a - b)
        .map(([id, { values }]) => ({ id, ...values }))
    return { topic: this.topic, shapes: rows("shapes"), marks: rows("marks") }
  }

  write(by: string, ops: ReadonlyArray<Op>): unknown {
    if (ops.length === 0) return "E_WRITE_REJECTED"
    const bad = ({ c, v, op }: Op): boolean =>
      c === "nothing" ||
      (op !== "remove" && (Number(v.x ?? 0) > 255 || (v.label !== undefined && c !== "shapes")))
    if (ops.some(bad)) return "E_WRITE_REJECTED"
    const copy = structuredClone({ topic: this.topic, tables: this.tables, nextIds: this.nextIds })
    const keys: Array<number> = []
    for (const { op, c, k, v } of ops) {
      if (c === "topic") {
        if (op !== "set" || k !== 0) return "E_WRITE_REJECTED"
        Object.assign(copy.topic, v)
        continue
      }
      const table = copy.tables.get(c)
      if (op === "add") {
        const id = copy.nextIds.get(c) ?? 0
        copy.nextIds.set(c, id + 1)
        const values = c === "shapes" ? { x: 0, label: "", ...v } : { x: 0, ...v }
        table?.set(id, { values, owner: by })
        keys.push(id)
        continue
      }
      const record = table?.get(k)
      if (record === undefined) return "E_WRITE_REJECTED"
      if (record.owner !== by) return "E_NOT_OWNER"
      if (op === "set") Object.assign(record.values, v)
      else table?.delete(k)
    }
    Object.assign(this, copy)
    this.#close(({ c, k }) => !this.has(c, k)).forEach((ask) => this.result(ask, false))
    return keys
  }

  has(c: string, k: number): boolean {
    return this.tables.get(c)?.has(k) === true
  }

  own(by: string, { c, k }: { readonly c: string; readonly k: number }, nowMs: number): void {
    const record = this.tables.get(c)?.get(k)
    const ask = { asker: by, owner: record?.owner ?? "", c, k, dueAtMs: nowMs + 5000 }
    if (record === undefined) return this.result(ask, false)
    if (record.owner === by || !this.sessions.has(record.owner)) {
      record.owner = by
      return this.result(ask, true)
    }
    if (this.asks.some((one) => one.asker === by && one.c === c && one.k === k)) return
    this.asks = [...this.asks, ask]
    this.told.push([ask.owner, ServerFrame.ownAsk, c, k, by])
  }

  answer(ask: Ask, granted: boolean): void {
    this.#close((one) => one === ask)
    if (granted) this.#grant(ask)
    else this.result(ask, false)
  }

  end(id: string): void {
    this.sessions.delete(id)
    this.#close(({ asker }) => asker === id)
    for (const ask of this.#close(({ owner }) => owner === id)) {
      if (this.tables.get(ask.c)?.get(ask.k)?.owner === id) this.#grant(ask)
      else this.result(ask, false)
    }
  }

  /** What has become due by now, moment by moment. */
  lapse(nowMs: number): void {
    for (;;) {
      const away = [...this.sessions.values()].filter((sinceMs) => sinceMs !== null)
      const dueMs = Math.min(
        ...this.asks.map(({ dueAtMs }) => dueAtMs),
        ...away.map((sinceMs) => sinceMs + reconnectForMs)
      )
      if (dueMs > nowMs) return
      this.#lapseAt(dueMs)
    }
  }

  #lapseAt(nowMs: number): void {
    this.#close(({ dueAtMs }) => dueAtMs <= nowMs).forEach((ask) => this.result(ask, false))
    for (const [id, sinceMs] of this.sessions) {
      if (sinceMs !== null && sinceMs + reconnectForMs <= nowMs) this.end(id)
    }
  }

  result({ asker, c, k }: Pick<Ask, "asker" | "c" | "k">, granted: boolean): void {
    this.told.push([asker, ServerFrame.ownResult, c, k, granted])
  }

  #grant(ask: Ask): void {
    const record = this.tables.get(ask.c)?.get(ask.k)
    if (record !== undefined) record.owner = ask.asker
    this.result(ask, true)
    if (this.sessions.has(ask.owner)) this.result({ ...ask, asker: ask.owner }, false)
    this.#close(({ c, k }) => c === ask.c && k === ask.k).forEach((one) => this.result(one, false))
  }

  #close(picks: (ask: Ask) => boolean): ReadonlyArray<Ask> {
    const closed = this.asks.filter(picks)
    this.asks = this.asks.filter((ask) => !closed.includes(ask))
    return closed
  }
}

const values = fc.record(
  {
    x: fc.integer({ min: 0, max: 256 }),
    label: fc.string({ maxLength: 4, unit: "grapheme-ascii" })
  },
  { requiredKeys: [], noNullPrototype: true }
)
const op: fc.Arbitrary<Op> = fc.record({
  op: fc.constantFrom("add", "add", "set", "set", "remove"),
  c: fc.constantFrom("shapes", "shapes", "shapes", "marks", "topic"),
  k: fc.nat({ max: 6 }),
  v: values
})
const pick = fc.nat({ max: 20 })
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant("write" as const),
      pick,
      ops: fc.array(op, { maxLength: 3 })
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      is: fc.constantFrom("join", "join", "leave", "drop", "resume", "own", "own", "own"),
      pick
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ is: fc.constant("answer" as const), pick, granted: fc.boolean() })
  },
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant("wait" as const), ms: fc.nat({ max: 4000 }) })
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant("restart" as const), pick }) }
)

/** The room and its model, side by side. */
class Pair {
  readonly model = new Model()
  stage = makeStage(schema, { reconnectForMs })
  /** Clients with a connection, and those that have lost it. */
  here: Array<Client> = []
  away: Array<Client> = []
  #requests = new Map<string, unknown>()
  #startedAtMs = 0
  #restarts = 0

  take(one: Action): void {
    switch (one.is) {
      case "join":
        if (this.here.length < 5) this.#seated(this.stage.join(`p${one.pick}`))
        return
      case "leave":
      case "drop":
        return this.#gone(one.is, one.pick)
      case "resume":
        return this.#resume(one.pick)
      case "own": {
        const client = this.here[(one.pick * 7) % this.here.length]
        if (client === undefined) return
        const ids = [...(this.model.tables.get("shapes")?.keys() ?? []), 99]
        const k = ids[one.pick % ids.length] ?? 0
        this.model.own(client.id, { c: "shapes", k }, this.nowMs)
        this.stage.send(client, ClientFrame.own, "shapes", k)
        return this.stage.port.turn()
      }
      case "answer":
        return this.#answer(one.pick, one.granted)
      case "wait":
        this.stage.port.advance(one.ms)
        return this.#lapse()
      case "write": {
        const client = this.here[one.pick % this.here.length]
        if (client === undefined) return
        // A second later, so that no rate has a say.
        this.stage.port.advance(1000)
        this.#lapse()
        const expected = this.model.write(client.id, one.ops)
        return deepStrictEqual(this.stage.write(client, ...one.ops), expected)
      }
      case "restart":
        return this.#restart()
    }
  }

  get nowMs(): number {
    return this.#startedAtMs + this.stage.port.atMs
  }

  check(): void {
    for (const client of this.here) deepStrictEqual(client.state, this.model.plain)
    const owners = new Map(
      decodeRelaySnapshot(this.stage.snapshot()).owners.map(([c, k, id]) => [`${c} ${k}`, id])
    )
    const expected = [...this.model.tables].flatMap(([c, records]) =>
      [...records].flatMap(([k, { owner }]) =>
        this.model.sessions.has(owner) ? [[`${c} ${k}`, owner] as const] : []
      )
    )
    deepStrictEqual(owners, new Map(expected))
    this.#checkTold()
  }

  /** Compares the ownership frames that connected clients got, in order, with the expected ones. */
  #checkTold(): void {
    const told = this.model.told.splice(0)
    for (const client of this.here) {
      const heard: Array<ReadonlyArray<unknown>> = []
      for (const frame of client.take()) {
        const [type, first, second, third, fourth] = frame
        if (type === ServerFrame.ownResult) heard.push([type, first, second, third])
        if (type !== ServerFrame.ownAsk) continue
        heard.push([type, second, third, fourth])
        this.#requests.set(`${String(second)} ${String(third)} ${String(fourth)}`, first)
      }
      const mine = told.filter(([to]) => to === client.id).map(([, ...frame]) => frame)
      deepStrictEqual(heard, mine)
    }
  }

  #seated(client: Client): void {
    this.here.push(client)
    this.model.sessions.set(client.id, null)
  }

  #gone(how: "leave" | "drop", place: number): void {
    const [client] = this.here.splice(place % Math.max(1, this.here.length), 1)
    if (client === undefined) return
    this.stage[how](client)
    if (how === "leave") return this.model.end(client.id)
    this.model.sessions.set(client.id, this.nowMs)
    this.away.push(client)
  }

  #resume(place: number): void {
    const [client] = this.away.splice(place % Math.max(1, this.away.length), 1)
    if (client === undefined) return
    const back = this.stage.join(playerOf(client), { resume: client.resumeHash })
    deepStrictEqual(back.resumed, this.model.sessions.has(client.id))
    this.#seated(back)
    for (const { owner, c, k, asker } of this.model.asks) {
      if (owner === back.id) this.model.told.push([owner, ServerFrame.ownAsk, c, k, asker])
    }
  }

  #answer(place: number, granted: boolean): void {
    const ask = this.model.asks[place % this.model.asks.length]
    const owner = this.here.find(({ id }) => id === ask?.owner)
    if (ask === undefined || owner === undefined) return
    const request = this.#requests.get(`${ask.c} ${ask.k} ${ask.asker}`)
    this.model.answer(ask, granted)
    this.stage.send(owner, ClientFrame.ownAnswer, request, granted)
    this.stage.port.turn()
  }

  #lapse(): void {
    this.model.lapse(this.nowMs)
  }

  /** The room is stored and started again: everybody was dropped, requests are forgotten. */
  #restart(): void {
    this.#startedAtMs = this.nowMs
    const snapshot = this.stage.snapshot(true)
    this.stage = makeStage(schema, {
      reconnectForMs,
      snapshot,
      ids: `at-${this.nowMs}-${++this.#restarts}`
    })
    this.model.asks = []
    for (const id of this.model.sessions.keys()) this.model.sessions.set(id, this.nowMs)
    this.away.push(...this.here.splice(0))
  }
}

const playerOf = ({ player }: Client): string => player

test("[D-24] a relay room agrees with plain maps after any calls of its clients", () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: "max" }), (actions) => {
      const pair = new Pair()
      for (const pick of [1, 2, 3]) pair.take({ is: "join", pick })
      const ops = [{ op: "add", c: "shapes", k: 0, v: {} }] as const
      for (const pick of [0, 1, 2]) pair.take({ is: "write", pick, ops })
      for (const one of actions) {
        pair.take(one)
        for (const [, type, , , granted] of pair.model.told) {
          const what = `${String(type)} ${String(granted === true)}`
          seen.set(what, (seen.get(what) ?? 0) + 1)
        }
        pair.check()
      }
    }),
    { numRuns: 120 }
  )
  // The histories had requests, and answers of both kinds.
  expect([...seen.keys()].toSorted()).toEqual(["25 false", "25 true", "26 false"])
  expect(Math.min(...seen.values())).toBeGreaterThan(20)
})
