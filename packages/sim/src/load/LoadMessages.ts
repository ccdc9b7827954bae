import type { AnyRoomSchema, FieldList, MessageShape } from "@atrium/sdk/schema"
import { packRecord } from "@atrium/wire/codec/RecordCodec"
import type { FieldSpec } from "@atrium/wire/schema/FieldSpec"
import { Result } from "effect"

/** In [0, 1). */
export type Random = () => number

/** The messages of players: one of the schema's, with other values each time. */
export interface LoadMessages {
  readonly name: string
  /** Of one frame, when all its numbers are small. */
  readonly frameBytes: number
  make(random: Random): unknown
}

/** `[2, messageIndex, payload]` around the payload. */
const frameBytes = 5

/**
 * The message that players send: the named one, or the first that the schema declares. Texts and bytes in it
 * make up for the size that the scenario gives; a message without any has the size that it has. `null` = the
 * schema declares none. Fails when it declares no such one.
 */
export const loadMessages = (
  schema: AnyRoomSchema,
  asked: { readonly message?: string; readonly bytes: number }
): Result.Result<LoadMessages | null, string> => {
  const { list, byName } = schema.messages
  const shape = asked.message === undefined ? list[0] : byName.get(asked.message)
  if (shape !== undefined) return Result.succeed(messagesOf(shape, asked.bytes))
  if (asked.message === undefined) return Result.succeed(null)
  const names = list.map(({ name }) => name).join(", ") || "none"
  return Result.fail(
    `game.up.message: ${schema.type} declares no message ${asked.message}; it has: ${names}`
  )
}

const messagesOf = ({ name, fields }: MessageShape, bytes: number): LoadMessages => {
  if (fields === null) {
    const text = "x".repeat(Math.max(0, bytes - frameBytes))
    return { name, frameBytes: text.length + frameBytes, make: () => text }
  }
  const sized = fields.filter(({ field }) => isSized(field.spec)).length
  const sizeWith = (fill: number): number =>
    packRecord(fields, valuesOf(fields, { random: () => 0.5, fill }), name).length + frameBytes
  const fill = sized === 0 ? 0 : Math.max(0, Math.floor((bytes - sizeWith(0)) / sized))
  return {
    name,
    frameBytes: sizeWith(fill),
    make: (random) => valuesOf(fields, { random, fill })
  }
}

const isSized = (spec: FieldSpec): boolean => spec.kind === "string" || spec.kind === "bytes"

interface Filling {
  readonly random: Random
  /** Bytes of each text. */
  readonly fill: number
}

const valuesOf = (fields: FieldList, filling: Filling): Record<string, unknown> =>
  Object.fromEntries(fields.map(({ name, field }) => [name, valueOf(field.spec, filling)]))

/** Whole numbers that nobody bounds stay small: they may be places in a list of the game. */
const smallMax = 8

/** A value that the field takes. Numbers that move lie within -1 and 1, as headings do. */
const valueOf = (spec: FieldSpec, filling: Filling): unknown => {
  const { random, fill } = filling
  switch (spec.kind) {
    case "bool":
      return random() < 0.5
    case "f32":
    case "f64":
      return 2 * random() - 1
    case "quantised":
      return spec.min + random() * (spec.max - spec.min)
    case "string":
      return letter(random).repeat(Math.min(spec.maxBytes, fill))
    case "bytes":
      return new Uint8Array(Math.min(spec.maxBytes, fill)).fill(Math.floor(random() * 256))
    case "enum":
      return spec.choices[Math.floor(random() * spec.choices.length)]
    case "ref":
      return 1 + Math.floor(random() * smallMax)
    case "list":
    case "map":
      return []
    case "struct":
      return Object.fromEntries(
        spec.fields.map(({ name, spec: field }) => [name, valueOf(field, filling)])
      )
    case "optional":
      return random() < 0.5 ? undefined : valueOf(spec.of, filling)
    default:
      return Math.floor(random() * smallMax)
  }
}

const letter = (random: Random): string => String.fromCharCode(97 + Math.floor(random() * 26))
