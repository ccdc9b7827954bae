import type { Project } from "./Project.ts"

export interface SocketOptions {
  readonly project: Project
  readonly room: string
  /** Sent as `Origin`. */
  readonly origin?: string
  /** Headers of the upgrade, for instance an address that the service was told to trust. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Hello {
  /** Default: a new identity of the project, or a join credential where there is a secret. */
  readonly token?: string
  readonly type?: string
  readonly resume?: string
}

export interface Welcomed {
  readonly clientId: string
  readonly roomId: string
  readonly playerId: string
  readonly version: number
  readonly resume: string
  readonly stateBytes: number
}

export interface Closed {
  readonly code: number
  readonly reason: string
}

export interface SocketError {
  readonly code: string
  readonly message: string
}

/**
 * A client of a room, over the room codec. Calls and messages are those of the suite's fixtures;
 * their values are JSON.
 */
export interface RoomSocket {
  hello(hello?: Hello): void
  /** The welcome, or the refusal (an error, a close) as a `Refusal`. */
  welcomed(): Promise<Welcomed>
  /** hello, then welcomed. */
  join(hello?: Hello): Promise<Welcomed>
  call(name: string, args?: unknown): Promise<unknown>
  /** A message to the room, not answered. */
  say(name: string, value: unknown): void
  chat(line: string): void
  /** A frame as it is, for what no codec makes. */
  raw(bytes: Uint8Array): void
  /** Messages of the room so far, by name. */
  heard(name: string): ReadonlyArray<unknown>
  chats(): ReadonlyArray<{ readonly from: string; readonly line: string }>
  errors(): ReadonlyArray<SocketError>
  /** Stops reading from the wire, or goes on. */
  stall(stalled: boolean): void
  /** When it is closed, by whomever. */
  readonly closed: Promise<Closed>
  isOpen(): boolean
  /** Leaves for good. */
  leave(): Promise<void>
  /** Breaks the connection without a word. */
  drop(): void
}

/** A join that was refused. */
export class JoinRefused extends Error {
  readonly code: string
  readonly close: number | null
  constructor(refusal: { readonly code: string; readonly close: number | null }) {
    super(`refused: ${refusal.code}, close ${refusal.close}`)
    this.code = refusal.code
    this.close = refusal.close
  }
}
