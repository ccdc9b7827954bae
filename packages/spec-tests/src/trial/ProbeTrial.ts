import { brought, Mismatch } from "../check/Expect.ts"
import type { Capability } from "../sections/Capability.ts"
import { fromAnywhere } from "./Addresses.ts"
import type { Ambient } from "./Ambient.ts"
import type { CliProbe } from "./CliProbe.ts"
import { cliProbe } from "./CliProbes.ts"
import { ControlProbe } from "./ControlProbe.ts"
import type { FixtureProbe } from "./FixtureProbe.ts"
import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import type { MintedKey, Project, ProjectRequest } from "./Project.ts"
import type { RoomSocket, SocketOptions } from "./RoomSocket.ts"
import { openRoomSocket } from "./RoomSockets.ts"
import { Trace } from "./Trace.ts"
import type { Trial } from "./Trial.ts"
import { Witness } from "./Witness.ts"
import type { World } from "./World.ts"

const lookEveryMs = 20

/** The means that one check gets from its run. */
export interface TrialOptions {
  readonly world: World
  readonly ambient: Ambient
  readonly fixtures: FixtureProbe
  readonly signal: AbortSignal
  readonly seed: number
  /** No other check runs beside it: it may move the service's time. */
  readonly alone: boolean
  readonly replay?: string | null
  readonly modelRuns?: number | null
}

export interface Deviation {
  readonly decision: string
  readonly mismatch: Mismatch
}

/** A check's own view of the implementation, with what it leaves to clean up. */
export class ProbeTrial implements Trial {
  readonly trace: Trace
  readonly witness = new Witness()
  readonly deviations: Array<Deviation> = []
  replayToken: string | null = null
  readonly control: ControlProbe
  readonly cli: CliProbe
  readonly #options: TrialOptions
  readonly #cleanups: Array<() => Promise<unknown>> = []

  constructor(options: TrialOptions) {
    this.#options = options
    this.trace = new Trace(options.world.secrets)
    const { config, control, hooks } = options.world
    const token = config.control?.token ?? ""
    const { signal, alone } = options
    this.control = new ControlProbe({ http: control, token, hooks, signal, alone })
    this.cli = cliProbe(this)
  }

  get config() {
    return this.#options.world.config
  }
  get codecs() {
    return this.#options.world.codecs
  }
  get fixtures() {
    return this.#options.fixtures
  }
  get seed() {
    return this.#options.seed
  }
  get replay() {
    return this.#options.replay ?? null
  }
  get modelRuns() {
    return this.#options.modelRuns ?? null
  }
  get patience() {
    return this.#options.world.patience
  }
  get signal() {
    return this.#options.signal
  }

  login(account: 0 | 1): string {
    return this.config.accounts[account]
  }

  async project(account: 0 | 1 = 0): Promise<Project> {
    const login = this.login(account)
    const name = "conformance"
    const request = this.codecs.newProject(name)
    const made = await this.send({ method: "POST", ...request, bearer: login })
    const id = brought("a new project", made, this.codecs.projectId(made.json))
    const ask = (path: string, asked: ProjectRequest = {}): Promise<HttpAnswer> => {
      const { bearer = login, ...rest } = asked
      return this.send({
        method: "GET",
        ...rest,
        path: `/v1/projects/${id}${path}`,
        ...(bearer === null ? {} : { bearer })
      })
    }
    const key = async (...scopes: ReadonlyArray<string>): Promise<MintedKey> => {
      const answer = await ask("/keys", { method: "POST", body: { scopes, label: "conformance" } })
      return brought("a new key", answer, this.codecs.minted(answer.json))
    }
    return { id, name, login, key, ask }
  }

  async send(asked: HttpRequest): Promise<HttpAnswer> {
    const { http, secrets } = this.#options.world
    const headers = fromAnywhere(this.config, asked.headers)
    const request = asked.base === undefined ? { ...asked, headers } : asked
    if (request.bearer !== undefined) secrets.addLong(request.bearer)
    const answer = await http.send(request, this.signal).catch((cause: unknown) => {
      this.trace.asked(request)
      throw cause
    })
    secrets.learn(answer)
    this.trace.exchange(answer)
    if (request.base === undefined) {
      this.#options.ambient.look(answer)
      this.witness.answered(answer, this.codecs)
    }
    return answer
  }

  socket(options: SocketOptions): Promise<RoomSocket> {
    return openRoomSocket(this, options)
  }

  chosen(decision: string, assert: () => void): void {
    try {
      assert()
    } catch (cause) {
      if (!(cause instanceof Mismatch) || this.#options.world.strict) throw cause
      this.deviations.push({ decision, mismatch: cause })
    }
  }

  saw(capability: Capability): void {
    this.witness.saw(capability)
  }

  note(line: string): void {
    this.trace.note(line)
  }

  replaysWith(token: string): void {
    this.replayToken = token
    this.note(`replay: ${token}`)
  }

  async until<A>(what: string, look: () => Promise<A | null>, withinMs = 10_000): Promise<A> {
    const waitsMs = withinMs * this.patience
    const deadline = performance.now() + waitsMs
    for (;;) {
      const seen = await look()
      if (seen !== null) return seen
      this.signal.throwIfAborted()
      if (performance.now() > deadline) {
        throw new Mismatch(what, { expected: `within ${waitsMs} ms`, actual: "not" })
      }
      await this.pause(lookEveryMs)
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  }

  later(clean: () => Promise<unknown>): void {
    this.#cleanups.push(clean)
  }

  /** Faults while cleaning up; the verdict stands. */
  async end(): Promise<ReadonlyArray<string>> {
    const faults: Array<string> = []
    for (const clean of this.#cleanups.toReversed()) {
      await clean().catch((cause: unknown) => faults.push(String(cause)))
    }
    return faults
  }
}
