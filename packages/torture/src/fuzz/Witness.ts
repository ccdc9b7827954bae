import { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { CaseContext, type Stage } from "./CaseContext.ts"
import { Tally } from "./Tally.ts"
import type { Wire } from "./Wire.ts"

/** Longest that the room beside may take for an answer, on a machine that is busy with all this. */
const AnswerMs = 5_000
const PauseMs = 50

/** A client of a room that behaves, beside all the others: it must not notice them. */
export class Witness {
  readonly #wire: Wire
  readonly #tookMs: number[] = []
  #says: string | null = null
  #stopped = false
  readonly #over: Promise<void>

  private constructor(wire: Wire) {
    this.#wire = wire
    this.#over = this.#ask()
  }

  static async start(stage: Stage): Promise<Witness> {
    const context = new CaseContext(stage, new Chance(0), new Tally())
    return new Witness(await context.join("beside", "beside"))
  }

  /** What the room beside noticed, or `null`. */
  get says(): string | null {
    return this.#says
  }

  get line(): string {
    const sorted = this.#tookMs.toSorted((a, b) => a - b)
    const at = (share: number): string =>
      (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
    return `${sorted.length} answers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#over
  }

  /** Ends the connection, before the service does. */
  leave(): void {
    this.#wire.destroy()
  }

  /** The code with which the service closed the connection in the end. */
  async closed(): Promise<number | null> {
    await this.#wire.until(() => this.#wire.closeCode !== null || this.#wire.ended)
    this.#wire.destroy()
    return this.#wire.closeCode
  }

  async #ask(): Promise<void> {
    const wire = this.#wire
    for (let id = 1; !this.#stopped && this.#says === null; id++) {
      const startedAt = performance.now()
      wire.frames.length = 0
      // The record of the arguments: {by: 1}.
      wire.send(packValue([ClientFrame.rpc, id, 0, new Uint8Array([1, 0, 0, 0])]))
      const answer = (): ReadonlyArray<unknown> | undefined =>
        wire.frames.find((frame) => frame[0] === ServerFrame.rpcResult && frame[1] === id)
      await wire.until(() => answer() !== undefined || wire.ended, AnswerMs)
      if (answer()?.[2] !== true) {
        this.#says = wire.ended
          ? `the room beside was closed with ${wire.closeCode}`
          : `the room beside gave no answer within ${AnswerMs} ms`
      } else this.#tookMs.push(performance.now() - startedAt)
      await sleep(PauseMs)
    }
  }
}
