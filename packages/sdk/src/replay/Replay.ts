import { stateHash } from "@atrium/wire/codec/StateHash"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import type { MessagesOf, SeenMessagesOf, ViewOf } from "@atrium/wire/schema/Inference"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { messageOf, RequestError, SendError } from "../client/ClientErrors.ts"
import type { ClientRoom } from "../client/ClientRoom.ts"
import { decodeFrame, WireError } from "../client/ClientWire.ts"
import { Listeners, type Unsubscribe } from "../client/Listeners.ts"
import { unpackPayload } from "../client/Payload.ts"
import type { PlatformPort } from "../client/PlatformPort.ts"
import {
  type AnyListeners,
  RecordEvents,
  type RecordListeners,
  type RecordOf,
  type SingletonListeners
} from "../client/RecordEvents.ts"
import type { CollectionName, SingletonName } from "../client/RelayOp.ts"
import { Footage } from "./Footage.ts"
import { Playback } from "./Playback.ts"
import type { ReplayFacts } from "./ReplayFacts.ts"
import type { ReplaySource } from "./ReplaySource.ts"

/**
 * The members of a joined room that draw it. A `Replay` has them too, so that one function draws both.
 */
export type WatchedRoom<S extends AnyRoomSchema> = Pick<
  ClientRoom<S>,
  | "id"
  | "state"
  | "sessionId"
  | "playerId"
  | "audience"
  | "relay"
  | "version"
  | "tick"
  | "connected"
  | "stateHash"
  | "leave"
  | "on"
  | "onMessage"
  | "onStateChange"
  | "onChat"
  | "onDrop"
  | "onReconnect"
  | "onRoomRestarted"
  | "onLeave"
  | "onError"
>

interface ReplayParts {
  readonly port: PlatformPort
  readonly source: ReplaySource
  readonly facts: ReplayFacts
  /** The replay's own. */
  readonly wire: AnyRoomSchema
}

/**
 * A clip or a recording as a room that nobody can change: what a joined room shows and tells, at any moment of the
 * replay. The replay begins paused. Each `on…` returns a function that removes its listener.
 */
export class Replay<S extends AnyRoomSchema> implements WatchedRoom<S> {
  /** The id of the room. */
  readonly id: string
  /** The room's state at the position, always the same object; read-only. */
  readonly state: ViewOf<S>
  /** Nobody's: a replay has no session and no player. */
  readonly sessionId = ""
  readonly playerId = ""
  /** True, as for all who see and cannot act. */
  readonly audience = true
  readonly relay = false
  /** The deployment version that the room ran. */
  readonly version: number
  /** The type of the room. */
  readonly type: string
  readonly kind: "clip" | "recording"
  /** The moment of position 0. */
  readonly startedAt: Date
  /** When its link stops. */
  readonly expiresAt: Date
  readonly #wire: AnyRoomSchema
  readonly #source: ReplaySource
  readonly #footage: Footage
  readonly #playback: Playback
  readonly #records: RecordEvents
  readonly #stateChanges = new Listeners<[]>()
  readonly #anyMessage = new Listeners<ReadonlyArray<unknown>>()
  readonly #messages = new Map<string, Listeners<ReadonlyArray<unknown>>>()
  readonly #errors = new Listeners<[code: string, message: string]>()
  readonly #leaves = new Listeners<[code: number, reason: string]>()
  readonly #ends = new Listeners<[]>()
  #left = false

  /** Made by `openReplay`. @internal */
  constructor({ port, source, facts, wire }: ReplayParts) {
    this.id = facts.roomId
    this.version = facts.version
    this.type = facts.type
    this.kind = facts.kind
    this.startedAt = facts.startedAt
    this.expiresAt = facts.expiresAt
    this.#wire = wire
    this.#source = source
    this.#footage = new Footage(wire, facts.startedAt.getTime())
    this.#records = new RecordEvents(this.#footage.view)
    // `openReplay` has compared the schema that S describes with the replay's own: all of it is there.
    this.state = this.#footage.view.state as ViewOf<S>
    this.#playback = new Playback({
      port,
      source,
      footage: this.#footage,
      chunks: facts.chunks,
      changed: () => {
        this.#records.tell()
        this.#stateChanges.tell()
      },
      message: (frame) => this.#messaged(frame),
      failed: (error) => {
        const code = error instanceof RequestError ? error.code : "E_PROTOCOL"
        if (!this.#left) this.#errors.tell(code, messageOf(error))
      },
      ended: () => this.#ends.tell()
    })
  }

  /** The number of the last patch. */
  get tick(): number {
    return this.#footage.tick
  }

  /** `false` after `leave`. */
  get connected(): boolean {
    return !this.#left
  }

  /** How long the replay is. */
  get durationMs(): number {
    return this.#playback.durationMs
  }

  /** Where it is, in milliseconds after its start. */
  get positionMs(): number {
    return this.#playback.positionMs
  }

  /** True until `play`, and after `pause`, the end and an error. */
  get paused(): boolean {
    return this.#playback.paused
  }

  /** 1 = as fast as it was; from 1/8 to 8. Throws a RangeError for any other. */
  get speed(): number {
    return this.#playback.speed
  }

  set speed(speed: number) {
    const { max } = ReplayLimits.watchedSpeed
    if (!(speed >= 1 / max && speed <= max)) {
      throw new RangeError(`speed: from 1/${max} to ${max}, not ${String(speed)}`)
    }
    this.#playback.setSpeed(speed)
  }

  /** Goes on from the position; at the end, from the start. */
  play(): void {
    this.#playback.play()
  }

  pause(): void {
    this.#playback.pause()
  }

  /**
   * Goes to a moment, in milliseconds after the start; one that is outside of the replay is its start or its end.
   * `state` becomes that of then, and the listeners of records hear of the difference; messages of before are not told.
   * Of several calls the last one counts. Rejects with a `RequestError`, and has paused then; with a `RangeError` for a
   * number that is not finite; and with a `SendError` (`E_LEFT`) after `leave`.
   */
  async seek(toMs: number): Promise<void> {
    if (!Number.isFinite(toMs)) throw new RangeError(`seek: a number of ms, not ${String(toMs)}`)
    if (this.#left) throw leftError()
    await this.#playback.seek(toMs)
    if (this.#left) throw leftError()
  }

  /** 16 hexadecimal characters, equal to the room's own of that moment. */
  stateHash(): string {
    return stateHash(this.#footage.view.encodeFull())
  }

  /** Reads no more. */
  async leave(): Promise<void> {
    if (this.#left) return
    this.#left = true
    this.#playback.close()
    this.#source.close()
    this.#leaves.tell(CloseCodes.normal.code, "the client left")
  }

  /** Messages of one name, or of all (`"*"`, then called with the name first). */
  onMessage(
    name: "*",
    call: (name: keyof MessagesOf<S> & string, payload: unknown) => void
  ): Unsubscribe
  onMessage<N extends keyof MessagesOf<S> & string>(
    name: N,
    call: (payload: SeenMessagesOf<S>[N]) => void
  ): Unsubscribe
  onMessage(name: string, call: (...args: ReadonlyArray<never>) => void): Unsubscribe {
    // Both overloads are told what their own types say.
    const told = call as (...args: ReadonlyArray<unknown>) => void
    if (name === "*") return this.#anyMessage.add(told)
    const listeners = this.#messages.get(name) ?? new Listeners()
    this.#messages.set(name, listeners)
    return listeners.add(told)
  }

  /** The records of one collection, or a singleton; as of a joined room. Throws `SendError`. */
  on<N extends CollectionName<S>>(
    collection: N,
    listeners: RecordListeners<RecordOf<S, N>>
  ): Unsubscribe
  on<N extends SingletonName<S>>(
    singleton: N,
    listeners: SingletonListeners<RecordOf<S, N>>
  ): Unsubscribe
  on(name: string, listeners: object): Unsubscribe {
    if (!Object.hasOwn(this.state, name)) {
      throw new SendError(
        "E_UNKNOWN_NAME",
        `${name}: the schema has no such collection or singleton`
      )
    }
    // The records of this name have the types that both overloads say.
    return this.#records.on(name, listeners as AnyListeners)
  }

  /** After every patch and every `seek`, and after the calls of `on`. */
  onStateChange(call: (state: ViewOf<S>) => void): Unsubscribe {
    return this.#stateChanges.add(() => call(this.state))
  }

  /** It has come to its end, and has paused. */
  onEnd(call: () => void): Unsubscribe {
    return this.#ends.add(call)
  }

  /** It cannot go on and has paused: a chunk could not be read. `play` tries again. */
  onError(call: (code: string, message: string) => void): Unsubscribe {
    return this.#errors.add(call)
  }

  /** After `leave`. */
  onLeave(call: (code: number, reason: string) => void): Unsubscribe {
    return this.#leaves.add(call)
  }

  /** Never called: no replay has the chat. */
  onChat(_call: (line: { readonly from: string; readonly text: string }) => void): Unsubscribe {
    return nothing
  }

  /** Never called: there is no connection that could be lost. */
  onDrop(_call: (code: number, reason: string) => void): Unsubscribe {
    return nothing
  }

  /** Never called. */
  onReconnect(_call: () => void): Unsubscribe {
    return nothing
  }

  /** Never called: the state goes on from where it was stored. */
  onRoomRestarted(_call: (restart: { readonly staleMs: number }) => void): Unsubscribe {
    return nothing
  }

  #messaged(frame: Uint8Array): void {
    const message = decodeFrame(frame)
    const shape = message._tag === "msg" ? this.#wire.messages.list[message.index] : undefined
    if (message._tag !== "msg" || shape === undefined) throw new WireError("not a message")
    const payload = unpackPayload(shape.fields, message.payload)
    this.#messages.get(shape.name)?.tell(payload)
    this.#anyMessage.tell(shape.name, payload)
  }
}

const leftError = (): SendError => new SendError("E_LEFT", "seek: the replay was left")

const nothing: Unsubscribe = () => {}
