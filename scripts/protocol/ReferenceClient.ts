import { packMsgpack, unpackMsgpack } from "./Msgpack.ts"
import { ReferenceState } from "./ReferenceState.ts"
import { type Descriptor, packRecord, type Row, unpackRecord } from "./ReferenceValues.ts"

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
}

export interface Welcome {
  readonly clientId: string
  readonly resume: string
  readonly playerId: string
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
  /** Answers the calls of the room. */
  onCall: (name: string, args: unknown) => unknown = () => ({})
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #state: ReferenceState | null = null
  #descriptor: Descriptor | null = null
  #calls = 0
  #settle: (welcome: Welcome) => void = () => undefined

  constructor({ service, project, room, token, type, resume, options }: Join) {
    const path = [project, room].map(encodeURIComponent).join("/")
    this.#socket = new WebSocket(`${service}/v1/rooms/${path}`, "rooms.v1")
    this.#socket.binaryType = "arraybuffer"
    // No schema hash: the welcome brings the descriptor then.
    this.#socket.onopen = () => this.#send([1, token, type, null, resume, options])
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
      default:
        // Types that a later version adds are passed over.
        return
    }
  }

  #greeted(frame: ReadonlyArray<unknown>): void {
    const [, clientId, , , tick, state, , resume, descriptor, playerId] = frame
    // It is the service's own; a client of the protocol trusts what it says of its layout.
    this.#descriptor = descriptor as Descriptor
    this.#state = new ReferenceState(this.#descriptor)
    this.#state.applyFull(binary(state))
    this.tick = Number(tick)
    this.#waiting.clear()
    this.#settle({ clientId: String(clientId), resume: String(resume), playerId: String(playerId) })
  }

  #answered(id: number, ok: boolean, value: unknown): void {
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    const [code, message]: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    settle?.(ok ? { value } : { code: String(code), message: String(message) })
  }
}

const binary = (value: unknown): Uint8Array => {
  if (value instanceof Uint8Array) return value
  throw new Error("a binary is expected")
}
