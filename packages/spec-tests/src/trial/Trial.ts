import type { Codecs } from "../codec/Codecs.ts"
import type { Config } from "../engine/Config.ts"
import type { Capability } from "../sections/Capability.ts"
import type { CliProbe } from "./CliProbe.ts"
import type { ControlProbe } from "./ControlProbe.ts"
import type { FixtureProbe } from "./FixtureProbe.ts"
import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import type { Project } from "./Project.ts"
import type { RoomSocket, SocketOptions } from "./RoomSocket.ts"

/** All that a check has: the implementation under test, seen from outside. */
export interface Trial {
  readonly config: Config
  /** Chance of this check alone: the same seed asks the same. */
  readonly seed: number
  /** The token of `--replay`, of whatever check; null = there is none. */
  readonly replay: string | null
  /** Sequences that each model check runs, by `--model-runs`; null = as many as it says itself. */
  readonly modelRuns: number | null
  /** How many times longer than usual anything may take, by `--patience`: a busy machine. */
  readonly patience: number
  /** Aborted when the check's time is over or the run ends. */
  readonly signal: AbortSignal
  readonly codecs: Codecs
  /** The operator's hooks; each throws `Unsupported` where there is none. */
  readonly control: ControlProbe
  readonly fixtures: FixtureProbe
  readonly cli: CliProbe
  /** The login credential of an account: 0 is the one that owns `project()`, 1 the stranger. */
  login(account: 0 | 1): string
  /** A new project that no other check knows, of the account 0 unless said. */
  project(account?: 0 | 1): Promise<Project>
  /** One exchange; ambient rules look at it, the trace remembers it. */
  send(request: HttpRequest): Promise<HttpAnswer>
  /** A WebSocket to a room; nothing is sent yet. Closed when the check ends. */
  socket(options: SocketOptions): Promise<RoomSocket>
  /**
   * Asserts a choice of ours on which the specification is silent. In a lenient run a mismatch makes
   * the check `deviates` instead of a failure, and the check goes on.
   */
  chosen(decision: string, assert: () => void): void
  /**
   * The implementation has this, as this check has seen at work: without it a requirement whose
   * statement names it does not pass. Routes and commands are seen by themselves.
   */
  saw(capability: Capability): void
  /** Something for the trace of a failure. */
  note(line: string): void
  /** The token with which `--replay` repeats the failure that is about to be thrown. */
  replaysWith(token: string): void
  /** Asks until it answers something; fails as a mismatch of `what` after `withinMs` (10 s), times patience. */
  until<A>(what: string, look: () => Promise<A | null>, withinMs?: number): Promise<A>
  /**
   * Real time passes, in which something must not happen or tokens come back. What is to happen is
   * waited for by `until`.
   */
  pause(ms: number): Promise<void>
  /** Runs when the check has ended, whatever became of it; last in, first out. */
  later(clean: () => Promise<unknown>): void
}
