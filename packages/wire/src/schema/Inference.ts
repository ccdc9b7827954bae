import type { Fields, RpcDefinition, SchemaDefinition } from "./Definition.ts"
import type { ReadonlyValuesOf, SeenOf, SeenValueOf, StructOf, ValuesOf } from "./FieldValues.ts"
import type { RoomSchema } from "./RoomSchema.ts"
import type { Untyped } from "./Untyped.ts"

/** The plain form of a record: what `JSON.stringify` sees. */
export interface Plain<P> {
  toJSON(): P
}

/** One entity in the room: assigning to a field checks the value and marks it changed. */
export type EntityOf<F> = { readonly id: number } & ValuesOf<F> &
  Plain<{ id: number } & ValuesOf<F>>

/** One entity as a client sees it. */
export type EntityViewOf<F> = SeenOf<F> & { readonly id: number } & Plain<
    { id: number } & SeenOf<F>
  >

/** Entities of one kind as a client sees them, iterated by ascending id. */
export interface CollectionView<E> extends Iterable<E> {
  readonly size: number
  /** The entity of this id; `undefined` when it is gone or was never there. */
  get(id: number): E | undefined
  has(id: number): boolean
  toJSON(): ReadonlyArray<unknown>
}

/** Entities of one kind in the room. Ids start at 1 and are never used again. */
export interface Collection<F> extends CollectionView<EntityOf<F>> {
  /** Adds an entity; what is left out takes the default. Throws `FieldError` and adds nothing. */
  add(values?: Partial<Readonly<ValuesOf<F>>>): EntityOf<F>
  /** Removes an entity; its record keeps its last values. Gives `false` when no entity has that id. */
  remove(id: number): boolean
  /** Removes all of them. */
  clear(): void
}

/** A part of the definition that a schema was made of. */
export type PartOf<S, P extends keyof SchemaDefinition> =
  S extends RoomSchema<infer D> ? (D extends { readonly [K in P]: infer X } ? X : {}) : never

type RpcPart<S, P extends "client" | "server"> =
  PartOf<S, "rpc"> extends { readonly [K in P]: infer X } ? X : {}

/** The state of a room: its singletons and collections by name. */
export type StateOf<S> = {
  readonly [K in keyof PartOf<S, "singletons">]: ValuesOf<PartOf<S, "singletons">[K]> &
    Plain<ValuesOf<PartOf<S, "singletons">[K]>>
} & { readonly [K in keyof PartOf<S, "entities">]: Collection<PartOf<S, "entities">[K]> }

/** The state of a room as a client sees it: nothing in it can be assigned. */
export type ViewOf<S> = {
  readonly [K in keyof PartOf<S, "singletons">]: SeenOf<PartOf<S, "singletons">[K]> &
    Plain<SeenOf<PartOf<S, "singletons">[K]>>
} & {
  readonly [K in keyof PartOf<S, "entities">]: CollectionView<
    EntityViewOf<PartOf<S, "entities">[K]>
  >
}

/** A singleton in the room, to be read only. */
export type ReadonlySingletonOf<F> = ReadonlyValuesOf<F> & Plain<ReadonlyValuesOf<F>>

/** An entity in the room, to be read only. */
export type ReadonlyEntityOf<F> = ReadonlyValuesOf<F> & { readonly id: number } & Plain<
    { id: number } & ReadonlyValuesOf<F>
  >

/** The state of a room, to be read only. */
export type ReadonlyStateOf<S> = {
  readonly [K in keyof PartOf<S, "singletons">]: ReadonlySingletonOf<PartOf<S, "singletons">[K]>
} & {
  readonly [K in keyof PartOf<S, "entities">]: CollectionView<
    ReadonlyEntityOf<PartOf<S, "entities">[K]>
  >
}

/** The value of a message, an argument list or an answer. */
export type PayloadOf<P> = P extends Untyped ? unknown : P extends Fields ? StructOf<P> : {}

/** The same as a client reads it. */
export type SeenPayloadOf<P> = P extends Untyped
  ? unknown
  : P extends Fields
    ? { -readonly [K in keyof P]: SeenValueOf<P[K]> }
    : {}

/** Message payloads by name. */
export type MessagesOf<S> = {
  readonly [K in keyof PartOf<S, "messages">]: PayloadOf<PartOf<S, "messages">[K]>
}

/** Message payloads by name, as a client reads them. */
export type SeenMessagesOf<S> = {
  readonly [K in keyof PartOf<S, "messages">]: SeenPayloadOf<PartOf<S, "messages">[K]>
}

type RpcPayload<R, P extends keyof RpcDefinition> = R extends { readonly [K in P]: infer X }
  ? PayloadOf<X>
  : {}

type Rpcs<R> = {
  readonly [K in keyof R]: {
    readonly args: RpcPayload<R[K], "args">
    readonly returns: RpcPayload<R[K], "returns">
  }
}

/** RPCs that clients call and the room handles: name -> `{ args, returns }`. */
export type ClientRpcsOf<S> = Rpcs<RpcPart<S, "client">>

/** RPCs that the room calls and a client handles: name -> `{ args, returns }`. */
export type ServerRpcsOf<S> = Rpcs<RpcPart<S, "server">>

type SeenRpcPayload<R, P extends keyof RpcDefinition> = R extends { readonly [K in P]: infer X }
  ? SeenPayloadOf<X>
  : {}

/** Answers to the RPCs that clients call, by name, as a client reads them. */
export type SeenAnswersOf<S> = {
  readonly [K in keyof RpcPart<S, "client">]: SeenRpcPayload<RpcPart<S, "client">[K], "returns">
}

/** Arguments of the RPCs that the room calls, by name, as a client reads them. */
export type SeenArgsOf<S> = {
  readonly [K in keyof RpcPart<S, "server">]: SeenRpcPayload<RpcPart<S, "server">[K], "args">
}

/** The persisted fields of a player. */
export type PlayerOf<S> = ValuesOf<PartOf<S, "player">>
