import { buildSchema } from "./BuildSchema.ts"
import { shapeEntries } from "./DefineSchema.ts"
import type { Fields } from "./Definition.ts"
import { demandKnown, demandShapes } from "./DefinitionCheck.ts"
import { describe } from "./Describe.ts"
import type { SchemaDescriptor, ShapeDescriptor } from "./Descriptor.ts"
import type { ReadonlyStateOf, StateOf } from "./Inference.ts"
import type { AnyRoomSchema, FieldList, RoomSchema, RpcShape, StateShape } from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"
import { schemaHash } from "./SchemaHash.ts"
import type { FieldEntries, RpcParts } from "./SchemaParts.ts"

/** State that no client is told of. It is stored, saved and carried over to new versions as the rest is. */
export interface HiddenDefinition {
  /** Collections by name: what there are several of, each with an id. */
  readonly entities?: Readonly<Record<string, Fields>>
  /** Records that there is one of, by name. */
  readonly singletons?: Readonly<Record<string, Fields>>
}

type HiddenSchema<H> = H extends HiddenDefinition
  ? RoomSchema<H & { readonly type: string }>
  : never

/** The hidden state of a room: its singletons and collections by name. */
export type HiddenOf<H> = StateOf<HiddenSchema<H>>

/** The hidden state, to be read only. */
export type ReadonlyHiddenOf<H> = ReadonlyStateOf<HiddenSchema<H>>

const HiddenKeys = Object.keys({
  entities: true,
  singletons: true
} satisfies Record<keyof HiddenDefinition, true>)

/**
 * The schema of all that a room stores: the shapes that clients know, and after them the hidden ones. Without
 * hidden state it is the schema itself. Errors: `SchemaError`, as `defineSchema`.
 */
export const withHidden = (schema: AnyRoomSchema, hidden: HiddenDefinition): AnyRoomSchema => {
  demandKnown("hidden.", hidden, HiddenKeys)
  try {
    demandShapes({ entities: hidden.entities, singletons: hidden.singletons })
    const entities = shapeEntries(hidden.entities)
    const singletons = shapeEntries(hidden.singletons)
    if (entities.length + singletons.length === 0) return schema
    return buildSchema({
      settings: settingsOf(schema),
      singletons: [...schema.singletons.list.map(shapeParts), ...singletons],
      entities: [...schema.collections.list.map(shapeParts), ...entities],
      messages: schema.messages.list.map(({ name, fields }) => [name, entriesOf(fields)]),
      clientRpcs: schema.rpc.client.list.map(rpcParts),
      serverRpcs: schema.rpc.server.list.map(rpcParts),
      player: schema.player.map(({ name, field }) => [name, field])
    })
  } catch (error) {
    throw error instanceof SchemaError ? new SchemaError(`hidden: ${error.message}`) : error
  }
}

const settingsOf = ({ queue, voice, replay, project, ...schema }: AnyRoomSchema) => ({
  type: schema.type,
  class: schema.class,
  maxClients: schema.maxClients,
  tickHz: schema.tickHz,
  hibernateAfterMs: schema.hibernateAfterMs,
  reconnectForMs: schema.reconnectForMs,
  retention: schema.retention,
  ...(queue === null ? {} : { queue }),
  ...(voice === null ? {} : { voice }),
  ...(replay === null ? {} : { replay }),
  ...(project === null ? {} : { project })
})

const entriesOf = (fields: FieldList | null): FieldEntries | null =>
  fields === null ? null : fields.map(({ name, field }) => [name, field])

const shapeParts = ({ name, fields }: StateShape): readonly [string, FieldEntries] => [
  name,
  fields.map((named) => [named.name, named.field])
]

const rpcParts = ({ name, args, returns, durable }: RpcShape): readonly [string, RpcParts] => [
  name,
  { args: entriesOf(args), returns: entriesOf(returns), durable }
]

/** The hidden shapes of a room type as plain JSON. No client gets it. */
export interface HiddenDescriptor {
  readonly singletons: ReadonlyArray<ShapeDescriptor>
  readonly entities: ReadonlyArray<ShapeDescriptor>
  /** Of all that is stored: the hash of {@link storedDescriptor}. */
  readonly schemaHash: string
}

/** @param stored what {@link withHidden} made of the schema; `null` = there is no hidden state */
export const describeHidden = (
  schema: AnyRoomSchema,
  stored: AnyRoomSchema
): HiddenDescriptor | null => {
  if (stored === schema) return null
  const { singletons, entities } = describe(stored)
  return {
    singletons: singletons.slice(schema.singletons.list.length),
    entities: entities.slice(schema.collections.list.length),
    schemaHash: schemaHash(stored)
  }
}

/**
 * The descriptor of all that a room stores: the public one, and the hidden shapes after its own. `fromDescriptor`
 * proves that it is one.
 */
export const storedDescriptor = (
  schema: SchemaDescriptor,
  hidden: {
    readonly singletons: ReadonlyArray<unknown>
    readonly entities: ReadonlyArray<unknown>
  }
): unknown => ({
  ...schema,
  singletons: [...schema.singletons, ...hidden.singletons],
  entities: [...schema.entities, ...hidden.entities]
})
