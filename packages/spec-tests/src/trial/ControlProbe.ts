import { Unsupported, Untestable } from "../check/Expect.ts"
import type { HttpProbe } from "./HttpProbe.ts"

/** Hooks of the adapter protocol: docs/conformance-adapter.md. */
export type Hook =
  | "clock"
  | "address"
  | "servers"
  | "listeners"
  | "memory"
  | "storage"
  | "meters"
  | "plan"
  | "seed"
  | "logs"
  | "metrics"
  | "outbox"

export interface StoredObject {
  readonly key: string
  readonly bytes: number
  readonly storedAtMs: number
}

export interface ServerView {
  readonly id: string
  readonly state: "running" | "paused" | "isolated" | "stopped"
  readonly rooms: ReadonlyArray<string>
}

/** An address at which the service listens. */
interface ListenerView {
  readonly address: string
  /** Clients reach their rooms there. */
  readonly router: boolean
}

const repairsWithinMs = 15_000

/** The control listener of an implementation, if it has one. */
export class ControlProbe {
  readonly #http: HttpProbe | null
  readonly #token: string
  readonly #hooks: ReadonlySet<string>
  readonly #signal: AbortSignal
  readonly #alone: boolean

  constructor(options: {
    readonly http: HttpProbe | null
    readonly token: string
    readonly hooks: ReadonlySet<string>
    readonly signal: AbortSignal
    readonly alone: boolean
  }) {
    this.#http = options.http
    this.#token = options.token
    this.#hooks = options.hooks
    this.#signal = options.signal
    this.#alone = options.alone
  }

  has(hook: Hook): boolean {
    return this.#http !== null && this.#hooks.has(hook)
  }

  /** The service's time. */
  async nowMs(): Promise<number> {
    // A service whose clock nobody can move has the time of the world.
    if (!this.has("clock")) return Date.now()
    return numberOf(await this.#ask("clock", "/clock/now", {}), "nowMs")
  }

  /** Moves time forward, and answers when what became due by it is done. */
  async advance(ms: number): Promise<number> {
    this.#mustBeAlone()
    return numberOf(await this.#ask("clock", "/clock/advance", { ms }), "nowMs")
  }

  /** Held, time stands still but for `advance`. */
  async hold(held: boolean): Promise<void> {
    this.#mustBeAlone()
    await this.#ask("clock", "/clock/hold", { held })
  }

  /** Time is one for all: handshakes and tokens of other checks would end by it. */
  #mustBeAlone(): void {
    if (!this.#alone) throw new Error("a check that moves the service's time must be alone")
  }

  /** The servers of a project. */
  async servers(project: string): Promise<ReadonlyArray<ServerView>> {
    return arrayOf(await this.#ask("servers", "/servers/list", { project }), "servers")
  }

  /** `isolate` cuts it off from the rest; `resume` ends pause and isolation. */
  async server(deed: "pause" | "resume" | "kill" | "isolate", server: string): Promise<void> {
    await this.#ask("servers", `/servers/${deed}`, { server })
  }

  /** Every address at which the service listens. */
  async listeners(): Promise<ReadonlyArray<ListenerView>> {
    return arrayOf(await this.#ask("listeners", "/listeners/list", {}), "listeners")
  }

  /** Near its memory limit, until told otherwise. */
  async pressure(server: string, level: "none" | "high"): Promise<void> {
    await this.#ask("memory", "/memory/pressure", { server, level })
  }

  /** The heap that the worker of a room in memory may have at most, in bytes. */
  async heap(project: string, room: string): Promise<number> {
    return numberOf(await this.#ask("memory", "/memory/heap", { project, room }), "heapBytes")
  }

  /** The stored objects of a room, or of a project. */
  async objects(project: string, room?: string): Promise<ReadonlyArray<StoredObject>> {
    return arrayOf(await this.#ask("storage", "/storage/list", { project, room }), "objects")
  }

  /** How often a text stands in anything that is stored; 0 = nowhere. */
  async storedTexts(text: string): Promise<number> {
    return numberOf(await this.#ask("storage", "/storage/search", { text }), "found")
  }

  /** Writes wait until it is ended. */
  async stall(stalled: boolean): Promise<void> {
    await this.#ask("storage", "/storage/stall", { stalled })
  }

  async meter(project: string, use: { readonly meter: string; readonly used: number }) {
    await this.#ask("meters", "/meters/set", { project, ...use })
  }

  async plan(project: string, tier: "free" | "card"): Promise<void> {
    await this.#ask("plan", "/plan/set", { project, tier })
  }

  /** Counts as many rows as if they had been written. */
  async seed(
    project: string,
    rows: { readonly counter: string; readonly count: number; readonly board?: string }
  ) {
    await this.#ask("seed", "/seed", { project, ...rows })
  }

  /** A player has that rating in a queue, as if results had been reported. */
  async rate(
    project: string,
    player: { readonly queue: string; readonly player: string; readonly rating: number }
  ) {
    await this.#ask("seed", "/seed/rating", { project, ...player })
  }

  /** Sets the stored bytes of the project's running recordings. */
  async recordedBytes(project: string, bytes: number) {
    await this.#ask("seed", "/seed/recording", { project, bytes })
  }

  async logs(project: string, room: string): Promise<ReadonlyArray<{ readonly line: string }>> {
    return arrayOf(await this.#ask("logs", "/logs/read", { project, room }), "lines")
  }

  async outbox(project: string): Promise<ReadonlyArray<{ readonly kind: string }>> {
    return arrayOf(await this.#ask("outbox", "/outbox/read", { project }), "mails")
  }

  /** The five operational metrics, `storageListings` and, where it is told, `serverStarts`. */
  async metrics(project: string): Promise<Readonly<Record<string, unknown>>> {
    return Object(await this.#ask("metrics", "/metrics/read", { project }))
  }

  async #ask(hook: Hook, path: string, body: unknown): Promise<unknown> {
    if (this.#http === null || !this.#hooks.has(hook)) throw new Unsupported(`no hook: ${hook}`)
    const request = { method: "POST", path: `/_control${path}`, bearer: this.#token, body } as const
    // The state that a check has disturbed is put right also when its time is over.
    const values = Object.values(Object(body))
    const isRepair =
      [false, "none"].some((value) => values.includes(value)) || path === "/servers/resume"
    const signal = isRepair ? AbortSignal.timeout(repairsWithinMs) : this.#signal
    const answer = await this.#http.send(request, signal)
    if (answer.status !== 200) {
      throw new Untestable(
        `the hook ${path} answered ${answer.status}: ${answer.text.slice(0, 200)}`
      )
    }
    return answer.json
  }
}

const numberOf = (answer: unknown, field: string): number => {
  const value: unknown = Object(answer)[field]
  if (typeof value !== "number") throw new Untestable(`a hook answered no number ${field}`)
  return value
}

const arrayOf = <A>(answer: unknown, field: string): ReadonlyArray<A> => {
  const value: unknown = Object(answer)[field]
  if (!Array.isArray(value)) throw new Untestable(`a hook answered no list ${field}`)
  return value
}
