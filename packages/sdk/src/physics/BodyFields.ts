import type { AnyRoomSchema, StateShape } from "@atrium/wire/schema/RoomSchema"
import { SchemaError } from "@atrium/wire/schema/SchemaError"

import { PoseWords } from "./PoseLayout.ts"

/** A field of an entity, and the word of a pose that goes into it. */
export interface BodyField {
  readonly name: string
  readonly word: number
}

/** The field names that `physics` binds to a pose. They are fixed, so that a game declares no mapping. */
const Groups = {
  2: [
    { names: ["x", "y"], at: PoseWords[2].position },
    { names: ["angle"], at: PoseWords[2].rotation },
    { names: ["vx", "vy"], at: PoseWords[2].linvel },
    { names: ["spin"], at: PoseWords[2].angvel }
  ],
  3: [
    { names: ["x", "y", "z"], at: PoseWords[3].position },
    { names: ["qx", "qy", "qz", "qw"], at: PoseWords[3].rotation },
    { names: ["vx", "vy", "vz"], at: PoseWords[3].linvel },
    { names: ["wx", "wy", "wz"], at: PoseWords[3].angvel }
  ]
} as const

/** Kinds of fields that hold one number. */
const Numeric: ReadonlySet<string> = new Set("u8 i8 u16 i16 u32 i32 f32 f64 quantised".split(" "))

/**
 * The fields of a collection that show its bodies: those of its place, and of its rotation and velocities as far as it has them.
 * Errors: `SchemaError`.
 */
export const bodyFields = (dimensions: 2 | 3, shape: StateShape): ReadonlyArray<BodyField> =>
  Groups[dimensions].flatMap(({ names, at }, group) => {
    const there = names.filter((name) => isNumeric(shape, name))
    if (there.length === 0 && group > 0) return []
    if (there.length < names.length) {
      throw new SchemaError(
        `physics: ${shape.name}: needs the number fields ${names.join(", ")}${group > 0 ? ", or none of them" : ""}`
      )
    }
    return names.map((name, place) => ({ name, word: at + place }))
  })

/** Whether a collection has a field of this name that holds one number. */
export const isNumeric = (shape: StateShape, name: string): boolean => {
  const found = shape.fields.find((field) => field.name === name)
  return found !== undefined && Numeric.has(found.field.spec.kind)
}

/** The shape of a collection. Errors: `SchemaError`. */
export const collectionOf = (schema: AnyRoomSchema, name: string): StateShape => {
  const shape = schema.collections.byName.get(name)
  if (shape === undefined)
    throw new SchemaError(`physics: ${name}: the schema has no such collection`)
  return shape
}
