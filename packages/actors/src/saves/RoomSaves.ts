import type { RoomKey } from "@atrium/domain/shared/Ids"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Context, Effect, Layer, Option } from "effect"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import {
  allSavesPrefix,
  type Fenced,
  RoomObjects,
  saveKey,
  snapshotKey,
  storedSaves,
  type StoredSave
} from "../rooms/RoomObjects.ts"
import type { SaveRef } from "../rooms/RoomState.ts"
import { RandomHex } from "../store/Secrets.ts"

/** The save generations of rooms: found, read, and put in the place of a room's state. Source: D-11, D-48. */
export class RoomSaves extends Context.Service<
  RoomSaves,
  {
    /** `null` = the room has no such generation; a malformed id answers like an unknown one. */
    find(key: RoomKey, saveId: string): Effect.Effect<StoredSave | null>
    /** The state as the schema's codec reads it; `null` = it is gone. */
    bytes(key: RoomKey, save: SaveRef): Effect.Effect<Uint8Array<ArrayBuffer> | null>
    /**
     * Makes a generation the room's newest state, and a new generation, in one piece. False = it is
     * gone, and nothing has changed.
     */
    place(key: RoomKey, placing: Placing): Effect.Effect<boolean, Fenced>
  }
>()("@atrium/actors/saves/RoomSaves") {
  static readonly layer = Layer.effect(
    RoomSaves,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const roomObjects = yield* RoomObjects
      const packing = yield* Packing
      const randomHex = yield* RandomHex

      const find = Effect.fn("RoomSaves.find")(function* (key: RoomKey, saveId: string) {
        const saves = storedSaves(key, yield* objects.list(allSavesPrefix(key)))
        return saves.find((save) => save.saveId === saveId) ?? null
      })

      const bytes = Effect.fn("RoomSaves.bytes")(function* (key: RoomKey, save: SaveRef) {
        const stored = Option.getOrNull(yield* objects.get(saveKey(key, save)))
        if (stored === null) return null
        return yield* packing.unpack(stored, RuntimeLimits.snapshotBytes.max)
      })

      const place = Effect.fn("RoomSaves.place")(function* (
        key: RoomKey,
        { save, epoch }: Placing
      ) {
        const found = yield* find(key, save.saveId)
        const stored = Option.getOrNull(yield* objects.get(saveKey(key, save)))
        if (found === null || stored === null) return false
        const { version } = save
        const manifest = { ...found.manifest, epoch }
        const snapshot = {
          key: snapshotKey(key, version),
          bytes: stored,
          manifest: { ...manifest, kind: "snapshot", reason: "restore" }
        }
        const generation = {
          key: saveKey(key, { version, saveId: `sv_${randomHex(16)}` }),
          bytes: stored,
          manifest: { ...manifest, kind: "save", reason: "restore" }
        }
        yield* roomObjects.put([snapshot, generation], { ...key, epoch })
        yield* roomObjects.prune(key, version)
        return true
      })

      return { find, bytes, place }
    })
  )
}

/** A generation, and the epoch under which it becomes the room's state. */
export interface Placing {
  readonly save: SaveRef
  readonly epoch: number
}
