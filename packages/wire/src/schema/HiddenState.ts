import { buildSchema } from "./BuildSchema.ts"
import { shapeEntries } from "./DefineSchema.ts"
import type { Fields } from "./Definition.ts"
import { demandKnown, demandShapes } from "./DefinitionCheck.ts"
import { describe } from "./Describe.ts"
import type { SchemaDescriptor, ShapeDescriptor } from "./Descriptor.ts"
import type { ReadonlyStateOf, StateOf } from "./Inference.ts"
import type { AnyRoomSchema, RoomSchema, StateShape } from "./RoomSchema.ts"
import { SchemaError } from "./SchemaError.ts"
import { schemaHash } from "./SchemaHash.ts"
import type { FieldEntries } from "./SchemaParts.ts"

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
    const more = [shapeEntries(hidden.singletons), shapeEntries(hidden.entities)] as const
    if (more[0].length + more[1].length === 0) return schema
    const { type, singletons, collections } = schema
    const state = buildSchema({
      settings: { type },
      singletons: [...singletons.list.map(shapeParts), ...more[0]],
      entities: [...collections.list.map(shapeParts), ...more[1]],
      messages: [],
      clientRpcs: [],
      serverRpcs: [],
      player: []
    })
    return Object.freeze({
      ...schema,
      singletons: state.singletons,
      collections: state.collections
    })
  } catch (error) {
    throw error instanceof SchemaError ? new SchemaError(`hidden: ${error.message}`) : error
  }
}

const shapeParts = ({ name, fields }: StateShape): readonly [string, FieldEntries] => [
  name,
  fields.map((named) => [named.name, named.field])
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
