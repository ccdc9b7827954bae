import { Schema, SchemaGetter } from "effect"

import { RehearsalFailed, rehearsalFields } from "./MigrationRefusal.ts"

const Wire = Schema.Struct({
  error: Schema.Struct({ code: Schema.Literal("E_REHEARSAL_FAILED"), ...rehearsalFields })
}).annotate({ identifier: "E_REHEARSAL_FAILED" })

/** Its wire form: beside code and message, the rehearsal and the rooms that fail. Source: D-02, C-713. */
export const rehearsalFailedOnWire = Wire.pipe(
  Schema.decodeTo(Schema.toType(RehearsalFailed), {
    decode: SchemaGetter.transform(({ error }) => new RehearsalFailed(error)),
    encode: SchemaGetter.transform(({ message, rehearsalId, roomId, rooms }) => ({
      error: { code: "E_REHEARSAL_FAILED" as const, message, rehearsalId, roomId, rooms }
    }))
  })
).annotate({ httpApiStatus: 409 })
