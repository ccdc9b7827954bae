import type { RoomSettings, RoomState } from "@atrium/actors/rooms/RoomState"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { durationMs } from "@atrium/wire/time/Duration"

/** A room's row. See actors/store/RoomRows.ts. */
export interface Row {
  readonly state: RoomState
  readonly status: string
  readonly type: string
  readonly epoch: number
  readonly isPublic: boolean
  readonly started: boolean
  readonly override: string | null
  readonly retentionMs: number | null
  readonly lastSeenMs: number
  readonly pruned: boolean
}

export interface RowSave {
  readonly state: RoomState

  readonly reported: boolean
}

/** The rows of rooms, by key: each method is one statement. */
export class Rows {
  readonly #rows = new Map<string, Row>()

  get all(): ReadonlyMap<string, Row> {
    return this.#rows
  }

  get(key: string): Row | null {
    return this.#rows.get(key) ?? null
  }

  /** `saving` in RoomRows.ts. */
  save(key: string, { state, reported }: RowSave, nowMs: number): void {
    if (state._tag === "Absent") {
      this.#rows.delete(key)
      return
    }
    const shown = shownOf(state)
    const row = this.#rows.get(key)
    const fresh = { isPublic: false, started: false, override: null, retentionMs: null }
    this.#rows.set(key, {
      ...(row ?? fresh),
      state,
      status: shown.status,
      type: shown.type,
      epoch: Math.max(row?.epoch ?? 0, shown.epoch ?? 0),
      lastSeenMs: row === undefined || reported ? nowMs : row.lastSeenMs,
      pruned: row !== undefined && row.pruned && !reported
    })
  }

  /** `settingsSaving` in RoomRows.ts. */
  saveSettings(
    key: string,
    settings: RoomSettings,
    room: { readonly state: RoomState; readonly nowMs: number }
  ): void {
    if (room.state._tag === "Absent" || Object.keys(settings).length === 0) return
    const row = this.#rows.get(key)
    const shown = shownOf(room.state)
    const { retention, public: isPublic } = settings
    const base: Row = row ?? {
      state: room.state,
      status: shown.status,
      type: shown.type,
      epoch: 0,
      isPublic: false,
      started: false,
      override: null,
      retentionMs: null,
      lastSeenMs: room.nowMs,
      pruned: true
    }
    this.#rows.set(key, {
      ...base,
      isPublic: isPublic ?? base.isPublic,
      ...(retention === undefined
        ? {}
        : { override: retention, retentionMs: retention === null ? null : durationMs(retention) })
    })
  }

  /** `setLobby` in RoomStore.ts. */
  setLobby(
    key: string,
    epoch: number,
    lobby: { readonly isPublic: boolean; readonly started: boolean }
  ): void {
    const row = this.#rows.get(key)
    if (row?.epoch === epoch) this.#rows.set(key, { ...row, ...lobby })
  }

  /** `report` in RoomCensus.ts. */
  report(key: string, epoch: number, nowMs: number): void {
    const row = this.#rows.get(key)
    if (row?.epoch === epoch && isUp(row)) this.#rows.set(key, { ...row, lastSeenMs: nowMs })
  }

  /** `prune` in RoomSweeps.ts. */
  prune(nowMs: number): ReadonlyArray<string> {
    const pruned: Array<string> = []
    for (const [key, row] of this.#rows) {
      if (row.pruned || row.lastSeenMs > nowMs - RoomLimits.rowKept.ms) continue
      this.#rows.set(key, { ...row, pruned: true })
      pruned.push(key)
    }
    return pruned
  }

  /** `forget` in RoomSweeps.ts. */
  forget(keys: ReadonlyArray<string>): void {
    for (const key of keys) if (this.#rows.get(key)?.pruned === true) this.#rows.delete(key)
  }

  /** `lapsed` in RoomSweeps.ts. */
  lapsed(
    nowMs: number,
    windowOf: (key: string, type: string) => number | null
  ): ReadonlyArray<string> {
    const seenAfterMs = ServiceLimits.drain.ms + ServiceLimits.actorCall.ms
    return this.#keys((row, key) => {
      if (isUp(row) && row.lastSeenMs > nowMs - RoomLimits.reportFresh.ms) return false
      if (row.state._tag === "Deleting") return true
      const windowMs = row.retentionMs ?? windowOf(key, row.type)
      if (row.override === "forever" || windowMs === null) return false
      return row.lastSeenMs - seenAfterMs + windowMs <= nowMs
    })
  }

  restoring(): ReadonlyArray<string> {
    return this.#keys(({ state }) => state._tag === "Restoring" || state._tag === "Replacing")
  }

  up(project: string): ReadonlyArray<string> {
    return this.#keys((row, key) => key.startsWith(`${project}/`) && isUp(row))
  }

  upOnOlder(project: string, version: number): ReadonlyArray<string> {
    return this.#keys((row, key) => {
      const at = "at" in row.state ? row.state.at : null
      const older = at !== null && at.version < version
      return older && isUp(row) && key.startsWith(`${project}/`)
    })
  }

  #keys(holds: (row: Row, key: string) => boolean): ReadonlyArray<string> {
    return [...this.#rows].filter(([key, row]) => holds(row, key)).map(([key]) => key)
  }
}

const isUp = ({ status }: Row): boolean => status !== "hibernated" && status !== "closed"

interface Shown {
  readonly status: string
  readonly type: string
  readonly epoch: number | null
}

/** `shownOf` in RoomRows.ts. */
const shownOf = (state: Exclude<RoomState, { readonly _tag: "Absent" }>): Shown => {
  switch (state._tag) {
    case "Hibernated":
      return { status: "hibernated", type: state.type, epoch: null }
    case "Closed":
      return { status: "closed", type: state.type, epoch: null }
    case "Placing":
      return { status: "starting", type: state.kind.type, epoch: null }
    case "Starting":
      return { status: "starting", type: state.at.type, epoch: state.at.epoch }
    case "Awake":
      return { status: "awake", type: state.at.type, epoch: state.at.epoch }
    case "Draining":
    case "Evicting":
      return { status: "draining", type: state.at.type, epoch: state.at.epoch }
    case "Deleting":
      return { status: "hibernated", type: state.type, epoch: state.epoch }
    case "Restoring": {
      const status = state.at === null ? "hibernated" : "restarting"
      return { status, type: state.type, epoch: null }
    }
    case "Replacing":
      return { status: "restarting", type: state.type, epoch: state.epoch }
    case "Restarting":
      return { status: "restarting", type: state.at.type, epoch: state.at.epoch }
  }
}
