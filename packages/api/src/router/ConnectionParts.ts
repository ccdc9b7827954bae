import type { Duplex } from "node:stream"

import type { FlushTogether } from "@atrium/actors/process/FlushTogether"
import type { WebSocket } from "ws"

import type { Backlogs } from "./Backlogs.ts"
import type { ConnectionFigures } from "./ConnectionFigures.ts"
import type { Hello } from "./Hello.ts"
import type { UnfinishedMessages } from "./UnfinishedMessages.ts"
import type { FrameSharer } from "./WebSocketFrame.ts"

/** The parts that all connections of a router share. */
export interface ConnectionShare {
  readonly turn: FlushTogether
  readonly frames: FrameSharer
  readonly backlogs: Backlogs
  readonly unfinished: UnfinishedMessages
  readonly figures: ConnectionFigures
  nowMs(): number
  /** This runner ends, and others go on. */
  leaving(): boolean
  /** Runs it so much later on the machine's time. */
  soon(act: () => void, ms: number): void
}

/** A client's WebSocket, and what it is made of. */
export interface ConnectionWire {
  readonly socket: WebSocket
  readonly stream: Duplex
  /** The address of the client. */
  readonly from: string
  /** The project that the client asks for, whether it is there or not. */
  readonly project: string
}

/** What the router does for a connection. */
export interface ConnectionListener {
  hello(hello: Hello): void
  welcomed(): void
  /** Its room is stored and goes on elsewhere: it has to be seated there. */
  moved(): void
  ended(): void
}

/** Facts of the room that go into its welcome. */
export interface RoomFacts {
  readonly roomId: string
  readonly version: number
  readonly playerId: string
  /** It only watches. */
  readonly viewer: boolean
  /** The room runs no code. */
  readonly relay: boolean
  /** The room's descriptor, when the client does not have it. */
  readonly schema: unknown
}
