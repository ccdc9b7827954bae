import {
  BranchRefused,
  CapReached,
  EvictFailed,
  RoomCrashed,
  RoomInUse,
  RoomNotFound,
  RoomStarted,
  SaveNotFound,
  TenantWaking
} from "@atrium/domain/shared/Refusal"
import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

import { StopReasons } from "./RoomState.ts"

const Seat = { epoch: Schema.Int, serverIndex: Schema.Int }

/** Where an awake room is to be found. */
const RoomPlace = Schema.Struct(Seat)

/**
 * The room actor, keyed `project/room`: its life cycle and nothing of its traffic. Every call is
 * volatile; the room's row is what survives. Callers put a timeout around each call, and ask again
 * after `E_TENANT_WAKING`: the store was away, and nothing is known to have happened.
 */
export const RoomActor = Entity.make("Room", [
  /** Makes sure that the room is awake; `create` allows a room that does not exist yet. */
  Rpc.make("Wake", {
    payload: {
      type: Schema.NullOr(Schema.String),
      create: Schema.Boolean,
      /** The kind of client that joins; absent = the service itself wakes the room. */
      client: Schema.optionalKey(Schema.Literals(["player", "test"]))
    },
    success: RoomPlace,
    error: Schema.Union([RoomNotFound, TenantWaking, RoomCrashed, CapReached, BranchRefused])
  }),
  /** The room's process ended by itself; `shared`: for rooms that shared it, and nobody knows for which of them. */
  Rpc.make("ProcessExited", {
    payload: { ...Seat, shared: Schema.optionalKey(Schema.Literal(true)) },
    error: TenantWaking
  }),
  /** Stores the room's state and puts it to sleep. */
  Rpc.make("PutAway", {
    payload: { ...Seat, reason: Schema.Literals(["empty", "unentered", "pressure", "shutdown"]) },
    error: TenantWaking
  }),
  /**
   * Stores the state of an awake room while its clients wait where they are; `wake` starts it anew at once.
   * `from` = the incarnation that has to leave, `null` = any.
   */
  Rpc.make("Move", {
    payload: { from: Schema.NullOr(RoomPlace), wake: Schema.Boolean },
    error: TenantWaking
  }),
  /** Stores the state of a room on an older version; the next wake starts it on the new one. */
  Rpc.make("MakeWay", { payload: { version: Schema.Int }, error: TenantWaking }),
  /** Stores the state of an awake room and puts it to sleep, even with clients in it. */
  Rpc.make("Stop", {
    payload: { reason: Schema.Literals(StopReasons) },
    error: TenantWaking
  }),
  /** Removes the room and all that is stored of it. */
  Rpc.make("Delete", {
    payload: { force: Schema.Boolean },
    success: Schema.Struct({ objects: Schema.Int }),
    error: Schema.Union([RoomNotFound, RoomInUse, EvictFailed, TenantWaking])
  }),
  /** Removes the room if its retention has lapsed and it is not awake. */
  Rpc.make("Sweep", { error: TenantWaking }),
  Rpc.make("Set", {
    payload: {
      retention: Schema.optionalKey(Schema.NullOr(Schema.String)),
      public: Schema.optionalKey(Schema.Boolean)
    },
    error: Schema.Union([RoomNotFound, RoomStarted, TenantWaking, BranchRefused])
  }),
  /** Queues a restore. */
  Rpc.make("Restore", {
    payload: { saveId: Schema.String },
    error: Schema.Union([RoomNotFound, SaveNotFound, TenantWaking])
  }),
  /** Lets a queued restore take effect; the project's other rooms are asleep. */
  Rpc.make("TakeRestore", { error: TenantWaking })
])
