import { JoinError, messageOf } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import type { ServerMessage } from "./ClientWire.ts"
import { Connection } from "./Connection.ts"
import { makeDeferred } from "./Deferred.ts"
import type { Cancel } from "./PlatformPort.ts"
import {
  makeSessionMachine,
  type BackoffSettings,
  type Refusal,
  type SessionAction,
  type SessionEvent,
  type SessionState,
  type SessionStep
} from "./SessionMachine.ts"

export interface SessionSettings extends BackoffSettings {
  /** Time from the start of a connection to its welcome. */
  readonly joinForMs: number
  /** Silence after which the client asks for a sign of life; after as much again it reconnects. */
  readonly silentForMs: number
  /** Longest wait of `leave()` for the closing handshake. */
  readonly closeForMs: number
}

/** What a session serves: it knows the schema, the session only knows connections. */
export interface SessionOwner {
  readonly url: string
  readonly token: () => Promise<string>
  hello(token: string): Uint8Array<ArrayBuffer>
  ping(): Uint8Array<ArrayBuffer>
  /** Everything but the decisions about the connection; may call `welcomed`, `fail`, `refuse`. */
  received(message: ServerMessage): void
  dropped(code: number, reason: string): void
  reconnected(): void
  errored(refusal: Refusal): void
  left(code: number, reason: string): void
}

interface SessionParts {
  readonly port: ClientPort
  readonly settings: SessionSettings
  readonly owner: SessionOwner
}

/** Carries out what SessionMachine decides: sockets, timers, and the calls to the owner. */
export class RoomSession {
  readonly #port: ClientPort
  readonly #settings: SessionSettings
  readonly #owner: SessionOwner
  readonly #step: (state: SessionState, event: SessionEvent) => SessionStep
  readonly #join = makeDeferred()
  readonly #events: Array<SessionEvent> = []
  #stepping = false
  #state: SessionState = { _tag: "Joining", knocking: null }
  #connection: Connection | null = null
  #attempt = 0
  #heard = false
  #asked = false
  #timers: { deadline: Cancel | null; wait: Cancel | null; beat: Cancel | null } = {
    deadline: null,
    wait: null,
    beat: null
  }

  constructor(parts: SessionParts) {
    this.#port = parts.port
    this.#settings = parts.settings
    this.#owner = parts.owner
    this.#step = makeSessionMachine(parts.settings)
  }

  get joined(): boolean {
    return this.#state._tag === "Joined"
  }

  get ended(): boolean {
    return this.#state._tag === "Ended"
  }

  /** Resolves at the first welcome; rejects with a JoinError. */
  start(): Promise<void> {
    this.#open()
    return this.#join.promise
  }

  /** Nothing is sent while the connection is away; who cannot afford that asks `joined` first. */
  send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.joined) this.#connection?.send(frame)
  }

  /** Leaves for good. Resolves when the service knows, or when it has had time enough. */
  async leave(): Promise<void> {
    const connection = this.#connection
    this.#dispatch({ _tag: "LeaveAsked" })
    if (connection === null) return
    const late = makeDeferred()
    const cancel = this.#port.after(this.#settings.closeForMs, late.resolve)
    await Promise.race([connection.closed, late.promise])
    cancel()
  }

  /** The owner has taken a welcome over. */
  welcomed(): void {
    const first = this.#state._tag === "Joining"
    if (first) this.#holdUntilHeard()
    this.#dispatch({ _tag: "Welcomed", nowMs: this.#port.elapsedMs() })
  }

  /** The stream cannot be trusted any more: a new connection brings a complete state. */
  fail(why: Refusal): void {
    const nowMs = this.#port.elapsedMs()
    this.#dispatch({ _tag: "ConnectionFailed", why, nowMs, random: this.#port.random() })
  }

  /** The room's schema cannot be read: no connection will help. */
  refuse(message: string): void {
    this.#dispatch({ _tag: "SchemaRefused", message })
  }

  // Frames that follow the first welcome wait until the caller that awaits the join has added listeners.
  #holdUntilHeard(): void {
    const connection = this.#connection
    connection?.hold()
    this.#port.defer(() => connection?.resume())
  }

  // A listener may leave the room while it is told of a drop: its event waits for its turn.
  #dispatch(event: SessionEvent): void {
    this.#events.push(event)
    if (this.#stepping) return
    this.#stepping = true
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      const [state, actions] = this.#step(this.#state, next)
      this.#state = state
      this.#endTimersOf(state)
      for (const action of actions) this.#perform(action)
    }
    this.#stepping = false
  }

  #perform(action: SessionAction): void {
    switch (action._tag) {
      case "OpenConnection":
        return this.#open()
      case "CloseConnection":
        this.#attempt += 1
        this.#connection?.close(action.code)
        this.#connection = null
        return
      case "StartWait":
        this.#timers.wait = this.#port.after(action.waitMs, () => {
          this.#dispatch({ _tag: "WaitElapsed" })
        })
        return
      case "SettleJoin":
        this.#startBeat()
        return this.#join.resolve()
      case "FailJoin":
        return this.#join.reject(new JoinError(action.refusal, action.closeCode))
      case "TellDrop":
        return this.#owner.dropped(action.code, action.reason)
      case "TellReconnect":
        this.#startBeat()
        return this.#owner.reconnected()
      case "TellError":
        return this.#owner.errored(action.refusal)
      case "TellLeave":
        return this.#owner.left(action.code, action.reason)
    }
  }

  #endTimersOf(state: SessionState): void {
    const timers = this.#timers
    const connecting = state._tag === "Joining" || state._tag === "Rejoining"
    if (!connecting) timers.deadline = ended(timers.deadline)
    if (state._tag !== "Waiting" && state._tag !== "Knocking") timers.wait = ended(timers.wait)
    if (state._tag !== "Joined") timers.beat = ended(timers.beat)
  }

  #open(): void {
    this.#attempt += 1
    const attempt = this.#attempt
    this.#timers.deadline = this.#port.after(this.#settings.joinForMs, () => {
      this.fail({ code: "E_JOIN_TIMEOUT", message: "the service did not answer the join" })
    })
    this.#owner.token().then(
      (token) => {
        if (attempt === this.#attempt && !this.ended) this.#connect(token)
      },
      (error: unknown) => {
        if (attempt === this.#attempt && !this.ended) this.fail(refusalOf(error))
      }
    )
  }

  #connect(token: string): void {
    try {
      this.#connection = new Connection(this.#port, this.#owner, {
        opened: () => this.#owner.hello(token),
        received: (message) => {
          this.#heard = true
          this.#owner.received(message)
        },
        broken: (why) => this.fail({ code: "E_PROTOCOL", message: why }),
        lost: (loss) => {
          this.#connection = null
          const nowMs = this.#port.elapsedMs()
          this.#dispatch({ _tag: "ConnectionLost", loss, nowMs, random: this.#port.random() })
        }
      })
    } catch (error) {
      this.fail({ code: "E_UNREACHABLE", message: String(error) })
    }
  }

  // A browser does not show the service's pings, so a silently dead network needs a question.
  #startBeat(): void {
    this.#heard = true
    this.#asked = false
    this.#beat()
  }

  #beat(): void {
    this.#timers.beat = this.#port.after(this.#settings.silentForMs, () => {
      if (!this.#heard && this.#asked) {
        return this.fail({ code: "E_SILENT", message: "the service went silent" })
      }
      this.#asked = !this.#heard
      this.#heard = false
      if (this.#asked) this.send(this.#owner.ping())
      this.#beat()
    })
  }
}

const ended = (cancel: Cancel | null): null => {
  cancel?.()
  return null
}

const refusalOf = (error: unknown): Refusal =>
  error instanceof JoinError
    ? { code: error.code, message: error.reason }
    : { code: "E_TOKEN", message: messageOf(error) }
