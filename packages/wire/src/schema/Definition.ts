import type { RoomClass } from "../rooms/RoomClass.ts"
import type { AnyField } from "./Field.ts"
import type { Untyped } from "./FieldKinds.ts"

/** Fields by name, in the order in which they are encoded. */
export type Fields = Readonly<Record<string, AnyField>>

/** One remote call. Arguments and answer that are left out are empty. */
export interface RpcDefinition {
  readonly args?: Fields | Untyped
  readonly returns?: Fields | Untyped
  /** The answer is sent only once the state that the call left behind is stored. */
  readonly durable?: boolean
}

/** What {@link defineSchema} takes: everything about one room type. */
export interface SchemaDefinition {
  /** 1 to 64 of `a-z 0-9 . _ -`. */
  readonly type: string
  readonly class?: RoomClass
  readonly maxClients?: number
  /** 0 = no tick: patches leave after each event. */
  readonly tickHz?: number
  readonly hibernateAfterMs?: number
  readonly reconnectForMs?: number
  /** A duration such as `30d`; `null` keeps the state for ever. */
  readonly retention?: string | null
  readonly project?: string
  readonly entities?: Readonly<Record<string, Fields>>
  readonly singletons?: Readonly<Record<string, Fields>>
  readonly messages?: Readonly<Record<string, Fields | Untyped>>
  readonly rpc?: {
    readonly client?: Readonly<Record<string, RpcDefinition>>
    readonly server?: Readonly<Record<string, RpcDefinition>>
  }
  readonly player?: Fields
}
