import type { RoomKey } from "@atrium/domain/Ids"
import type { RoomClass } from "@atrium/domain/RoomClass"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import type { RoomState } from "../room/RoomMachine.ts"
import { type RoomCensus, roomCensus } from "./RoomCensus.ts"

/** What the room's row holds beside its state. */
export interface RoomRow {
  readonly state: RoomState
  readonly isPublic: boolean
  readonly started: boolean
}

/** Facts of a room that the row shows and the state does not hold. */
export interface RoomFacts {
  readonly type: string
  readonly class: RoomClass
  readonly maxClients: number
}

/** Rows of rooms: the actor's own state, and what the list route shows. A failing store is a defect. */
export class RoomStore extends Context.Service<
  RoomStore,
  {
    load(key: RoomKey): Effect.Effect<RoomRow | null>
    save(key: RoomKey, state: RoomState, facts: RoomFacts | null): Effect.Effect<void>
    readonly claimEpoch: Effect.Effect<number>
    setLobby(
      key: RoomKey,
      lobby: { readonly isPublic: boolean; readonly started: boolean }
    ): Effect.Effect<void>
  } & RoomCensus
>()("@atrium/actors/store/RoomStore") {
  static readonly layerSql = Layer.effect(
    RoomStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const load = Effect.fn("RoomStore.load")(function* (key: RoomKey) {
        const rows = yield* Effect.orDie(sql<{
          readonly state: unknown
          readonly is_public: boolean
          readonly started: boolean
        }>`select state, is_public, started from rooms
           where project_id = ${key.projectId} and room_id = ${key.roomId}`)
        const row = rows[0]
        if (row === undefined) return null
        const state = yield* Effect.orDie(decodeState(row.state))
        return { state, isPublic: row.is_public, started: row.started }
      })

      const save = Effect.fn("RoomStore.save")(function* (
        key: RoomKey,
        state: RoomState,
        facts: RoomFacts | null
      ) {
        if (state._tag === "Absent") {
          yield* Effect.orDie(sql`delete from rooms
            where project_id = ${key.projectId} and room_id = ${key.roomId}`)
          return
        }
        const nowMs = yield* Clock.currentTimeMillis
        const shown = shownOf(state)
        const clients =
          shown.status === "awake" || shown.status === "restarting" ? sql`rooms.clients` : sql`0`
        yield* Effect.orDie(sql`
          insert into rooms (project_id, room_id, state, status, type, class, epoch, slot,
            clients, max_clients, is_public, started, last_seen_ms)
          values (${key.projectId}, ${key.roomId}, ${pg.json(state)}, ${shown.status},
            ${facts?.type ?? shown.type}, ${facts?.class ?? "standard"}, ${shown.epoch ?? 0},
            ${shown.slot}, 0, ${facts?.maxClients ?? 0}, false, false, ${nowMs})
          on conflict (project_id, room_id) do update set
            state = excluded.state,
            status = excluded.status,
            type = excluded.type,
            class = ${facts === null ? sql`rooms.class` : sql`excluded.class`},
            max_clients = ${facts === null ? sql`rooms.max_clients` : sql`excluded.max_clients`},
            epoch = greatest(rooms.epoch, excluded.epoch),
            slot = coalesce(excluded.slot, rooms.slot),
            clients = ${clients},
            last_seen_ms = excluded.last_seen_ms`)
      })

      const claimEpoch = sql<{ readonly epoch: bigint }>`
        select nextval('room_epochs') as epoch`.pipe(
        Effect.orDie,
        Effect.map((rows) => Number(rows[0]?.epoch)),
        Effect.withSpan("RoomStore.claimEpoch")
      )

      const setLobby = Effect.fn("RoomStore.setLobby")(function* (
        key: RoomKey,
        lobby: { readonly isPublic: boolean; readonly started: boolean }
      ) {
        yield* Effect.orDie(sql`
          update rooms set is_public = ${lobby.isPublic}, started = ${lobby.started}
          where project_id = ${key.projectId} and room_id = ${key.roomId}`)
      })

      return { load, save, claimEpoch, setLobby, ...roomCensus(sql) }
    })
  )
}

/** The public words for where a room is in its life. Source: D-14. */
export const RoomStatuses = [
  "starting",
  "awake",
  "draining",
  "hibernated",
  "restarting",
  "closed"
] as const

interface Shown {
  readonly status: (typeof RoomStatuses)[number]
  readonly type: string
  readonly epoch: number | null
  readonly slot: number | null
}

/** The public words for a state. Source: D-14. */
const shownOf = (state: Exclude<RoomState, { readonly _tag: "Absent" }>): Shown => {
  switch (state._tag) {
    case "Hibernated":
      return { status: "hibernated", type: state.type, epoch: null, slot: null }
    case "Closed":
      return { status: "closed", type: state.type, epoch: null, slot: null }
    case "Placing":
      return { status: "starting", type: state.kind.type, epoch: null, slot: null }
    case "Starting":
      return { status: "starting", type: state.at.type, epoch: state.at.epoch, slot: null }
    case "Awake":
      return { status: "awake", type: state.at.type, epoch: state.at.epoch, slot: state.slot }
    case "Draining":
      return { status: "draining", type: state.at.type, epoch: state.at.epoch, slot: state.slot }
    case "Restarting":
      return { status: "restarting", type: state.at.type, epoch: state.at.epoch, slot: state.slot }
  }
}

const Kind = {
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  version: Schema.Int
}
const At = Schema.Struct({ ...Kind, epoch: Schema.Int, serverIndex: Schema.Int })
const Restarts = Schema.Array(Schema.Int)

/** The stored form of a room's state: the same words as the machine's, so that a row can be read. */
const StoredState = Schema.Union([
  Schema.TaggedStruct("Absent", {}),
  Schema.TaggedStruct("Hibernated", { type: Schema.String }),
  Schema.TaggedStruct("Closed", { type: Schema.String }),
  Schema.TaggedStruct("Placing", {
    kind: Schema.Struct(Kind),
    serverIndex: Schema.Int,
    stored: Schema.Boolean
  }),
  Schema.TaggedStruct("Starting", { at: At, stored: Schema.Boolean }),
  Schema.TaggedStruct("Awake", { at: At, slot: Schema.Int, restarts: Restarts }),
  Schema.TaggedStruct("Draining", {
    at: At,
    slot: Schema.Int,
    restarts: Restarts,
    reason: Schema.Literals(["empty", "redeploy", "shutdown"])
  }),
  Schema.TaggedStruct("Restarting", { at: At, slot: Schema.Int, restarts: Restarts })
])
const decodeState = Schema.decodeUnknownEffect(StoredState)
