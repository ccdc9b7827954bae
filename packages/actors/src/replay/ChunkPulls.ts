import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import type { ChunkWanted, ClipOptions } from "@atrium/runtime/host/HostOrders"
import type { ClipAnswer } from "@atrium/runtime/host/ReplayReports"
import { Deferred, Effect } from "effect"

import type { RoomFootage } from "../process/RoomProcess.ts"

/** Asks a room's process for chunks and clips; each answer comes once, or in time never. */
export class ChunkPulls {
  readonly #footage: () => RoomFootage | undefined
  readonly #chunks = new Map<number, Deferred.Deferred<Uint8Array>>()
  readonly #clips = new Map<number, Deferred.Deferred<ClipAnswer>>()
  #requestId = 0

  constructor(footage: () => RoomFootage | undefined) {
    this.#footage = footage
  }

  /** `null` = the room has the chunk no more, or does not answer. */
  pull(wanted: ChunkWanted): Effect.Effect<Uint8Array | null> {
    const answer = { waiting: this.#chunks, ms: ReplayStoreLimits.chunkFromRoom.ms }
    return this.#asked(answer, (requestId, footage) => footage.takeChunk(requestId, wanted)).pipe(
      Effect.map((bytes) => (bytes === null || bytes.length === 0 ? null : bytes))
    )
  }

  /** `null` = the room does not answer. */
  makeClip(options: ClipOptions): Effect.Effect<ClipAnswer | null> {
    const answer = { waiting: this.#clips, ms: ReplayStoreLimits.clipFromRoom.ms }
    return this.#asked(answer, (requestId, footage) => footage.makeClip(requestId, options))
  }

  chunk(requestId: number, bytes: Uint8Array): void {
    const waiting = this.#chunks.get(requestId)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(bytes))
  }

  clipMade(requestId: number, answer: ClipAnswer): void {
    const waiting = this.#clips.get(requestId)
    if (waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.succeed(answer))
  }

  #asked<A>(
    { waiting, ms }: { waiting: Map<number, Deferred.Deferred<A>>; ms: number },
    ask: (requestId: number, footage: RoomFootage) => void
  ): Effect.Effect<A | null> {
    return Effect.suspend(() => {
      const footage = this.#footage()
      if (footage === undefined) return Effect.succeed(null)
      this.#requestId += 1
      const requestId = this.#requestId
      const answer = Deferred.makeUnsafe<A>()
      waiting.set(requestId, answer)
      ask(requestId, footage)
      return Deferred.await(answer).pipe(
        Effect.timeoutOrElse({ duration: ms, orElse: () => Effect.succeed<A | null>(null) }),
        Effect.ensuring(Effect.sync(() => waiting.delete(requestId)))
      )
    })
  }
}
