import { messageOf, stackOf } from "@atrium/runtime/room/ErrorText"

import type { ExitCause } from "../process/ExitCause.ts"
import type {
  JoinRequest,
  RoomProcess,
  RoomProcessListener,
  RoomStart
} from "../process/RoomProcess.ts"
import { LiveRelay, type RelayRoomSettings } from "./LiveRelay.ts"
import { machinePort, type RelayPort } from "./RelayPort.ts"

/**
 * A room without code: its clients write its state, as far as the rules let them. It runs inside the
 * runner, and the runner handles it as it handles a room process. Source: D-24, docs/protocol.md.
 */
export class RelayRoom implements RoomProcess {
  /** There is no process to signal. */
  readonly pid = 0
  readonly #settings: RelayRoomSettings
  readonly #listener: RoomProcessListener
  readonly #port: RelayPort
  #live: LiveRelay | null = null
  #ended = false

  constructor(
    settings: RelayRoomSettings,
    listener: RoomProcessListener,
    port: RelayPort = machinePort
  ) {
    this.#settings = settings
    this.#listener = listener
    this.#port = guarded(port, (error) => this.#failed(error))
  }

  start(start: RoomStart): void {
    if (this.#live !== null || this.#ended) return
    const live = new LiveRelay(this.#settings, this.#listener, { port: this.#port, start })
    try {
      live.restore()
    } catch (error) {
      return this.#exit("code", messageOf(error))
    }
    this.#live = live
    this.#listener.ready()
    this.#attempt(() => live.begin())
  }

  join(request: JoinRequest): void {
    this.#live?.join(request)
  }

  data(ref: number, frame: Uint8Array): void {
    try {
      this.#live?.data(ref, frame)
    } catch (error) {
      this.#failed(error)
    }
  }

  drop(ref: number): void {
    this.#attempt((live) => live.drop(ref))
  }

  leave(ref: number): void {
    this.#attempt((live) => live.leave(ref))
  }

  requestSnapshot(requestId: number, { final }: { readonly final: boolean }): void {
    this.#attempt((live) => live.takeSnapshot(requestId, final))
  }

  peek(requestId: number): void {
    this.#attempt((live) => live.peek(requestId))
  }

  /** A relay room asks for no saves. */
  saved(): void {}

  /** It has answered each order before the order returns. */
  settled(then: () => void): void {
    then()
  }

  /** A relay room has no code that calls. */
  callAnswered(): void {}

  clockMoved(nowMs: number, runs: boolean): void {
    this.#attempt((live) => live.clockMoved(nowMs, runs))
  }

  kill(cause: ExitCause): void {
    this.#exit(cause, "ended by the service")
  }

  #attempt(act: (live: LiveRelay) => void): void {
    if (this.#live === null) return
    try {
      act(this.#live)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** A fault of ours ends this room alone, as it would in a process of its own. */
  #failed(error: unknown): void {
    if (this.#ended) return
    this.#listener.log("error", `the relay room failed: ${stackOf(error)}`)
    this.#exit("crashed", messageOf(error))
  }

  #exit(cause: ExitCause, detail: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#live?.stop()
    this.#live = null
    this.#port.soon(() => this.#listener.exited({ cause, detail }))
  }
}

const guarded = (port: RelayPort, failed: (error: unknown) => void): RelayPort => {
  const safe = (run: () => void) => (): void => {
    try {
      run()
    } catch (error) {
      failed(error)
    }
  }
  return {
    nowMs: () => port.nowMs(),
    setTimer: (delayMs, run) => port.setTimer(delayMs, safe(run)),
    afterTurn: (run) => port.afterTurn(safe(run)),
    soon: (run) => port.soon(safe(run))
  }
}
