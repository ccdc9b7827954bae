import { KvAccess } from "@atrium/actors/kv/KvAccess"
import type { StoredEntry } from "@atrium/actors/kv/KvStore"
import { answerCall, type CallRefusal } from "@atrium/actors/rooms/AnsweredCall"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import {
  KvApi,
  kvDeleteCall,
  kvGetCall,
  kvListCall,
  type KvRow,
  kvSetCall
} from "@atrium/domain/kv/KvApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { KvKeyNotFound } from "@atrium/domain/shared/Refusal"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const readJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Json))

const rowOf = (key: string, { value, version, writtenAtMs }: StoredEntry): Effect.Effect<KvRow> =>
  Effect.map(Effect.orDie(readJson(value)), (json) => ({
    key,
    value: json,
    version,
    writtenAt: isoOf(writtenAtMs)
  }))

/** KV of players, as the owner of the project reads and writes it. Source: C-574. */
export const KvHandlers = HttpApiBuilder.group(
  apiOf(KvApi),
  "kv",
  Effect.fnUntraced(function* (handlers) {
    const kv = yield* KvAccess
    return handlers.handleAll({
      list: Effect.fn("kv.list")(function* ({ params: { playerId }, query }) {
        const { projectId } = yield* CallersProject
        const { prefix = "", after = "", limit = String(KvLimits.kvPageEntries.max) } = query
        const page = { prefix, after, limit: Number(limit) }
        const { entries, next } = yield* kv.list({ projectId, playerId }, page)
        return { entries: yield* Effect.forEach(entries, (entry) => rowOf(entry.key, entry)), next }
      }),
      get: Effect.fn("kv.get")(function* ({ params: { playerId }, query: { key } }) {
        const { projectId } = yield* CallersProject
        const entry = yield* kv.get({ projectId, playerId, key })
        return entry === null ? yield* new KvKeyNotFound() : yield* rowOf(key, entry)
      }),
      set: Effect.fn("kv.set")(function* ({ params: { playerId }, payload: { key, value } }) {
        const { projectId } = yield* CallersProject
        const write = { projectId, playerId, key, value: JSON.stringify(value), expected: null }
        return { key, version: (yield* kv.set(write)) ?? 0 }
      }),
      delete: Effect.fn("kv.delete")(function* ({ params: { playerId }, query: { key } }) {
        const { projectId } = yield* CallersProject
        if (!(yield* kv.delete({ projectId, playerId, key }))) return yield* new KvKeyNotFound()
        return { key, deleted: true as const }
      })
    })
  })
)

/** To room code a payload that has not the form of one is an invalid call. */
const ofRooms = <A, E extends CallRefusal, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.mapError(answer, (refusal): CallRefusal =>
    refusal._tag === "E_BAD_REQUEST"
      ? { _tag: RoomRefusals.callInvalid.code, message: refusal.message }
      : refusal
  )

/** What room code asks of its players' KV. */
export const kvCalls = {
  get: answerCall(kvGetCall, ({ projectId }, { player: playerId, key }) =>
    KvAccess.pipe(
      Effect.flatMap((kv) => kv.get({ projectId, playerId, key })),
      Effect.map((entry) =>
        entry === null ? null : { value: entry.value, version: entry.version }
      ),
      ofRooms
    )
  ),
  list: answerCall(kvListCall, ({ projectId }, { player: playerId, ...query }) =>
    KvAccess.pipe(
      Effect.flatMap((kv) => kv.list({ projectId, playerId }, query)),
      Effect.map(({ entries, next }) => ({
        entries: entries.map(({ key, value, version }) => ({ key, value, version })),
        next
      })),
      ofRooms
    )
  ),
  set: answerCall(kvSetCall, ({ projectId }, { player: playerId, ...write }) =>
    KvAccess.pipe(
      Effect.flatMap((kv) => kv.set({ projectId, playerId, ...write })),
      ofRooms
    )
  ),
  delete: answerCall(kvDeleteCall, ({ projectId }, { player: playerId, key }) =>
    KvAccess.pipe(
      Effect.flatMap((kv) => kv.delete({ projectId, playerId, key })),
      ofRooms
    )
  )
}
