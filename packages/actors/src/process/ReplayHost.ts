import { HostFrameError } from "@atrium/runtime/host/HostFrames"
import { type ChunkWanted, type ClipOptions, Orders } from "@atrium/runtime/host/HostOrders"
import type { ReportSink } from "@atrium/runtime/host/RoomReports"

import type { FootageListener, RoomFootage } from "./RoomProcess.ts"

/** What the footage of a room needs of the host of its process. */
interface ReplayHostParts {
  readonly send: (order: Uint8Array) => void
  /** The listener of a room that is in the state to report this. Errors: `HostFrameError`. */
  readonly running: (what: string) => FootageListener | undefined
  /** The bytes of the frame that is being read were asked for: they do not count as sent. */
  readonly askedFor: () => void
}

/** The service's side of the footage that a room process holds. Believes nothing that comes out of it. */
export class ReplayHost implements RoomFootage {
  readonly #parts: ReplayHostParts
  readonly #chunks = new Set<number>()
  readonly #clips = new Set<number>()

  constructor(parts: ReplayHostParts) {
    this.#parts = parts
  }

  takeChunk(requestId: number, wanted: ChunkWanted): void {
    this.#chunks.add(requestId)
    this.#parts.send(Orders.takeChunk(requestId, wanted))
  }

  makeClip(requestId: number, options: ClipOptions): void {
    this.#clips.add(requestId)
    this.#parts.send(Orders.makeClip(requestId, options))
  }

  recordingEnded(replayId: string, why: string): void {
    this.#parts.send(Orders.recordingEnded(replayId, why))
  }

  resize(bytes: number): void {
    this.#parts.send(Orders.ringBytes(bytes))
  }

  readonly sink: Pick<ReportSink, "chunk" | "chunkReady" | "recordingLost" | "clipMade"> = {
    chunk: (requestId, bytes) => {
      const listener = this.#parts.running("chunk")
      demandAsked(this.#chunks, requestId, "chunk")
      this.#parts.askedFor()
      listener?.chunk(requestId, bytes)
    },
    chunkReady: (chunk) => this.#parts.running("chunkReady")?.chunkReady(chunk),
    recordingLost: () => this.#parts.running("recordingLost")?.recordingLost(),
    clipMade: (requestId, answer) => {
      const listener = this.#parts.running("clipMade")
      demandAsked(this.#clips, requestId, "clip")
      listener?.clipMade(requestId, answer)
    }
  }
}

const demandAsked = (ids: Set<number>, id: number, what: string): void => {
  if (!ids.delete(id)) throw new HostFrameError(`${what} ${id} was not requested`)
}
