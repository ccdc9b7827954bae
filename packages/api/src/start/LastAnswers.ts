import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { Effect } from "effect"

import { bytesOf } from "../http/RawRefusal.ts"
import { faultRefusal, unreadableRefusal } from "../http/RequestFault.ts"
import { makeRequestId, requestIdOf } from "../http/RequestId.ts"

const floodRefusal = faultRefusal(
  `connection: over ${HttpLimits.requestsWaiting.max} requests wait for answers`
)

/**
 * The ends of connections that go wrong. A peer that is still sending when its connection is destroyed
 * gets a reset, which may take the answer along. So the answer is sent first, and the connection ends a moment later.
 */
export class LastAnswers {
  readonly #answering = new WeakMap<Duplex, Set<ServerResponse>>()
  readonly #refused = new WeakSet<Duplex>()
  /** Requests that came behind the last answer. */
  readonly #unread = new WeakMap<Duplex, number>()
  readonly #run: (effect: Effect.Effect<void>) => void

  constructor(run: (effect: Effect.Effect<void>) => void) {
    this.#run = run
  }

  /** A request came. `false` = what comes after the last answer is not even read. */
  begins(response: ServerResponse): boolean {
    const { socket } = response.req
    const open = this.#answering.get(socket) ?? new Set()
    if (this.#refused.has(socket) || open.size >= HttpLimits.requestsWaiting.max) {
      this.#flood(response)
      return false
    }
    this.#answering.set(socket, open.add(response))
    response.once("close", () => open.delete(response))
    return true
  }

  /** Too many requests: the peer is told once, and cut off if it goes on. */
  #flood({ req }: ServerResponse): void {
    const { socket } = req
    const times = (this.#unread.get(socket) ?? 0) + 1
    this.#unread.set(socket, times)
    if (times > HttpLimits.requestsWaiting.max) socket.destroy()
    else this.refuse(socket, bytesOf(floodRefusal, requestIdOf(req)))
  }

  /** Something came that Node's parser does not take for a request, or for the rest of one. */
  unreadable(error: NodeJS.ErrnoException, stream: Duplex): void {
    const open = [...(this.#answering.get(stream) ?? [])]
    const half = open.find(({ req }) => !req.complete)
    // The request whose body this is will never be whole; half an answer must not be followed by another.
    if (error.code === "ECONNRESET" || half?.headersSent === true) return void stream.destroy()
    const id = half === undefined ? makeRequestId() : requestIdOf(half.req)
    this.refuse(stream, bytesOf(unreadableRefusal(error), id), half)
  }

  /** Ends a connection with these bytes, behind the answers that are due; `instead` will not be given. */
  refuse(stream: Duplex, bytes: string, instead?: ServerResponse): void {
    if (this.#refused.has(stream)) return
    this.#refused.add(stream)
    const due = [...(this.#answering.get(stream) ?? [])].filter((each) => each !== instead).at(-1)
    if (due === undefined) this.#end(stream, bytes)
    else due.once("close", () => this.#end(stream, bytes))
  }

  #end(stream: Duplex, bytes: string): void {
    if (!stream.writable) return void stream.destroy()
    stream.end(bytes)
    // The end of the service destroys it, too: the service waits for every connection.
    const destroyed = Effect.sync(() => stream.destroy())
    this.#run(Effect.ensuring(Effect.sleep(HttpLimits.lastAnswer.ms), destroyed))
  }
}
