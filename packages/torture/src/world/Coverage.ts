import type { RoomAction, RoomEvent, RoomRefusal, RoomState } from "@atrium/actors/rooms/RoomState"
import type {
  SnapshotAction,
  SnapshotCause,
  SnapshotEvent
} from "@atrium/actors/rooms/SnapshotMachine"
import type { ServerAction, ServerEvent } from "@atrium/actors/servers/ServerMachine"

type Every<Tag extends string> = Readonly<Record<Tag, true>>

const states: Every<RoomState["_tag"]> = {
  Absent: true,
  Hibernated: true,
  Placing: true,
  Starting: true,
  Awake: true,
  Draining: true,
  Restarting: true,
  Closed: true,
  Evicting: true,
  Deleting: true,
  Restoring: true,
  Replacing: true
}
const roomEvents: Every<RoomEvent["_tag"]> = {
  WakeAsked: true,
  EpochClaimed: true,
  Placed: true,
  Started: true,
  ServerFull: true,
  ServerWaking: true,
  ServerRefused: true,
  StartFailed: true,
  ProcessExited: true,
  DrainAsked: true,
  StopAsked: true,
  VersionDeployed: true,
  Drained: true,
  DeleteAsked: true,
  Evicted: true,
  EvictionFailed: true,
  StateRemoved: true,
  SweepAsked: true,
  SetAsked: true,
  Published: true,
  SettingsSaved: true,
  RestoreAsked: true,
  RestoreDue: true,
  SavePlaced: true,
  Revived: true
}
const roomActions: Every<RoomAction["_tag"]> = {
  ClaimEpoch: true,
  ClaimPlace: true,
  StartRoom: true,
  RestartRoom: true,
  DrainRoom: true,
  CloseRoom: true,
  EvictRoom: true,
  RemoveState: true,
  PublishRoom: true,
  SaveSettings: true,
  PlaceSave: true,
  Doubt: true,
  Answer: true,
  AnswerDeleted: true,
  AnswerDone: true,
  Refuse: true
}
/** A world has no branches and no rooms of the playground: those alone are refused with `E_BRANCH`. */
const refusals: Every<Exclude<RoomRefusal, "E_BRANCH">> = {
  E_ROOM_NOT_FOUND: true,
  E_TENANT_WAKING: true,
  E_ROOM_CRASHED: true,
  E_CAP_REACHED: true,
  E_ROOM_IN_USE: true,
  E_ROOM_STARTED: true,
  E_EVICT_FAILED: true,
  E_SAVE_NOT_FOUND: true
}
const serverEvents: Every<ServerEvent["_tag"]> = {
  AdmitAsked: true,
  RoomGone: true,
  MemorySampled: true,
  ShutdownAsked: true
}
const serverActions: Every<ServerAction["_tag"]> = {
  Boot: true,
  Admit: true,
  RefuseFull: true,
  RefuseFree: true,
  RefuseNear: true,
  RefuseCordoned: true,
  RefuseClosing: true,
  SleepRoom: true,
  RestartRoom: true,
  ResizeRing: true
}
const snapshotEvents: Every<SnapshotEvent["_tag"]> = {
  Changed: true,
  SaveRequested: true,
  DrainAsked: true,
  TimerFired: true,
  Stored: true,
  StoreFailed: true
}
const snapshotActions: Every<SnapshotAction["_tag"]> = {
  Request: true,
  ArmTimer: true,
  Answer: true,
  DrainEnded: true
}
const snapshotCauses: Every<SnapshotCause> = {
  interval: true,
  durable: true,
  save: true,
  hibernate: true
}

/** States, events, actions and refusals that a batch of worlds must reach, by kind. */
const wanted = {
  "room state": states,
  "room event": roomEvents,
  "room action": roomActions,
  "room refusal": refusals,
  "server event": serverEvents,
  "server action": serverActions,
  "snapshot event": snapshotEvents,
  "snapshot action": snapshotActions,
  "snapshot cause": snapshotCauses
} as const

export type Kind = keyof typeof wanted | "room transition"

/** Counts how often each state, event, order and refusal of the machines was reached. */
export class Coverage {
  readonly #counts = new Map<string, number>()

  reached(kind: Kind, what: string): void {
    const name = `${kind} ${what}`
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  add(other: Coverage): void {
    for (const [name, count] of other.#counts) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + count)
    }
  }

  count(kind: Kind, what: string): number {
    return this.#counts.get(`${kind} ${what}`) ?? 0
  }

  /** Wanted names that were not reached. */
  missing(): ReadonlyArray<string> {
    return Object.entries(wanted).flatMap(([kind, whats]) =>
      Object.keys(whats)
        .map((what) => `${kind} ${what}`)
        .filter((name) => !this.#counts.has(name))
    )
  }

  /** Pairs of a room's state and an event that can meet and never did. */
  unmet(): ReadonlyArray<string> {
    return pairs.filter((pair) => !this.#counts.has(`room transition ${pair}`))
  }

  get pairs(): number {
    return pairs.length
  }
}

type Event = RoomEvent["_tag"]

/** The events that may come to a room that rests. */
const asks: ReadonlyArray<Event> = [
  ...(["WakeAsked", "ProcessExited", "DrainAsked", "StopAsked", "VersionDeployed"] as const),
  ...(["DeleteAsked", "SweepAsked", "SetAsked", "RestoreAsked", "RestoreDue", "Revived"] as const)
]

/** A chain of steps runs to its end: a state that waits meets its own answers, or a new actor. */
const meets: Readonly<Record<RoomState["_tag"], ReadonlyArray<Event>>> = {
  Absent: asks,
  Hibernated: [...asks, "SettingsSaved"],
  Closed: [...asks, "SettingsSaved"],
  Awake: [...asks, "Published", "SettingsSaved"],
  Restoring: [...asks, "SettingsSaved"],
  Placing: ["Placed"],
  Starting: [
    "Placed",
    "Started",
    "ServerFull",
    "ServerWaking",
    "ServerRefused",
    "StartFailed",
    "Revived"
  ],
  Draining: ["Drained", "Revived"],
  Restarting: ["EpochClaimed", "Started", "ServerRefused", "StartFailed", "Revived"],
  Evicting: ["Evicted", "EvictionFailed", "Revived"],
  Deleting: ["EpochClaimed", "StateRemoved", "Revived"],
  Replacing: ["EpochClaimed", "SavePlaced", "Revived"]
}

const pairs = Object.entries(meets).flatMap(([state, events]) =>
  events.map((event) => `${state} x ${event}`)
)
