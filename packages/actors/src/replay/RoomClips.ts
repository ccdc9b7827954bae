import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import type { ChunkWanted } from "@atrium/runtime/host/HostOrders"
import { ReplayCodes } from "@atrium/wire/replay/ReplayCodes"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { SchemaDescriptor } from "@atrium/wire/schema"
import { durationMs } from "@atrium/wire/time/Duration"
import { Effect, Option, Semaphore } from "effect"

import { CapWalls } from "../meters/CapWalls.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomFootage } from "../process/RoomProcess.ts"
import type { StartOrder } from "../servers/ServerProtocol.ts"
import { RandomHex } from "../store/Secrets.ts"
import type { ChunkPulls } from "./ChunkPulls.ts"
import { ReplayRefused, type WantedClip } from "./LiveReplays.ts"
import type { NewChunk } from "./ReplayRows.ts"
import { ReplayStore } from "./ReplayStore.ts"

/** The incarnation whose footage it is. */
export interface Recorded {
  readonly key: RoomKey
  readonly order: StartOrder
  /** Of its public state. */
  readonly schema: SchemaDescriptor
  readonly footage: () => RoomFootage | undefined
}

/** Takes a chunk from the room and makes it one that can be stored; one chunk of a room at a time. */
export type PackChunk = (
  wanted: ChunkWanted,
  fromMs: number | null
) => Effect.Effect<NewChunk, ReplayRefused>

export const makePackChunk = Effect.fnUntraced(function* ({ schema }: Recorded, pulls: ChunkPulls) {
  const pool = yield* ProcessPool
  // The service holds one chunk of a room, however many clips its process asks for.
  const turn = yield* Semaphore.make(1)
  const pack: PackChunk = Effect.fnUntraced(function* (wanted, fromMs) {
    const bytes = yield* pulls.pull(wanted)
    if (bytes === null) return yield* notMade("the room did not hand over its footage")
    const answer = yield* pool.pack({ schema, bytes, fromMs })
    if (answer._tag === "Packed") return answer.chunk
    yield* Effect.logWarning(`a chunk of a replay was not packed: ${answer.why}`)
    return yield* notMade("a chunk of the footage could not be packed")
  })
  const packChunk: PackChunk = (wanted, fromMs) => turn.withPermits(1)(pack(wanted, fromMs))
  return packChunk
})

/** The service could not do what was asked. */
export const notMade = (message: string): ReplayRefused =>
  new ReplayRefused({ code: RoomRefusals.callFailed.code, message })

/** The project's storage wall. While the store does not tell, it stores no replay either. */
export const makeWallOf = Effect.fnUntraced(function* ({ key }: Pick<Recorded, "key">) {
  const walls = yield* CapWalls
  const wallOf: Effect.Effect<CapWall | null> = walls
    .of(key.projectId, ["storageBytes"])
    .pipe(Effect.catchCause(() => Effect.succeed(null)))
  return wallOf
})

/** 24 bytes in base64url. Source: D-57. */
export const replayIdOf = (randomHex: (characters: number) => string): string =>
  `rp_${Buffer.from(randomHex(48), "hex").toString("base64url")}`

/** Makes clips of what a room describes: one chunk after the other, of which the first one is cut. */
export const makeClips = Effect.fnUntraced(function* (recorded: Recorded, packChunk: PackChunk) {
  const { key, order } = recorded
  const store = yield* ReplayStore
  const randomHex = yield* RandomHex
  const wallOf = yield* makeWallOf(recorded)
  const underWay = yield* Semaphore.make(ReplayLimits.clipsUnderWay.max)
  const make = Effect.fn("Replay.clip")(function* ({ ttl, fromMs, chunks: numbers }: WantedClip) {
    const wall = yield* wallOf
    if (wall !== null) {
      return yield* new ReplayRefused({ code: "E_CAP_REACHED", message: wallText(wall) })
    }
    const chunks: Array<NewChunk> = []
    let bytes = 0
    for (const [place, number] of numbers.entries()) {
      const chunk = yield* packChunk({ number, recording: false }, place === 0 ? fromMs : null)
      bytes += chunk.plainBytes
      if (bytes > ReplayLimits.clipBytes.max) return yield* tooLarge
      chunks.push(chunk)
    }
    const replayId = replayIdOf(randomHex)
    const { type, version } = order
    const clip = { replayId, key, type, version, ttlMs: durationMs(ttl) ?? 0 }
    const row = yield* store.add(clip, chunks)
    if (row === null) return yield* notMade("the project is gone")
    return { clipId: replayId, expiresAtMs: row.expiresAtMs }
  })
  return (wanted: WantedClip) =>
    underWay
      .withPermitsIfAvailable(1)(make(wanted))
      .pipe(Effect.flatMap(Option.match({ onNone: () => tooMany, onSome: Effect.succeed })))
})

const tooMany = new ReplayRefused({
  code: ReplayCodes.clipCooldown,
  message: `clip: ${ReplayLimits.clipsUnderWay.max} clips of the room are being stored; ask later`
})

const tooLarge = new ReplayRefused({
  code: ReplayCodes.clipTooLarge,
  message: `clip: over ${ReplayLimits.clipBytes.max} bytes; ask for fewer seconds`
})
