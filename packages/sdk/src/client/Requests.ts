import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

import { type AnswerLoss, answerLosses, RequestError } from "./ClientErrors.ts"
import type { ClientPort } from "./ClientPort.ts"
import type { Cancel } from "./PlatformPort.ts"

interface Waiting {
  readonly name: string
  readonly settle: (answer: Answer) => void
  readonly cancel: Cancel
  sent: boolean
}

type Answer = { readonly value: unknown } | { readonly error: RequestError }

/** Requests that wait for their answer, by id. */
export class Requests {
  readonly #after: ClientPort["after"]
  readonly #waiting = new Map<number, Waiting>()
  #lastId: number

  /** @param lastId ids begin after it */
  constructor(after: ClientPort["after"], lastId = 0) {
    this.#after = after
    this.#lastId = lastId
  }

  /** Registers a request. `timedOut` runs when no answer came in time, before the rejection. */
  add(request: {
    readonly name: string
    readonly timeoutMs: number
    readonly timedOut: (id: number) => void
  }): { readonly id: number; readonly answer: Promise<unknown> } {
    if (this.#waiting.size >= ClientLimits.rpcsWaiting.max) {
      throw new RequestError(
        RoomRefusals.rpcBusy.code,
        `${request.name}: too many requests wait for an answer`
      )
    }
    const id = this.#nextId()
    const answer = new Promise<unknown>((resolve, reject) => {
      const cancel = this.#after(request.timeoutMs, () => {
        request.timedOut(id)
        const text = `${request.name}: no answer within ${request.timeoutMs} ms`
        this.settle(id, { error: new RequestError(RoomRefusals.rpcTimeout.code, text) })
      })
      const settle = (settled: Answer): void => {
        if ("error" in settled) reject(settled.error)
        else resolve(settled.value)
      }
      this.#waiting.set(id, { name: request.name, settle, cancel, sent: false })
    })
    return { id, answer }
  }

  nameOf(id: number): string | null {
    return this.#waiting.get(id)?.name ?? null
  }

  sent(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) waiting.sent = true
  }

  /** Answers for a request that nobody waits for any more are dropped. */
  settle(id: number, answer: Answer): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    waiting.cancel()
    waiting.settle(answer)
  }

  /** Rejects what was sent and can no longer be answered; it may have been carried out. */
  lost(by: AnswerLoss): void {
    for (const [id, waiting] of Array.from(this.#waiting)) {
      if (waiting.sent) this.#lose(id, waiting.name, by)
    }
  }

  /** Rejects everything: the room was left. */
  end(): void {
    for (const [id, waiting] of Array.from(this.#waiting))
      this.#lose(id, waiting.name, "disconnect")
  }

  #lose(id: number, name: string, by: AnswerLoss): void {
    const { code, says } = answerLosses[by]
    this.settle(id, { error: new RequestError(code, `${name}: ${says}`) })
  }

  #nextId(): number {
    // Ids are u32 on the wire; the few that still wait are stepped over when they wrap.
    do {
      this.#lastId = (this.#lastId + 1) >>> 0
    } while (this.#waiting.has(this.#lastId))
    return this.#lastId
  }
}
