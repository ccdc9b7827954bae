import WebSocket from "ws"

import { brought, Mismatch } from "../check/Expect.ts"
import type { RoomConversation, RoomEvent, Welcomed } from "../codec/RoomCodec.ts"
import { fromAnywhere } from "./Addresses.ts"
import type { Project } from "./Project.ts"
import { RelaySide } from "./RelaySide.ts"
import {
  type Closed,
  type Hello,
  JoinRefused,
  type RoomSocket,
  type SocketOptions
} from "./RoomSocket.ts"
import { CallRefused, type SocketError } from "./SocketError.ts"
import type { Trial } from "./Trial.ts"
import { VoiceSide } from "./VoiceSide.ts"

const answersWithinMs = 10_000
const endsWithinMs = 1000
/** A listener that has said nothing for so long has refused a client. */
const silentMs = 4000
const frameMax = 256 * 1024 * 1024

/** The parts of its check that a client uses. */
type SocketTrial = Pick<Trial, "codecs" | "config" | "later" | "note" | "patience" | "send">

/** Connects a client to a room. An upgrade that is refused is a `JoinRefused` with `HTTP 503` or the like. */
export const openRoomSocket = async (
  trial: SocketTrial,
  { project, room, origin, headers, at }: SocketOptions
): Promise<RoomSocket> => {
  const { room: codec } = trial.codecs
  const router =
    at === undefined
      ? (trial.config.routerUrl ?? trial.config.baseUrl.replace(/^http/, "ws"))
      : `ws://${at}`
  const socket = new WebSocket(
    `${router.replace(/\/$/, "")}${codec.path(project.id, room)}`,
    codec.subprotocol === null ? [] : [codec.subprotocol],
    {
      perMessageDeflate: false,
      maxPayload: frameMax,
      // Who does not speak HTTP may say nothing at all.
      ...(at === undefined ? {} : { handshakeTimeout: silentMs * trial.patience }),
      headers: fromAnywhere(trial.config, headers),
      ...(origin === undefined ? {} : { origin })
    }
  )
  const client = new Client(socket, { trial, project, conversation: codec.conversation() })
  trial.later(() => client.part())
  await opened(socket)
  trial.note(`socket to ${room}`)
  return client
}

const opened = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.on("open", () => resolve())
    socket.on("unexpected-response", (_, answer) => {
      answer.resume()
      reject(new JoinRefused({ code: `HTTP ${answer.statusCode}`, close: null }))
      socket.terminate()
    })
    socket.on("error", reject)
  })

interface Waiting {
  readonly name: string
  readonly resolve: (value: unknown) => void
  readonly reject: (cause: Error) => void
}

class Client implements RoomSocket {
  readonly closed: Promise<Closed>
  readonly relay: RelaySide
  readonly voice: VoiceSide
  readonly #socket: WebSocket
  readonly #trial: SocketTrial
  readonly #project: Pick<Project, "id">
  readonly #conversation: RoomConversation
  readonly #events: Array<RoomEvent> = []
  readonly #calls = new Map<number, Waiting>()
  readonly #looks = new Set<() => void>()
  #callsMade = 0
  #answers: ((name: string, args: unknown) => unknown) | null = null
  #pongs = 0
  #over: Closed | null = null

  constructor(
    socket: WebSocket,
    options: {
      readonly trial: SocketTrial
      readonly project: Pick<Project, "id">
      readonly conversation: RoomConversation
    }
  ) {
    this.#socket = socket
    this.#trial = options.trial
    this.#project = options.project
    this.#conversation = options.conversation
    const wire = {
      conversation: options.conversation,
      raw: (bytes: Uint8Array) => this.raw(bytes),
      within: <A>(what: string, answer: Promise<A>) => this.#within(what, answer)
    }
    this.relay = new RelaySide(wire)
    this.voice = new VoiceSide(wire)
    this.closed = new Promise((resolve) => {
      socket.on("close", (code, reason) => {
        this.#over = { code, reason: reason.toString() }
        options.trial.note(`socket closed: ${code} ${this.#over.reason}`)
        this.#giveUp({ code: "E_CLOSED", message: `closed with ${code}` })
        resolve(this.#over)
        this.#look()
      })
    })
    socket.on("message", (data: Buffer) => this.#received(data))
  }

  async hello({ token, type = "probe", resume }: Hello = {}): Promise<void> {
    const identity = token ?? (await identityOf(this.#trial, this.#project))
    this.raw(this.#conversation.hello({ token: identity, type, resume: resume ?? null }))
  }

  async welcomed(): Promise<Welcomed> {
    await this.#wait("a welcome", () => this.#over !== null || this.welcomes().length > 0)
    const welcome = this.welcomes().at(-1)
    if (welcome !== undefined) return welcome
    const code = this.errors().at(-1)?.code ?? "no error"
    throw new JoinRefused({ code, close: this.#over?.code ?? null })
  }

  async join(hello?: Hello): Promise<Welcomed> {
    await this.hello(hello)
    return this.welcomed()
  }

  async call(name: string, args: unknown = null): Promise<unknown> {
    const id = ++this.#callsMade
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { name, resolve, reject })
    })
    this.raw(this.#conversation.call({ id, name, args }))
    const value = await this.#within(`the call ${name}`, answer)
    this.#trial.note(`call ${name} ${JSON.stringify(args)}: ${JSON.stringify(value)}`)
    return value
  }

  say(name: string, value: unknown): void {
    this.raw(this.#conversation.message(name, value))
  }

  chat(line: string): void {
    this.raw(this.#conversation.chat(line))
  }

  onCall(answer: (name: string, args: unknown) => unknown): void {
    this.#answers = answer
  }

  async ping(): Promise<void> {
    const before = this.#pongs
    this.raw(this.#conversation.ping())
    await this.#wait("a pong", () => this.#pongs > before)
  }

  raw(bytes: Uint8Array): void {
    this.#socket.send(bytes, { binary: true })
  }

  heard(name: string): ReadonlyArray<unknown> {
    return this.#events.flatMap((event) =>
      event.kind === "message" && event.name === name ? [event.value] : []
    )
  }

  chats(): ReadonlyArray<{ readonly from: string; readonly line: string }> {
    return this.#events.filter((event) => event.kind === "chat")
  }

  errors(): ReadonlyArray<SocketError> {
    return this.#events.filter((event) => event.kind === "error")
  }

  welcomes(): ReadonlyArray<Welcomed> {
    return this.#events.filter((event) => event.kind === "welcome")
  }

  stall(stalled: boolean): void {
    if (stalled) this.#socket.pause()
    else this.#socket.resume()
  }

  end(): Promise<Closed> {
    return this.#within("the end of the connection", this.closed)
  }

  isOpen(): boolean {
    return this.#over === null && this.#socket.readyState === WebSocket.OPEN
  }

  async leave(): Promise<void> {
    this.#socket.close(1000)
    await this.end()
  }

  drop(): void {
    this.#socket.terminate()
  }

  /** At the end of the check: with a word if there is time for it. */
  async part(): Promise<void> {
    if (this.#over !== null) return
    this.#socket.on("error", () => undefined)
    this.#socket.resume()
    this.#socket.close(1000)
    const end = setTimeout(() => this.#socket.terminate(), endsWithinMs)
    await this.closed
    clearTimeout(end)
  }

  #received(data: Buffer): void {
    const event = this.#decoded(data)
    if (event.kind === "pong") this.#pongs++
    else if (event.kind === "answer") this.#called(event.id)?.resolve(event.value)
    else if (event.kind === "refusal") {
      const call = this.#called(event.id)
      call?.reject(new CallRefused(call.name, event))
    } else if (event.kind === "call") this.#asked(event)
    else if (this.relay.received(event) || this.voice.received(event)) {
      // It holds what came to it.
    } else if (event.kind !== "patch" && event.kind !== "other") {
      if (event.kind === "welcome") this.#giveUp({ code: "E_LOST", message: "the room restarted" })
      if (event.kind === "error") this.#trial.note(`error ${event.code}: ${event.message}`)
      this.#events.push(event)
    }
    this.#look()
  }

  #decoded(data: Buffer): RoomEvent {
    try {
      return this.#conversation.decode(data)
    } catch (cause) {
      return { kind: "error", code: "not a frame", message: String(cause), re: null }
    }
  }

  #asked({ id, name, args }: Extract<RoomEvent, { kind: "call" }>): void {
    const answer = this.#answers
    if (answer === null) return
    this.raw(this.#conversation.result({ id, name, value: answer(name, args) }))
  }

  #called(id: number): Waiting | undefined {
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    return call
  }

  #giveUp(why: SocketError): void {
    for (const { name, reject } of this.#calls.values()) reject(new CallRefused(name, why))
    this.#calls.clear()
    this.relay.giveUp(why)
    this.voice.giveUp(why)
  }

  #look(): void {
    for (const look of this.#looks) look()
  }

  /** Until something that a frame or the end of the connection brings about. */
  #wait(what: string, isThere: () => boolean): Promise<void> {
    let look: () => void = () => undefined
    const seen = new Promise<void>((resolve) => {
      look = () => {
        if (isThere()) resolve()
      }
      this.#looks.add(look)
      look()
    })
    return this.#within(what, seen).finally(() => this.#looks.delete(look))
  }

  async #within<A>(what: string, answer: Promise<A>): Promise<A> {
    const waitsMs = answersWithinMs * this.#trial.patience
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Mismatch(what, { expected: `within ${waitsMs} ms`, actual: "nothing" })),
        waitsMs
      )
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
}

const identities = new WeakMap<Pick<Project, "id">, Promise<string>>()

/** The same player for all sockets of a check's project, as identities are few per address. */
const identityOf = (trial: SocketTrial, project: Pick<Project, "id">): Promise<string> => {
  const known = identities.get(project) ?? mintIdentity(trial, project)
  identities.set(project, known)
  return known
}

/** Another player of a project, from an address of its own where the service can be told one. */
export const mintIdentity = async (
  trial: Pick<Trial, "codecs" | "send">,
  project: Pick<Project, "id">
): Promise<string> => {
  const body = trial.codecs.identityBody(project.id)
  const answer = await trial.send({ method: "POST", path: "/v1/identity", body })
  return brought("a new identity", answer, trial.codecs.identity(answer.json)).token
}
