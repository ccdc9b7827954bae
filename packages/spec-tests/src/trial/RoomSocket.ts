import { Mismatch } from "../check/Expect.ts"
import type { Welcomed } from "../codec/RoomCodec.ts"
import type { Project } from "./Project.ts"
import type { RelaySide } from "./RelaySide.ts"
import type { SocketError } from "./SocketError.ts"
import type { VoiceSide } from "./VoiceSide.ts"

export interface SocketOptions {
  readonly project: Pick<Project, "id">
  readonly room: string
  /** Sent as `Origin`. */
  readonly origin?: string
  /** Another address than the router's: `127.0.0.1:9464`. */
  readonly at?: string
  /** Headers of the upgrade, for instance an address that the service was told to trust. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Hello {
  /** Default: an identity of the project, the same for all sockets of the check. */
  readonly token?: string
  /** The type that makes the room; without it only a room that is there is joined. Default `probe`. */
  readonly type?: string | null
  readonly resume?: string
}

export interface Closed {
  readonly code: number
  readonly reason: string
}

/**
 * A client of a room, over the room codec. Calls and messages are those of the suite's fixtures;
 * their values are JSON. What does not come in ten seconds is a mismatch.
 */
export interface RoomSocket {
  /** An identity is minted when there is no token. */
  hello(hello?: Hello): Promise<void>
  /** The welcome, or the refusal (an error, a close) as a `JoinRefused`. */
  welcomed(): Promise<Welcomed>
  /** hello, then welcomed. */
  join(hello?: Hello): Promise<Welcomed>
  /** The answer; `CallRefused` when there is an error instead. */
  call(name: string, args?: unknown): Promise<unknown>
  /** A message to the room, not answered. */
  say(name: string, value: unknown): void
  chat(line: string): void
  /** The calls that only relay rooms know. */
  readonly relay: RelaySide
  /** The voice call of the room. */
  readonly voice: VoiceSide
  /** Answers calls of the room from now on; until then none is. */
  onCall(answer: (name: string, args: unknown) => unknown): void
  /** Resolves when all that was sent before has been read by the service. */
  ping(): Promise<void>
  /** A frame as it is, for what no codec makes. */
  raw(bytes: Uint8Array): void
  /** Messages of the room so far, by name. */
  heard(name: string): ReadonlyArray<unknown>
  chats(): ReadonlyArray<{ readonly from: string; readonly line: string }>
  errors(): ReadonlyArray<SocketError>
  /** Welcomes so far: more than one when the room's process was started again. */
  welcomes(): ReadonlyArray<Welcomed>
  /** Stops reading from the wire, or goes on. */
  stall(stalled: boolean): void
  /** When it is closed, by whomever. */
  readonly closed: Promise<Closed>
  /** Fails as a mismatch when it is not closed within ten seconds. */
  end(): Promise<Closed>
  isOpen(): boolean
  /** Leaves for good. */
  leave(): Promise<void>
  /** Breaks the connection without a word. */
  drop(): void
}

/** A join that was refused. */
export class JoinRefused extends Mismatch {
  readonly code: string
  readonly close: number | null
  constructor(refusal: { readonly code: string; readonly close: number | null }) {
    super("the join", {
      expected: "a welcome",
      actual: `${refusal.code}, close ${refusal.close}`
    })
    this.code = refusal.code
    this.close = refusal.close
  }
}
