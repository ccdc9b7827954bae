import { SecondMs } from "@atrium/wire/limits/Limit"

import type { FootageListener, RoomFootage } from "../RoomProcess.ts"

/** A recording has a chunk in each of these. */
const everyMs = 5 * SecondMs

/** A chunk of a played room. Each start counts its own. */
export interface PlayedChunk {
  readonly epoch: number
  readonly number: number
}

const bytesOf = (chunk: PlayedChunk): Uint8Array => new TextEncoder().encode(JSON.stringify(chunk))

export const chunkIn = (bytes: Uint8Array): PlayedChunk =>
  // Only this file writes them.
  JSON.parse(new TextDecoder().decode(bytes)) as PlayedChunk

interface Wires {
  /** Absent = the room records nothing. */
  readonly listener: FootageListener | undefined
  order(run: () => void): void
  report(run: () => void): void
  afterByRule(ms: number, run: () => void): void
}

/** The footage of a played room: each chunk says which start it is of, and its place. */
export class PlayedFootage implements RoomFootage {
  readonly #wires: Wires
  #epoch = 0
  #number = 0
  /** `null` = none runs. */
  #recording: string | null = null

  constructor(wires: Wires) {
    this.#wires = wires
  }

  /** @param recording that of the start before, which goes on */
  start(epoch: number, recording: string | null): void {
    this.#epoch = epoch
    if (recording !== null) this.record(recording)
  }

  record(replayId: string): void {
    this.#recording = replayId
    this.#wait(replayId)
  }

  #wait(replayId: string): void {
    this.#wires.afterByRule(everyMs, () => {
      if (this.#recording !== replayId) return
      this.cut()
      this.#wait(replayId)
    })
  }

  /** The chunk of now ends. */
  cut(last = false): void {
    if (this.#recording === null) return
    const { report, listener } = this.#wires
    const number = ++this.#number
    report(() => listener?.chunkReady({ number, last }))
  }

  /** Nothing of the room moves any more. */
  end(): void {
    this.cut(true)
    this.#recording = null
  }

  takeChunk(requestId: number, { number }: { readonly number: number }): void {
    const { order, report, listener } = this.#wires
    const bytes = bytesOf({ epoch: this.#epoch, number })
    order(() => report(() => listener?.chunk(requestId, bytes)))
  }

  /** Nobody asks a played room from outside. */
  makeClip(): void {}

  recordingEnded(replayId: string): void {
    this.#wires.order(() => {
      if (this.#recording === replayId) this.#recording = null
    })
  }

  /** It keeps no bytes. */
  resize(): void {}
}
