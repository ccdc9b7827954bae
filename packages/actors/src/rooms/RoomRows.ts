import { BranchLimits } from "@atrium/domain/branches/BranchLimits"
import { isPlaygroundId } from "@atrium/domain/rooms/InertRoom"
import { retentionInForce } from "@atrium/domain/rooms/Retention"
import { RoomStatus } from "@atrium/domain/rooms/RoomsApi"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { TestPlayerLimits } from "@atrium/domain/testPlayers/TestPlayerLimits"
import type { SpanLimit } from "@atrium/wire/limits/Limit"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"
import { durationText } from "@atrium/wire/time/Duration"
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

import { readRows } from "../store/ReadRows.ts"
import { DrainReasons, type RoomSettings, type RoomState } from "./RoomState.ts"

const shownFields = {
  status: RoomStatus,
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  retentionOverride: Schema.NullOr(Schema.String),
  lastSeenMs: Schema.Int,
  /** Reported too long ago to be listed: what is stored alone tells whether there is a room. */
  pruned: Schema.Boolean,
  /** The room has let somebody in. One that never did is a room while it is up, and none afterwards. */
  entered: Schema.Boolean,
  /** The version to which its state could not be led; `null` = it is not in quarantine. */
  quarantined: Schema.NullOr(Schema.Int)
}

/** The columns of a room's row that a reader sees. */
export type ShownRow = Schema.Struct.Type<typeof shownFields>

/** A room's row. */
export interface RoomRow extends ShownRow {
  readonly state: RoomState
  /** The latest epoch that a start, a deletion or a restore of it was saved with. */
  readonly epoch: number
  /** Grows with each save of a state. */
  readonly revision: number
  readonly isPublic: boolean
  readonly started: boolean
  readonly lobbyMetadata: string | null
  /** The save that the room was made from; `null` = it is no branch. */
  readonly branch: BranchOf | null
}

/** Where a branch comes from. It stays on the version of its save. Source: D-58. */
const BranchOf = Schema.Struct({
  version: Schema.Int,
  roomId: Schema.String,
  saveId: Schema.String
})
export type BranchOf = typeof BranchOf.Type

/** A branch as it is added: a room that sleeps. */
export interface NewBranch extends RoomFacts {
  readonly branch: BranchOf
  readonly epoch: number
}

/** The facts that a reader of a room needs beside its objects. */
export interface ShownRoom {
  readonly row: ShownRow | null
  /** Of the project; `null` = nothing is deployed. */
  readonly currentVersion: number | null
}

/** One save of a room's state. */
export interface RoomSave {
  readonly state: RoomState
  /** The fields that the row shows from now on; `null` = as before. */
  readonly facts: RoomFacts | null
  /** The room's server was heard of: `lastSeen` moves. */
  readonly reported: boolean
  /** The revision of the row that the writer knows, `null` = there is no row; `"any"` = whatever is there. */
  readonly after: number | null | "any"
}

/** Facts of a room that the row shows and the state does not hold. */
export interface RoomFacts {
  readonly type: string
  readonly class: RoomClass
  readonly maxClients: number
}

/** The rows of rooms, one at a time. */
export interface RoomRows {
  load(key: RoomKey): Effect.Effect<RoomRow | null>
  /** What the row shows, and what the project runs now, in one read. */
  show(key: RoomKey): Effect.Effect<ShownRoom>
  /**
   * Writes a state over the row that the writer knows; an absent room has no row. Source: C-654.
   *
   * @returns `false` = the row is another one by now, and nothing was written
   */
  save(key: RoomKey, save: RoomSave): Effect.Effect<boolean>
  /** Adds a branch. @returns `false` = a room has the id, and nothing was written */
  addBranch(key: RoomKey, branch: NewBranch): Effect.Effect<boolean>
  /** Changes settings only; a room that has state and no row gets one, which is not listed. */
  saveSettings(
    key: RoomKey,
    settings: RoomSettings,
    room: { readonly state: RoomState; readonly facts: RoomFacts | null }
  ): Effect.Effect<void>
}

/** The queries of `RoomStore` about one room. */
export const roomRows = (sql: SqlClient.SqlClient, pg: PgClient.PgClient): RoomRows => ({
  load: loading(sql),
  show: showing(sql),
  save: saving(sql, pg),
  addBranch: branchAdding(sql, pg),
  saveSettings: settingsSaving(sql, pg)
})

const loading = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoomStore.load")(function* (key: RoomKey) {
    const [row] = yield* readRooms(sql`
      select state, epoch, status, type, class, is_public, started, lobby_metadata,
        retention_override, last_seen_ms, pruned, entered, quarantined, revision, branch
      from rooms where project_id = ${key.projectId} and room_id = ${key.roomId}`)
    return row ?? null
  })

/** The columns of `ShownRow`; a room that has no row has no status. */
export interface ShownColumns {
  readonly current_version: number | null
  readonly status: RoomStatus | null
  readonly type: string
  readonly class: RoomClass
  readonly retention_override: string | null
  readonly last_seen_ms: bigint
  readonly pruned: boolean
  readonly entered: boolean
  readonly quarantined: number | null
}

const showing = (sql: SqlClient.SqlClient) =>
  Effect.fn("RoomStore.show")(function* (key: RoomKey) {
    const [found] = yield* Effect.orDie(sql<ShownColumns>`
      select current_version, status, type, class, retention_override, last_seen_ms, pruned,
        entered, quarantined
      from projects
        left join rooms on rooms.project_id = projects.project_id and room_id = ${key.roomId}
      where projects.project_id = ${key.projectId}`)
    return found === undefined ? { row: null, currentVersion: null } : shownRoomOf(found)
  })

/** What the columns of a row say, read without a schema: this is on the way of every read of a room. */
export const shownRoomOf = (found: ShownColumns): ShownRoom => ({
  row: found.status === null ? null : shownRowOf(found, found.status),
  currentVersion: found.current_version
})

const shownRowOf = (found: ShownColumns, status: RoomStatus): ShownRow => ({
  status,
  type: found.type,
  class: found.class,
  retentionOverride: found.retention_override,
  lastSeenMs: Number(found.last_seen_ms),
  pruned: found.pruned,
  entered: found.entered,
  quarantined: found.quarantined
})

/**
 * A save that was sent arrives, whatever became of its writer. It must find the row that its writer knew: a row may be
 * gone or have a newer state by then, also one of the same epoch.
 */
const saving = (sql: SqlClient.SqlClient, pg: PgClient.PgClient) => {
  const inserted = inserting(sql, pg)
  const updated = updating(sql, pg)
  return Effect.fn("RoomStore.save")(function* (key: RoomKey, row: RoomSave) {
    const { state, after } = row
    const known = sql`project_id = ${key.projectId} and room_id = ${key.roomId}
      and ${after === "any" ? sql`true` : sql`revision = ${after}`}`
    if (state._tag === "Absent") {
      if (after === null) return true
      const gone = yield* Effect.orDie(sql`delete from rooms where ${known} returning 1`)
      return gone.length > 0 || after === "any"
    }
    const write = { key, row, state, nowMs: yield* Clock.currentTimeMillis }
    if (after === null) return yield* inserted(write)
    return (yield* updated(write, known)) || (after === "any" && (yield* inserted(write)))
  })
}

const branchAdding = (sql: SqlClient.SqlClient, pg: PgClient.PgClient) =>
  Effect.fn("RoomStore.addBranch")(function* (key: RoomKey, made: NewBranch) {
    const state: RoomState = { _tag: "Hibernated", type: made.type }
    const { retention, ms } = branchRetention
    const rows = yield* Effect.orDie(sql`
      insert into rooms (project_id, room_id, state, status, type, class, epoch, slot,
        clients, max_clients, is_public, started, last_seen_ms, entered, revision,
        retention_override, retention_ms, branch)
      values (${key.projectId}, ${key.roomId}, ${pg.json(state)}, 'hibernated', ${made.type},
        ${made.class}, ${made.epoch}, null, 0, ${made.maxClients}, false, false,
        ${yield* Clock.currentTimeMillis}, true, 1, ${retention}, ${ms}, ${pg.json(made.branch)})
      on conflict (project_id, room_id) do nothing returning 1`)
    return rows.length > 0
  })

interface RowWrite {
  readonly key: RoomKey
  readonly row: RoomSave
  readonly state: Exclude<RoomState, { readonly _tag: "Absent" }>
  readonly nowMs: number
}

/** Nobody was ever in the room. */
const isFresh = (state: RoomState): boolean => state._tag === "Starting" && !state.stored

const inserting =
  (sql: SqlClient.SqlClient, pg: PgClient.PgClient) =>
  ({ key, row: { facts }, state, nowMs }: RowWrite) => {
    const shown = shownOf(state)
    const { retention, ms } = firstRetention(key)
    return sql`
      insert into rooms (project_id, room_id, state, status, type, class, epoch, slot,
        clients, max_clients, is_public, started, last_seen_ms, entered, quarantined, revision,
        retention_override, retention_ms)
      values (${key.projectId}, ${key.roomId}, ${pg.json(state)}, ${shown.status},
        ${facts?.type ?? shown.type}, ${facts?.class ?? "standard"}, ${shown.epoch ?? 0},
        ${shown.slot}, 0, ${facts?.maxClients ?? 0}, false, false, ${nowMs}, ${!isFresh(state)},
        ${shown.quarantined}, 1, ${retention}, ${ms})
      on conflict (project_id, room_id) do nothing returning 1`.pipe(
      Effect.orDie,
      Effect.map((rows) => rows.length > 0)
    )
  }

const updating =
  (sql: SqlClient.SqlClient, pg: PgClient.PgClient) =>
  ({ row: { facts, reported }, state, nowMs }: RowWrite, known: Statement.Fragment) => {
    const shown = shownOf(state)
    // A room falls asleep after somebody was in it, which may not have been reported yet.
    const entered = state._tag === "Hibernated" ? sql`true` : sql`entered`
    const isCounted = shown.status === "awake" || shown.status === "restarting"
    return sql`
      update rooms set
        state = ${pg.json(state)},
        status = ${shown.status},
        type = ${facts?.type ?? shown.type},
        class = ${facts === null ? sql`class` : sql`${facts.class}`},
        max_clients = ${facts === null ? sql`max_clients` : sql`${facts.maxClients}`},
        epoch = greatest(epoch, ${shown.epoch ?? 0}),
        slot = ${shown.slot === null ? sql`slot` : sql`${shown.slot}`},
        clients = ${isCounted ? sql`clients` : sql`0`},
        last_seen_ms = ${reported ? sql`${nowMs}` : sql`last_seen_ms`},
        pruned = pruned and ${!reported},
        entered = ${isFresh(state) ? sql`false` : entered},
        quarantined = ${shown.quarantined},
        revision = revision + 1
      where ${known} returning 1`.pipe(
      Effect.orDie,
      Effect.map((rows) => rows.length > 0)
    )
  }

const settingsSaving = (sql: SqlClient.SqlClient, pg: PgClient.PgClient) =>
  Effect.fn("RoomStore.saveSettings")(function* (
    key: RoomKey,
    settings: RoomSettings,
    { state, facts }: { readonly state: RoomState; readonly facts: RoomFacts | null }
  ) {
    if (state._tag === "Absent" || Object.keys(settings).length === 0) return
    const { retention, public: isPublic } = settings
    const shown = shownOf(state)
    const { windowMs } = retentionInForce({ override: retention ?? null, declared: null })
    const override =
      retention === undefined ? sql`rooms.retention_override` : sql`excluded.retention_override`
    const listed = isPublic === undefined ? sql`rooms.is_public` : sql`excluded.is_public`
    const overrideMs =
      retention === undefined ? sql`rooms.retention_ms` : sql`excluded.retention_ms`
    yield* Effect.orDie(sql`
    insert into rooms (project_id, room_id, state, status, type, class, epoch, slot,
      clients, max_clients, is_public, started, last_seen_ms, pruned,
      retention_override, retention_ms)
    values (${key.projectId}, ${key.roomId}, ${pg.json(state)}, ${shown.status},
      ${shown.type}, ${facts?.class ?? "standard"}, 0, null, 0, ${facts?.maxClients ?? 0},
      ${isPublic ?? false}, false, ${yield* Clock.currentTimeMillis}, true,
      ${retention ?? null}, ${windowMs})
    on conflict (project_id, room_id) do update set
      retention_override = ${override}, retention_ms = ${overrideMs}, is_public = ${listed}`)
  })

const keptFor = ({ ms }: SpanLimit) => ({ retention: durationText(ms), ms })

/** The retention that a branch is given when it is made. Source: D-58. */
export const branchRetention = keptFor(BranchLimits.branchKept)
const playgroundRetention = keptFor(TestPlayerLimits.playgroundKept)

/** The retention override that a new room begins with. Source: D-60. */
export const firstRetention = ({ roomId }: RoomKey) =>
  isPlaygroundId(roomId) ? playgroundRetention : { retention: null, ms: null }

interface Shown {
  readonly status: RoomStatus
  readonly type: string
  readonly epoch: number | null
  readonly slot: number | null
  readonly quarantined: number | null
}

/** The public words for a state. Source: D-14. */
export const shownOf = (state: Exclude<RoomState, { readonly _tag: "Absent" }>): Shown => ({
  ...placeShown(state),
  quarantined: state._tag === "Closed" ? (state.quarantined ?? null) : null
})

const placeShown = (
  state: Exclude<RoomState, { readonly _tag: "Absent" }>
): Omit<Shown, "quarantined"> => {
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
    case "Evicting":
      return { status: "draining", type: state.at.type, epoch: state.at.epoch, slot: state.slot }
    case "Deleting":
      return { status: "hibernated", type: state.type, epoch: state.epoch, slot: null }
    case "Restoring": {
      const status = state.at === null ? "hibernated" : "restarting"
      return { status, type: state.type, epoch: null, slot: null }
    }
    case "Replacing":
      return { status: "restarting", type: state.type, epoch: state.epoch, slot: null }
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
/** An older program ignores this field, and tries to start the room. */
const Quarantined = { quarantined: Schema.optionalKey(Schema.Int) }
const SaveAt = Schema.Struct({ version: Schema.Int, saveId: Schema.String })

/** The stored form of a room's state: the same words as the machine's, so that a row can be read. */
const StoredState = Schema.Union([
  Schema.TaggedStruct("Absent", {}),
  Schema.TaggedStruct("Hibernated", { type: Schema.String }),
  Schema.TaggedStruct("Closed", { type: Schema.String, ...Quarantined }),
  Schema.TaggedStruct("Placing", {
    kind: Schema.Struct(Kind),
    stored: Schema.Boolean,
    ...Quarantined
  }),
  Schema.TaggedStruct("Starting", { at: At, stored: Schema.Boolean, ...Quarantined }),
  Schema.TaggedStruct("Awake", { at: At, slot: Schema.Int, restarts: Restarts }),
  Schema.TaggedStruct("Draining", {
    at: At,
    slot: Schema.Int,
    restarts: Restarts,
    reason: Schema.Literals(DrainReasons)
  }),
  Schema.TaggedStruct("Restarting", { at: At, slot: Schema.Int, restarts: Restarts }),
  Schema.TaggedStruct("Evicting", { at: At, slot: Schema.Int, restarts: Restarts }),
  Schema.TaggedStruct("Deleting", { type: Schema.String, epoch: Schema.NullOr(Schema.Int) }),
  Schema.TaggedStruct("Restoring", {
    type: Schema.String,
    save: SaveAt,
    at: Schema.NullOr(At)
  }),
  Schema.TaggedStruct("Replacing", {
    type: Schema.String,
    save: SaveAt,
    epoch: Schema.NullOr(Schema.Int)
  })
])

const readRooms = readRows(
  Schema.Struct({
    ...shownFields,
    state: StoredState,
    epoch: Schema.Int,
    isPublic: Schema.Boolean,
    started: Schema.Boolean,
    lobbyMetadata: Schema.NullOr(Schema.String),
    branch: Schema.NullOr(BranchOf),
    revision: Schema.Int
  })
)
