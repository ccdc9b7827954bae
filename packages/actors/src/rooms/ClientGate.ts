import type { JoinRequest } from "../process/RoomProcess.ts"

/** What a room tells a client that it has let in. */
export interface Welcome {
  readonly sessionId: string
  readonly resumed: boolean
  readonly tick: number
  readonly state: Uint8Array
}

/** A welcome, and what the router tells with it. */
export interface ToldWelcome extends Welcome {
  /**
   * Milliseconds of play that a restart of the room has undone for this client, who was in it before;
   * `null` = there was no restart.
   */
  readonly staleMs: number | null
  /** The resume token, of a room on another runner; absent = that of the last `nextResumeHash`. */
  readonly resume?: string
  /** When the player came into the room, Unix ms; absent = a viewer, or nobody knows. */
  readonly sinceMs?: number
}

/** One client as the room sees it: a connection of the router, on this runner or forwarded. */
export interface ClientSink {
  /** The hash of a fresh resume token; the token goes out with the next welcome. */
  nextResumeHash(): string
  /** @returns the bytes that the connection took; 0 = it has ended */
  welcome(welcome: ToldWelcome): number
  refuse(refusal: { readonly code: string; readonly message: string }): void
  /**
   * One complete client frame, which holds until the call returns. Sinks of one broadcast get the same
   * array. `false` = it is not counted as sent: the client reads too slowly, or its own runner counts the
   * frame once the client's connection has taken it.
   */
  write(frame: Uint8Array): boolean
  close(close: { readonly code: number; readonly reason: string }): void
  /** The room moves to another runner: the client's frames wait. `held` is called when none is on its way. */
  hold(held: () => void): void
  /** The room is stored, and the seat is free: the client goes to where the room wakes next. */
  moved(): void
}

/** The seat of a client, as its connection sees it: in a room of this runner, or of another one. */
export interface ClientGate {
  /** One frame from a client, as it came. */
  data(ref: number, frame: Uint8Array): void
  /** The connection ended: by the client's own wish, or lost. */
  exit(ref: number, consented: boolean): void
  /** A chat line that the router has found good goes to everyone in the room. */
  chat(ref: number, text: string): void
  /** A voice frame, as it came; the connection has found it to be one. */
  voice(ref: number, frame: Uint8Array): void
  /** Whether somebody serves this client: a process that runs, or one that is on its way. */
  serves(ref: number): boolean
  /** A frame that the connection reads and answers by itself: a ping, a chat line. */
  received(bytes: number, ref: number): void
  /** A frame that the connection wrote by itself: a pong, an error. */
  sent(bytes: number, ref: number): void
}

/** What the router knows of a client that wants in. */
export interface Entrance extends Omit<
  JoinRequest,
  "ref" | "nextResumeHash" | "attachedAs" | "seatsKept"
> {
  /** The client has the credential of a test player. */
  readonly test?: boolean
  /** When the player came into the room, of a client that follows the room from another runner. */
  readonly sinceMs?: number
}
