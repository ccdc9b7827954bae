import { step } from "../RoomMachine.ts"
import {
  type Incarnation,
  type RoomAction,
  RoomEvent,
  type RoomKind,
  RoomState,
  type Seat
} from "../RoomState.ts"

const kind: RoomKind = { type: "arena", class: "standard", version: 7 }
export const at = (epoch: number, serverIndex = 0): Incarnation => ({ ...kind, epoch, serverIndex })

const showAt = ({ epoch, serverIndex }: Seat): string => `e${epoch} s${serverIndex}`
/** `q7`: in quarantine, as version 7 does not lead the state on. */
const showMark = ({ quarantined }: { readonly quarantined?: number }): string =>
  quarantined === undefined ? "" : ` q${quarantined}`
const showState = (state: RoomState): string => {
  switch (state._tag) {
    case "Absent":
    case "Hibernated":
      return state._tag
    case "Closed":
      return `Closed${showMark(state)}`
    case "Placing":
      return `Placing ${state.stored ? "old" : "new"}${showMark(state)}`
    case "Starting":
      return `Starting ${state.stored ? "old" : "new"} ${showAt(state.at)}${showMark(state)}`
    case "Awake":
    case "Restarting":
      return `${state._tag} ${showAt(state.at)} slot ${state.slot} [${state.restarts.join(" ")}]`
    case "Draining":
      return `Draining ${showAt(state.at)} ${state.reason} [${state.restarts.join(" ")}]`
    case "Evicting":
      return `Evicting ${showAt(state.at)} [${state.restarts.join(" ")}]`
    case "Deleting":
      return state.epoch === null ? "Deleting" : `Deleting e${state.epoch}`
    case "Restoring":
      return `Restoring ${state.save.saveId}${state.at === null ? "" : ` ${showAt(state.at)}`}`
    case "Replacing":
      return `Replacing ${state.save.saveId}${state.epoch === null ? "" : ` e${state.epoch}`}`
  }
}
const showSettings = (settings: object): string => JSON.stringify(settings).replace(/"/g, "")
const showAction = (action: RoomAction): string => {
  switch (action._tag) {
    case "ClaimEpoch":
      return "claim"
    case "ClaimPlace":
      return `claim place ${action.class}`
    case "StartRoom":
      return `start ${showAt(action.at)}${action.fresh ? " fresh" : ""}`
    case "RestartRoom":
      return `restart ${showAt(action.at)}`
    case "DrainRoom":
      return `drain ${showAt(action.at)} ${action.reason}`
    case "CloseRoom":
      return `close ${showAt(action.at)} ${action.because}`
    case "EvictRoom":
      return `evict ${showAt(action.at)}`
    case "RemoveState":
      return "remove"
    case "PublishRoom":
      return `publish ${showAt(action.at)} ${showSettings(action.settings)}`
    case "SaveSettings":
      return `set ${showSettings(action.settings)}`
    case "PlaceSave":
      return `place ${action.save.saveId} e${action.epoch}`
    case "Doubt":
      return "doubt"
    case "AnswerDeleted":
      return `deleted ${action.objects}`
    case "AnswerDone":
      return "done"
    case "Answer":
      return `answer ${showAt(action.at)}`
    case "Refuse":
      return action.code
  }
}

const asleepStates: ReadonlyArray<RoomState> = [
  RoomState.Absent(),
  RoomState.Hibernated({ type: "arena" }),
  RoomState.Closed({ type: "arena" })
]

/** The states of a room's life, by the names that the tables have for them. */
export const lifeStates = new Map<string, RoomState>(
  [
    ...asleepStates,
    RoomState.Closed({ type: "arena", quarantined: 6 }),
    RoomState.Placing({ kind, stored: true, quarantined: 6 }),
    RoomState.Starting({ at: at(5), stored: true, quarantined: 6 }),
    RoomState.Placing({ kind, stored: false }),
    RoomState.Placing({ kind, stored: true }),
    RoomState.Starting({ at: at(5), stored: false }),
    RoomState.Starting({ at: at(5), stored: true }),
    RoomState.Awake({ at: at(5), slot: 3, restarts: [] }),
    RoomState.Awake({ at: at(5), slot: 3, restarts: [7, 8] }),
    RoomState.Draining({ at: at(5), slot: 3, restarts: [8], reason: "empty" }),
    RoomState.Draining({ at: at(5), slot: 3, restarts: [], reason: "shutdown" }),
    RoomState.Draining({ at: at(5), slot: 3, restarts: [], reason: "unentered" }),
    RoomState.Restarting({ at: at(5), slot: 3, restarts: [9] }),
    RoomState.Restarting({ at: at(5), slot: 3, restarts: [8, 9] })
  ].map((state) => [showState(state), state])
)

const save = { version: 4, saveId: "sv_1" }
const one = { at: at(5), slot: 3, restarts: [8] }

/** The states of a room that is removed or restored. */
export const goingStates = new Map<string, RoomState>(
  [
    RoomState.Evicting(one),
    RoomState.Deleting({ type: "arena", epoch: null }),
    RoomState.Deleting({ type: "arena", epoch: 6 }),
    RoomState.Restoring({ type: "arena", save, at: null }),
    RoomState.Restoring({ type: "arena", save, at: at(5) }),
    RoomState.Replacing({ type: "arena", save, epoch: null }),
    RoomState.Replacing({ type: "arena", save, epoch: 6 })
  ].map((state) => [showState(state), state])
)

const wake = { type: "arena", kind, wall: null, create: true }
/** What happens to a room in its life. */
export const lifeEvents = new Map<string, RoomEvent>(
  Object.entries({
    wake: RoomEvent.WakeAsked(wake),
    "wake any": RoomEvent.WakeAsked({ ...wake, type: null, create: false }),
    "wake other": RoomEvent.WakeAsked({ ...wake, type: "chess" }),
    "wake undeployed": RoomEvent.WakeAsked({ ...wake, kind: null }),
    "wake walled": RoomEvent.WakeAsked({
      ...wake,
      wall: { meter: "dataOutBytes", cap: 0, endMs: 0 }
    }),
    "claimed 5": RoomEvent.EpochClaimed({ epoch: 5 }),
    "claimed 6": RoomEvent.EpochClaimed({ epoch: 6 }),
    "claimed 7": RoomEvent.EpochClaimed({ epoch: 7 }),
    "placed 6 s2": RoomEvent.Placed({ epoch: 6, serverIndex: 2 }),
    "started 4": RoomEvent.Started({ epoch: 4, slot: 2 }),
    "started 5": RoomEvent.Started({ epoch: 5, slot: 2 }),
    "full 4": RoomEvent.ServerFull({ epoch: 4, next: 3 }),
    "full 5": RoomEvent.ServerFull({ epoch: 5, next: 3 }),
    "all full 4": RoomEvent.ServerFull({ epoch: 4, next: null }),
    "all full 5": RoomEvent.ServerFull({ epoch: 5, next: null }),
    "refused 4": RoomEvent.ServerRefused({ epoch: 4 }),
    "refused 5": RoomEvent.ServerRefused({ epoch: 5 }),
    "waking 4": RoomEvent.ServerWaking({ epoch: 4, message: "near its limit" }),
    "waking 5": RoomEvent.ServerWaking({ epoch: 5, message: "near its limit" }),
    "failed 4": RoomEvent.StartFailed({ epoch: 4, nowMs: 10, message: "boom" }),
    "failed 5": RoomEvent.StartFailed({ epoch: 5, nowMs: 10, message: "boom" }),
    "unled 4": RoomEvent.StartFailed({ epoch: 4, nowMs: 10, message: "boom", quarantined: 7 }),
    "unled 5": RoomEvent.StartFailed({ epoch: 5, nowMs: 10, message: "boom", quarantined: 7 }),
    "exited 4": RoomEvent.ProcessExited({ epoch: 4, serverIndex: 0, nowMs: 10 }),
    "exited 5": RoomEvent.ProcessExited({ epoch: 5, serverIndex: 0, nowMs: 10 }),
    "shared 5": RoomEvent.ProcessExited({ epoch: 5, serverIndex: 0, nowMs: 10, shared: true }),
    "drain 4": RoomEvent.DrainAsked({ epoch: 4, serverIndex: 0, reason: "redeploy" }),
    "drain 5": RoomEvent.DrainAsked({ epoch: 5, serverIndex: 0, reason: "redeploy" }),
    "drained 4": RoomEvent.Drained({ epoch: 4, clientsBack: false, entered: true }),
    "drained 5": RoomEvent.Drained({ epoch: 5, clientsBack: false, entered: true }),
    "unentered 4": RoomEvent.Drained({ epoch: 4, clientsBack: false, entered: false }),
    "unentered 5": RoomEvent.Drained({ epoch: 5, clientsBack: false, entered: false }),
    "back 4": RoomEvent.Drained({ epoch: 4, clientsBack: true, entered: true }),
    "back 5": RoomEvent.Drained({ epoch: 5, clientsBack: true, entered: true }),
    "deployed 7": RoomEvent.VersionDeployed({ version: 7 }),
    "deployed 8": RoomEvent.VersionDeployed({ version: 8 }),
    held: RoomEvent.Revived({ held: true }),
    lost: RoomEvent.Revived({ held: false })
  })
)

/** What PATCH, DELETE, restore and the sweep make happen. */
export const managementEvents = new Map<string, RoomEvent>(
  Object.entries({
    stop: RoomEvent.StopAsked({ reason: "restore" }),
    "data out": RoomEvent.StopAsked({ reason: "dataOut" }),
    delete: RoomEvent.DeleteAsked({ force: false, relay: false }),
    "delete force": RoomEvent.DeleteAsked({ force: true, relay: false }),
    "delete relay": RoomEvent.DeleteAsked({ force: true, relay: true }),
    "evicted 4": RoomEvent.Evicted({ epoch: 4 }),
    "evicted 5": RoomEvent.Evicted({ epoch: 5 }),
    "unreachable 4": RoomEvent.EvictionFailed({ epoch: 4, server: "srv_1" }),
    "unreachable 5": RoomEvent.EvictionFailed({ epoch: 5, server: "srv_1" }),
    removed: RoomEvent.StateRemoved({ objects: 3 }),
    "sweep kept": RoomEvent.SweepAsked({ nowMs: 100, deletesAtMs: null }),
    "sweep before": RoomEvent.SweepAsked({ nowMs: 99, deletesAtMs: 100 }),
    "sweep at": RoomEvent.SweepAsked({ nowMs: 100, deletesAtMs: 100 }),
    "set retention": RoomEvent.SetAsked({
      settings: { retention: "5m" },
      started: true,
      inert: false
    }),
    "set public": RoomEvent.SetAsked({ settings: { public: true }, started: false, inert: false }),
    "set started": RoomEvent.SetAsked({ settings: { public: false }, started: true, inert: false }),
    published: RoomEvent.Published({ settings: { public: true }, started: false }),
    "published started": RoomEvent.Published({ settings: { public: true }, started: true }),
    set: RoomEvent.SettingsSaved(),
    "restore 2": RoomEvent.RestoreAsked({ save: { version: 4, saveId: "sv_2" } }),
    "restore none": RoomEvent.RestoreAsked({ save: null }),
    due: RoomEvent.RestoreDue(),
    placed: RoomEvent.SavePlaced({ found: true }),
    "not placed": RoomEvent.SavePlaced({ found: false })
  })
)

export interface TableRow {
  readonly given: string
  readonly happened: string
  readonly leadsTo: string
  readonly actions: string
}

/** Reads a table: states | events | next state, `=` for the very same one | actions. */
export const rowsOf = (table: string): ReadonlyArray<TableRow> =>
  table
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [given = "", happened = "", leadsTo = "", actions = ""] = line
        .split("|")
        .map((cell) => cell.trim())
      return given
        .split("; ")
        .flatMap((state) =>
          happened.split("; ").map((event) => ({ given: state, happened: event, leadsTo, actions }))
        )
    })

/** The row as the machine has it: it must be the row of the table. */
export const steppedRow = ({ given, happened }: TableRow): TableRow => {
  const state = lifeStates.get(given) ?? goingStates.get(given)
  const event = lifeEvents.get(happened) ?? managementEvents.get(happened)
  if (state === undefined || event === undefined) {
    throw new Error(`no such row: ${given} ${happened}`)
  }
  const [next, actions] = step(state, event)
  const leadsTo = next === state ? "=" : showState(next)
  return { given, happened, leadsTo, actions: actions.map(showAction).join(", ") }
}

/** Pairs of a kind of state and a kind of event that no row has. */
export const missingFrom = (
  rows: ReadonlyArray<TableRow>,
  states: ReadonlyMap<string, RoomState>,
  events: ReadonlyMap<string, RoomEvent>
): ReadonlyArray<string> => {
  const pair = (state: RoomState, event: RoomEvent) => `${state._tag} ${event._tag}`
  const there = new Set(
    rows.map(({ given, happened }) => {
      const state = states.get(given)
      const event = events.get(happened)
      return state === undefined || event === undefined ? "" : pair(state, event)
    })
  )
  return [...states.values()].flatMap((state) =>
    [...events.values()].map((event) => pair(state, event)).filter((name) => !there.has(name))
  )
}
