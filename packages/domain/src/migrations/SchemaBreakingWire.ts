import { Schema, SchemaGetter } from "effect"

import { breakingFields, SchemaBreaking } from "./MigrationRefusal.ts"

const Wire = Schema.Struct({
  error: Schema.Struct({ code: Schema.Literal("E_SCHEMA_BREAKING"), ...breakingFields })
}).annotate({ identifier: "E_SCHEMA_BREAKING" })

/** Its wire form: beside code and message, what the change concerns. Source: D-02, C-700. */
export const schemaBreakingOnWire = Wire.pipe(
  Schema.decodeTo(Schema.toType(SchemaBreaking), {
    decode: SchemaGetter.transform(({ error }) => new SchemaBreaking(error)),
    encode: SchemaGetter.transform(({ message, type, difference, rooms, saves }) => ({
      error: { code: "E_SCHEMA_BREAKING" as const, message, type, difference, rooms, saves }
    }))
  })
).annotate({ httpApiStatus: 409 })
