import { Mismatch } from "../check/Expect.ts"
import type { RelayOp, RoomConversation, RoomEvent } from "../codec/RoomCodec.ts"
import { CallRefused, type SocketError } from "./SocketError.ts"

/** A question that another client wants answered: whether it may have this client's record. */
export type OwnAsk = Omit<Extract<RoomEvent, { kind: "ownAsk" }>, "kind">
export type Sent = Omit<Extract<RoomEvent, { kind: "sent" }>, "kind">

/** A frame of that size, whatever `padding` the rest of it leaves for its data. */
export interface SizedFrame {
  readonly frameBytes: number
  readonly of: (padding: Uint8Array) => RelayOp
}

interface Waiting {
  readonly name: string
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
}

interface Wire {
  readonly conversation: RoomConversation
  readonly raw: (bytes: Uint8Array) => void
  /** Fails as a mismatch when it takes too long. */
  readonly within: <A>(what: string, answer: Promise<A>) => Promise<A>
}

/** A client's part in a relay room: writes, ownership and what clients send to each other. */
export class RelaySide {
  readonly #wire: Wire
  readonly #writes = new Map<number, Waiting>()
  readonly #owns = new Map<string, Array<Waiting>>()
  readonly #asks: Array<OwnAsk> = []
  readonly #told: Array<OwnAsk["record"]> = []
  readonly #sent: Array<Sent> = []
  #count = 0

  constructor(wire: Wire) {
    this.#wire = wire
  }

  /** Keys of the records that were added, in order; `CallRefused` when the room says no. */
  async write(...ops: ReadonlyArray<RelayOp>): Promise<ReadonlyArray<number>> {
    const id = this.#nextId()
    return this.#written(id, this.#wire.conversation.write({ id, ops }))
  }

  /** `write`, in a frame of exactly that size. */
  async writeSized({ frameBytes, of }: SizedFrame): Promise<ReadonlyArray<number>> {
    const id = this.#nextId()
    const { conversation } = this.#wire
    const frame = sized(frameBytes, (padding) => conversation.write({ id, ops: [of(padding)] }))
    return this.#written(id, frame)
  }

  /** Asks for a record, and whether it was given. */
  async own(collection: string, key: number): Promise<boolean> {
    const place = placeOf({ collection, key })
    const answer = new Promise<unknown>((resolve, reject) => {
      const waiting = { name: `own ${place}`, resolve, reject }
      this.#owns.set(place, [...(this.#owns.get(place) ?? []), waiting])
    })
    this.#wire.raw(this.#wire.conversation.own({ collection, key }))
    return (await this.#wire.within(`own ${place}`, answer)) === true
  }

  answer(request: number, granted: boolean): void {
    this.#wire.raw(this.#wire.conversation.ownAnswer({ request, granted }))
  }

  /** To those clients, or to all others. */
  send(to: ReadonlyArray<string> | null, data: unknown): void {
    this.#wire.raw(this.#wire.conversation.send({ to, data }))
  }

  /** `send` of bytes, to all others unless said, in a frame of exactly that size. */
  sendSized(frameBytes: number, to: ReadonlyArray<string> | null = null): void {
    const { conversation } = this.#wire
    this.#wire.raw(sized(frameBytes, (data) => conversation.send({ to, data })))
  }

  /** Questions that came to this client so far. */
  asks(): ReadonlyArray<OwnAsk> {
    return this.#asks
  }

  /** Records that this client was told to have lost. */
  lost(): ReadonlyArray<OwnAsk["record"]> {
    return this.#told
  }

  /** The messages of other clients so far. */
  sent(): ReadonlyArray<Sent> {
    return this.#sent
  }

  /** Takes an event that is of a relay room, or the refusal of a write; false = it is another's. */
  received(event: RoomEvent): boolean {
    switch (event.kind) {
      case "ack":
        this.#settled(event.id)?.resolve(event.keys)
        return true
      case "ownResult": {
        const waiting = this.#owns.get(placeOf(event.record))?.shift()
        if (waiting === undefined) this.#told.push(event.record)
        else waiting.resolve(event.granted)
        return true
      }
      case "ownAsk":
        this.#asks.push(event)
        return true
      case "sent":
        this.#sent.push(event)
        return true
      case "error":
        return this.#refused(event)
      default:
        return false
    }
  }

  giveUp(why: SocketError): void {
    for (const waiting of [...this.#writes.values(), ...[...this.#owns.values()].flat()]) {
      waiting.reject(new CallRefused(waiting.name, why))
    }
    this.#writes.clear()
    this.#owns.clear()
  }

  #nextId(): number {
    return ++this.#count
  }

  async #written(id: number, frame: Uint8Array): Promise<ReadonlyArray<number>> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#writes.set(id, { name: `write ${id}`, resolve, reject })
    })
    this.#wire.raw(frame)
    const keys = await this.#wire.within(`the answer to write ${id}`, answer)
    if (Array.isArray(keys)) return keys.map(Number)
    throw new Mismatch(`the answer to write ${id}`, { expected: "keys", actual: keys })
  }

  #refused(event: Extract<RoomEvent, { kind: "error" }>): boolean {
    const waiting = event.re === null ? undefined : this.#settled(event.re)
    waiting?.reject(new CallRefused(waiting.name, event))
    return waiting !== undefined
  }

  #settled(id: number): Waiting | undefined {
    const waiting = this.#writes.get(id)
    this.#writes.delete(id)
    return waiting
  }
}

const placeOf = ({ collection, key }: OwnAsk["record"]): string => `${collection}/${key}`

const sized = (frameBytes: number, made: (padding: Uint8Array) => Uint8Array): Uint8Array => {
  // Less padding may also shorten the length that stands before it, so one correction may not be enough.
  let bytes = frameBytes
  for (let tries = 0; tries < 4; tries++) {
    const frame = made(new Uint8Array(bytes))
    if (frame.length === frameBytes) return frame
    bytes -= frame.length - frameBytes
  }
  throw new Error(`there is no frame of ${frameBytes} bytes`)
}
