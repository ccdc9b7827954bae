import type { RoomClass } from "../rooms/RoomClass.ts"
import type { Fields } from "./Field.ts"
import type { Untyped } from "./Untyped.ts"

export type { Fields } from "./Field.ts"

/** One remote call. Arguments and answer that are left out are empty. */
export interface RpcDefinition {
  readonly args?: Fields | Untyped
  readonly returns?: Fields | Untyped
  /** The answer is sent only once the state that the call left behind is stored. */
  readonly durable?: boolean
}

/** The voice calls of a room type. */
export interface VoiceDefinition {
  readonly participants: number
}

/** How much of itself a room records, so that clips can be made of it. */
export interface ReplayDefinition {
  /** Seconds of footage that the room holds, 1 to 300; 60 when left out. */
  readonly seconds?: number
  /** How long a clip or recording is kept that does not say so itself, `1m` to `3650d`; `30d` when left out. */
  readonly ttl?: string
}

/** The physics world of a room type. */
export interface PhysicsDefinition {
  readonly dimensions: 2 | 3
  /** Ticks of poses that `room.physics.rewind` may go back, 0 to 240; 0 when left out: there is no rewind. */
  readonly history?: number
}

/** What {@link defineSchema} takes: everything about one room type. */
export interface SchemaDefinition {
  /** 1 to 64 of `a-z 0-9 . _ -`. */
  readonly type: string
  /** How much memory a room may use: `standard` (64 MiB), `large` (256 MiB) or `xlarge` (1 GiB). */
  readonly class?: RoomClass
  /** How many clients a room takes, 1 to 1,024; 64 when left out. */
  readonly maxClients?: number
  /** Ticks a second, up to 60; 0 when left out: no tick, and patches leave after each event. */
  readonly tickHz?: number
  /** How long an empty room stays awake, up to a day; 30 s when left out. */
  readonly hibernateAfterMs?: number
  /** How long the session of a dropped client is kept, up to 10 minutes; 20 s when left out. */
  readonly reconnectForMs?: number
  /**
   * How long the state of a room is kept after its last activity, such as `30d`. The default is
   * `null`: the state is never removed.
   */
  readonly retention?: string | null
  /**
   * The queue of quick match whose matches are played in this room type, and in which its results are
   * rated: 1 to 32 of `a-z 0-9 . _ -`. No other room type of the deployment may name it. Source: D-54.
   */
  readonly queue?: string
  /**
   * Players in a room of this type talk with each other, at most so many at once: 2 to 32. Without it there
   * are no calls. Changing it breaks nothing that is deployed.
   */
  readonly voice?: VoiceDefinition
  /**
   * Records what every client may see of the room; absent = nothing is recorded. It is no part of the
   * schema hash. Spec: Replay limits; D-44.
   */
  readonly replay?: ReplayDefinition
  /**
   * Rooms of this type have a physics world that steps with their ticks: `@atrium/sdk/physics`. It is no part of the
   * schema hash. Spec: Connection and room limits.
   */
  readonly physics?: PhysicsDefinition
  /** `p_…`: the project that clients of this schema join, unless they say another. */
  readonly project?: string
  /** Collections of the state, by name: what there are several of, each with an id. */
  readonly entities?: Readonly<Record<string, Fields>>
  /** Records of the state that there is one of, by name. */
  readonly singletons?: Readonly<Record<string, Fields>>
  /** Messages by name, the same for both directions. They have no answer. */
  readonly messages?: Readonly<Record<string, Fields | Untyped>>
  /** Calls with an answer: those of `client` a client makes, those of `server` the room makes. */
  readonly rpc?: {
    readonly client?: Readonly<Record<string, RpcDefinition>>
    readonly server?: Readonly<Record<string, RpcDefinition>>
  }
  /** What is kept for each player beyond this room. */
  readonly player?: Fields
}
