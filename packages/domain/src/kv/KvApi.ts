import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { limitedOnWire, onWire } from "../http/onWire.ts"
import { limitQuery } from "../http/PageQuery.ts"
import { playerParts } from "../http/PathParts.ts"
import { roomCall } from "../rooms/RoomCall.ts"
import {
  BadRequest,
  CapReached,
  KvKeyNotFound,
  KvKeysFull,
  KvKeyTooLong,
  KvPlayerIdTooLong,
  KvRate,
  KvRowsFull,
  KvValueTooLarge
} from "../shared/Refusal.ts"

const key = Schema.String.annotate({
  description: `Text of 1 to ${KvLimits.kvKeyBytes.max} bytes, without the zero character.`,
  examples: ["inventory/sword"]
})

const version = Schema.Int.annotate({
  description: "Another one after each write, and never the same again."
})

/** One entry. Source: C-574. */
const KvRow = Schema.Struct({
  key,
  value: Schema.Json,
  version,
  writtenAt: Moment
}).annotate({ identifier: "KvEntry", description: "What a player has under a key." })
export type KvRow = typeof KvRow.Type

const KvRows = Schema.Struct({
  entries: Schema.Array(KvRow),
  next: Schema.NullOr(Schema.String).annotate({
    description: "`after` of the next page; `null` = there is none."
  })
})

const refusals = [
  onWire(BadRequest),
  onWire(KvKeyTooLong),
  onWire(KvPlayerIdTooLong),
  limitedOnWire(KvRate)
] as const

/** KV of the players of a project: the developer's own login credential. Source: C-574. */
export class KvApi extends HttpApiGroup.make("kv")
  .annotateMerge(
    OpenApi.annotations({
      title: "Player KV",
      description: "What room code keeps of a player. No API key reaches it."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/players/:playerId/kv", {
      params: playerParts,
      query: {
        prefix: Schema.optionalKey(Schema.String),
        after: Schema.optionalKey(Schema.String),
        limit: limitQuery(KvLimits.kvPageEntries.max)
      },
      success: KvRows,
      error: refusals
    }).annotate(OpenApi.Summary, "Lists a player's entries by key, a page at a time."),
    HttpApiEndpoint.get("get", "/v1/projects/:id/players/:playerId/kv/entry", {
      params: playerParts,
      query: { key },
      success: KvRow,
      error: [...refusals, onWire(KvKeyNotFound)]
    }).annotate(OpenApi.Summary, "Reads a player's entry."),
    HttpApiEndpoint.put("set", "/v1/projects/:id/players/:playerId/kv/entry", {
      params: playerParts,
      query: NoQuery,
      payload: Schema.Struct({ key, value: Schema.Json }),
      success: Schema.Struct({ key, version }),
      error: [
        ...refusals,
        onWire(KvValueTooLarge),
        onWire(KvKeysFull),
        onWire(KvRowsFull),
        onWire(CapReached)
      ]
    })
      .annotate(OpenApi.Summary, "Writes a player's entry.")
      .annotateMerge(audited("kv.set", "playerId")),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/players/:playerId/kv/entry", {
      params: playerParts,
      query: { key },
      success: Schema.Struct({ key, deleted: Schema.Literal(true) }),
      error: [...refusals, onWire(KvKeyNotFound)]
    })
      .annotate(OpenApi.Summary, "Deletes a player's entry.")
      .annotateMerge(audited("kv.delete", "playerId"))
  )
  .middleware(ProjectAccess) {}

/** Of a value JSON text travels: what room code gets is byte by byte what it gave. */
const json = Schema.String
const named = { player: Schema.String, key: Schema.String }
const entry = { value: json, version: Schema.Int }
const limit = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: KvLimits.kvPageEntries.max })
)

/** What room code asks of its players' KV: `kv.get`, `kv.list`, `kv.set`, `kv.delete`. */
export const kvGetCall = roomCall({
  payload: Schema.Struct(named),
  answer: Schema.NullOr(Schema.Struct(entry))
})
export const kvListCall = roomCall({
  payload: Schema.Struct({
    player: Schema.String,
    prefix: Schema.String,
    after: Schema.String,
    limit
  }),
  answer: Schema.Struct({
    entries: Schema.Array(Schema.Struct({ key: Schema.String, ...entry })),
    next: Schema.NullOr(Schema.String)
  })
})
export const kvSetCall = roomCall({
  payload: Schema.Struct({
    ...named,
    value: json,
    /** The version that the entry must have: 0 = no entry may exist, `null` = the write does not compare. */
    expected: Schema.NullOr(Schema.Int)
  }),
  /** The new version; `null` = the entry is not the expected one, and stays as it is. */
  answer: Schema.NullOr(Schema.Int)
})
export const kvDeleteCall = roomCall({
  payload: Schema.Struct(named),
  /** Whether there was an entry. */
  answer: Schema.Boolean
})
