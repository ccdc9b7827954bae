import { Tiers } from "@atrium/domain/meters/Caps"
import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

import { LeaveReasons } from "../rooms/RoomState.ts"
import { hashSecretHex } from "../store/Secrets.ts"
import { groupOf, homeOf, nthOf } from "./ServerIndex.ts"

/** One start of a room: what, under which epoch. */
export const StartOrder = Schema.Struct({
  roomId: Schema.String,
  /** It was no room before, and is one only once it lets somebody in. Source: C-224. */
  fresh: Schema.Boolean,
  /** The room's actor has just found nothing stored of it, and asks for its first start. Absent = the start looks itself. */
  blank: Schema.optionalKey(Schema.Boolean),
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  version: Schema.Int,
  epoch: Schema.Int,
  serverIndex: Schema.Int,
  /** The project's terms as the room's actor has just read them. Absent = the server reads them. */
  terms: Schema.optionalKey(Schema.Struct({ plan: Schema.Literals(Tiers), roomsMib: Schema.Int })),
  /** Its call was running when it left its last runner. Absent = it was not. */
  called: Schema.optionalKey(Schema.Boolean)
})
export type StartOrder = typeof StartOrder.Type

/** The server's budget is used up. Source: D-46. */
export class ServerFull extends Schema.TaggedError<ServerFull>()("ServerFull", {}) {}

/** The server takes no new room now, and no other one is to be asked: `message` says why. Source: D-46. */
export class ServerWaking extends Schema.TaggedError<ServerWaking>()("ServerWaking", {
  message: Schema.String
}) {}

/** The server is going down. */
export class ServerClosing extends Schema.TaggedError<ServerClosing>()("ServerClosing", {}) {}

/** The store failed while the room was being started: nothing is known of the room itself. */
export class StoreAway extends Schema.TaggedError<StoreAway>()("StoreAway", {}) {}

/** The room's code or state did not load. */
export class StartFailed extends Schema.TaggedError<StartFailed>()("StartFailed", {
  message: Schema.String,
  /** The version to which its state could not be led: the room is in quarantine. Absent = it is not. */
  quarantined: Schema.optionalKey(Schema.Int)
}) {}

/** Why a server does not start a room. */
const StartRefused = Schema.Union([ServerFull, ServerWaking, ServerClosing, StoreAway, StartFailed])
export type StartRefused = typeof StartRefused.Type

/** What came of the wish for a clip: its id, or why the room makes none. */
const ClipOutcome = Schema.Union([
  Schema.Struct({ clipId: Schema.String }),
  Schema.Struct({ code: Schema.String, message: Schema.String })
])
export type ClipOutcome = typeof ClipOutcome.Type

const Held = { roomId: Schema.String, epoch: Schema.Int }

/**
 * The server actor, keyed `project/index`: it holds the processes of awake rooms within one slot
 * budget, on the runner whose home is in its index.
 */
export const ServerActor = Entity.make("Server", [
  Rpc.make("StartRoom", {
    payload: StartOrder,
    success: Schema.Struct({ slot: Schema.Int }),
    error: StartRefused
  }),
  /** Stores the last state, closes the clients, ends the process. */
  Rpc.make("DrainRoom", {
    payload: { ...Held, reason: Schema.Literals(LeaveReasons) },
    success: Schema.Struct({
      clientsBack: Schema.Boolean,
      entered: Schema.Boolean,
      /** Its call was running. Absent = it was not. */
      called: Schema.optionalKey(Schema.Boolean)
    })
  }),
  /** Closes the clients, ends the process if it is not dead, frees the slot. Stores nothing. */
  Rpc.make("CloseRoom", {
    payload: { ...Held, because: Schema.Literals(["crashed", "restarting", "deleted"]) }
  }),
  /** Moves the room in the public registry, unless its game has started; `null` = not held. */
  Rpc.make("PublishRoom", {
    payload: { ...Held, isPublic: Schema.Boolean },
    success: Schema.NullOr(Schema.Struct({ started: Schema.Boolean }))
  }),
  Rpc.make("Holds", { payload: Held, success: Schema.Boolean }),
  /**
   * Keeps seats of the room for players of a match; `false` = there are not so many, or the room is not held. A
   * runner of a version before answers with a defect, and its rooms keep none.
   */
  Rpc.make("KeepSeats", {
    payload: {
      ...Held,
      players: Schema.Array(Schema.String),
      untilMs: Schema.Int,
      seatsMax: Schema.Int
    },
    success: Schema.Boolean
  }),
  /** Asks the room for a clip; `null` = it is not held, or keeps no replay. Not for a runner before `clipsSince`. */
  Rpc.make("MakeClip", {
    payload: {
      ...Held,
      seconds: Schema.optionalKey(Schema.Int),
      ttl: Schema.optionalKey(Schema.String)
    },
    success: Schema.NullOr(ClipOutcome)
  }),
  /** The address of the link of the runner where the server is; `null` = that runner takes no links. */
  Rpc.make("LinkAddress", { success: Schema.NullOr(Schema.String) })
]).annotate(ClusterSchema.ShardGroup, (entityId) => groupOf(homeOf(indexOf(entityId))))

/** The index in an actor key. */
export const indexOf = (entityId: string): number =>
  Number(entityId.slice(entityId.indexOf("/") + 1))

/** A server's public id: `srv_` and 12 hex characters, the same for as long as the project lives. Source: D-05. */
export const serverIdOf = (projectId: string, index: number): string =>
  `srv_${hashSecretHex(serverKeyText(projectId, nthOf(index))).slice(0, 12)}`

/** The actor key of a project's server. */
export const serverKeyText = (projectId: string, index: number): string => `${projectId}/${index}`
