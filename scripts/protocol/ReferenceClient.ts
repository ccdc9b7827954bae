import { packMsgpack, unpackMsgpack } from "./Msgpack.ts"
import { ReferenceState } from "./ReferenceState.ts"
import {
  type Descriptor,
  packRecord,
  type Row,
  schemaHashOf,
  unpackRecord
} from "./ReferenceValues.ts"

/** What a client wants to join, and as whom. */
export interface Join {
  /** `ws://host:port`. */
  readonly service: string
  readonly project: string
  readonly room: string
  readonly token: string
  readonly type?: string
  readonly resume?: string
  readonly options?: unknown
  /** The descriptor that an earlier welcome brought: its hash spares the service another. */
  readonly known?: Descriptor
}

export interface Welcome {
  readonly clientId: string
  readonly resume: string
  readonly playerId: string
  readonly relay: boolean
  /** How old the state is that a restart of the room went back to; `null` = there was none. */
  readonly staleMs: number | null
  /** Whether this welcome brought the descriptor. */
  readonly described: boolean
}

interface Ended {
  readonly code: number
  readonly reason: string
}

/** How a call ended. */
type Answer = { readonly value: unknown } | { readonly code: string; readonly message: string }

/**
 * A client of a room as somebody writes it from docs/protocol.md alone, for any schema: it takes
 * the descriptor out of the welcome. Nothing of the SDK is in it.
 */
export class ReferenceClient {
  /** Messages of the room, by name. */
  readonly messages: Array<readonly [name: string, payload: unknown]> = []
  readonly chats: Array<readonly [from: string, text: string]> = []
  readonly errors: Array<string> = []
  readonly welcomed: Promise<Welcome>
  readonly closed: Promise<Ended>
  tick = 0
  /** What clients of a relay room have sent. */
  readonly sent: Array<readonly [from: string, data: unknown]> = []
  /** Whether a client of a relay room gets a record of this one. */
  onAsked: (collection: string, key: number) => boolean = () => false
  /** Answers the calls of the room. */
  onCall: (name: string, args: unknown) => unknown = () => ({})
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #state: ReferenceState | null = null
  #descriptor: Descriptor | null = null
  /** Writes, and questions for records, that wait; the latter by collection and key. */
  readonly #writes = new Map<number, (answer: Answer) => void>()
  readonly #owns = new Map<string, (granted: boolean) => void>()
  #calls = 0
  #settle: (welcome: Welcome) => void = () => undefined

  constructor({ service, project, room, token, type, resume, options, known }: Join) {
    this.#descriptor = known ?? null
    const path = [project, room].map(encodeURIComponent).join("/")
    this.#socket = new WebSocket(`${service}/v1/rooms/${path}`, "rooms.v1")
    this.#socket.binaryType = "arraybuffer"
    // Without a schema hash the welcome brings the descriptor.
    const hash = known === undefined ? null : schemaHashOf(known)
    this.#socket.onopen = () => this.#send([1, token, type, hash, resume, options])
    this.#socket.onmessage = ({ data }) => this.#received(new Uint8Array(data))
    this.welcomed = new Promise((resolve) => (this.#settle = resolve))
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code, reason }) => resolve({ code, reason })
    })
  }

  get state(): ReferenceState {
    if (this.#state === null) throw new Error("there was no welcome")
    return this.#state
  }

  get schema(): Descriptor {
    if (this.#descriptor === null) throw new Error("there was no welcome")
    return this.#descriptor
  }

  /** All values of a singleton. */
  singleton(name: string): Row {
    const at = this.schema.singletons.findIndex((shape) => shape.name === name)
    return this.state.singletons[at]?.row ?? {}
  }

  send(name: string, payload: Row): void {
    const index = this.schema.messages.findIndex((message) => message.name === name)
    const fields = this.schema.messages[index]?.fields
    this.#send([2, index, fields === undefined ? payload : packRecord(fields, payload)])
  }

  call(name: string, args: Row): Promise<Answer> {
    const index = this.schema.rpc.client.findIndex((rpc) => rpc.name === name)
    const fields = this.schema.rpc.client[index]?.args ?? []
    this.#calls += 1
    const id = this.#calls
    this.#send([3, id, index, fields === "untyped" ? args : packRecord(fields, args)])
    return new Promise((resolve) => {
      this.#waiting.set(id, (answer) => {
        const returns = this.schema.rpc.client[index]?.returns ?? []
        if (!("value" in answer) || returns === "untyped") return resolve(answer)
        resolve({ value: unpackRecord(returns, binary(answer.value)) })
      })
    })
  }

  /** Answers with the ids of what it added. */
  write(ops: ReadonlyArray<Readonly<Record<string, unknown>>>): Promise<Answer> {
    this.#calls += 1
    const id = this.#calls
    this.#send([7, id, ops])
    return new Promise((resolve) => this.#writes.set(id, resolve))
  }

  own(collection: string, key: number): Promise<boolean> {
    this.#send([8, collection, key])
    return new Promise((resolve) => this.#owns.set(`${collection} ${key}`, resolve))
  }

  sendTo(clients: ReadonlyArray<string> | null, data: unknown): void {
    this.#send([10, clients, data])
  }

  chat(text: string): void {
    this.#send([4, text])
  }

  /** Ends the connection: 1000 leaves for good, any other code keeps the session. */
  close(code: number): void {
    this.#socket.close(code)
  }

  #send(frame: ReadonlyArray<unknown>): void {
    this.#socket.send(packMsgpack(frame))
  }

  #received(bytes: Uint8Array): void {
    const frame = unpackMsgpack(bytes)
    if (!Array.isArray(frame)) throw new Error("a frame is not an array")
    const [type, first, second, third]: ReadonlyArray<unknown> = frame
    switch (type) {
      case 16:
        return this.#greeted(frame)
      case 17:
        if (first !== this.tick + 1) throw new Error(`patch ${String(first)} after ${this.tick}`)
        this.tick += 1
        return this.state.applyDelta(binary(second))
      case 18: {
        const message = this.schema.messages[Number(first)]
        const fields = message?.fields
        const payload = fields === undefined ? second : unpackRecord(fields, binary(second))
        return void this.messages.push([message?.name ?? "", payload])
      }
      case 19:
        return this.#answered(Number(first), second === true, third)
      case 20:
        return void this.chats.push([String(first), String(second)])
      case 21:
        if (this.#writes.has(Number(third))) {
          const refused = { code: String(first), message: String(second) }
          return settle(this.#writes, Number(third), refused)
        }
        return void this.errors.push(String(first))
      case 23: {
        const rpc = this.schema.rpc.server[Number(second)]
        const args = rpc?.args ?? []
        const given = args === "untyped" ? third : unpackRecord(args, binary(third))
        const value = this.onCall(rpc?.name ?? "", given)
        const returns = rpc?.returns ?? []
        const packed = returns === "untyped" ? value : packRecord(returns, Object(value))
        return this.#send([6, first, true, packed])
      }
      case 24:
        return settle(this.#writes, Number(first), { value: second })
      case 25:
        return settle(this.#owns, `${String(first)} ${String(second)}`, third === true)
      case 26:
        return this.#send([9, first, this.onAsked(String(second), Number(third))])
      case 27:
        return void this.sent.push([String(first), second])
      default:
        // Types that a later version adds are passed over.
        return
    }
  }

  #greeted(frame: ReadonlyArray<unknown>): void {
    const [, clientId, , , tick, state, , resume, descriptor, playerId, relay, stale] = frame
    const described = descriptor !== null
    // It is the service's own; a client of the protocol trusts what it says of its layout.
    if (described) this.#descriptor = descriptor as Descriptor
    this.#state = new ReferenceState(this.schema)
    this.#state.applyFull(binary(state))
    this.tick = Number(tick)
    for (const waiting of [this.#waiting, this.#writes, this.#owns]) waiting.clear()
    this.#settle({
      clientId: String(clientId),
      resume: String(resume),
      playerId: String(playerId),
      relay: relay === true,
      staleMs: typeof stale === "number" ? stale : null,
      described
    })
  }

  #answered(id: number, ok: boolean, value: unknown): void {
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    const [code, message]: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    settle?.(ok ? { value } : { code: String(code), message: String(message) })
  }
}

const settle = <K, A>(waiting: Map<K, (answer: A) => void>, of: K, answer: A): void => {
  const resolve = waiting.get(of)
  waiting.delete(of)
  resolve?.(answer)
}

const binary = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value
  throw new Error("a binary is expected")
}
