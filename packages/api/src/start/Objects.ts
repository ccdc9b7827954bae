import { runnerElsewhere } from "@atrium/actors/objects/ObjectRunners"
import type { ObjectsFailure } from "@atrium/actors/objects/ObjectsFailure"
import { makeS3Bytes } from "@atrium/actors/objects/S3Bytes"
import { randomHex } from "@atrium/actors/store/Secrets"
import type { ObjectPlace } from "@atrium/domain/objects/ObjectPlace"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"

import { type ServiceConfig, StartRefused } from "./ServiceConfig.ts"

interface PlaceRow {
  readonly place: ObjectPlace
  /** Some objects are in the S3. */
  readonly used: boolean
}

const refused = (message: string) => Effect.fail(new StartRefused({ message }))

/**
 * The S3 of the configuration, when it is the one where this database has its objects, and gives and takes bytes now.
 * `null` = all objects are in PostgreSQL.
 */
export const openObjects = Effect.fn("start.objects")(
  function* (config: Pick<ServiceConfig, "objects">) {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<PlaceRow>`
      select place, exists (select from objects where blob is not null) as used from object_place`
    if (Option.isNone(config.objects)) {
      if (row?.place !== "s3" && row?.used !== true) return null
      return yield* refused(
        "Objects of this database are in an S3: set ATRIUM_OBJECTS_URL to it (docs/operations.md)."
      )
    }
    const remote = makeS3Bytes(config.objects.value)
    const failing = Effect.mapError(
      ({ message }: ObjectsFailure) =>
        new StartRefused({ message: `The objects at ${remote.place} cannot be used: ${message}.` })
    )
    const mark = yield* failing(remote.mark)
    const own = yield* ownMark(sql)
    if (mark === null ? row?.used === true : mark !== own) {
      return yield* refused(
        `${remote.place} is not where this database has its objects: set ATRIUM_OBJECTS_URL to that place, ` +
          "or to an empty one if there are none yet."
      )
    }
    // This proves that the S3 takes bytes, too.
    yield* failing(remote.setMark(own))
    // A database without objects begins in the S3; others move there when they are told to.
    if ((yield* runnerElsewhere(remote.place)) === null) {
      yield* sql`update object_place set place = 's3'
        where ordered_at_ms is null and not exists (select from objects)`
    }
    return remote
  },
  Effect.catchTag("SqlError", ({ message }) =>
    refused(`The place of objects cannot be read: ${message}.`)
  )
)

/** The text by which this database knows its place again. Runners that start at once agree on one. */
const ownMark = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [row] = yield* sql<{ readonly mark: string }>`
    update object_place set mark = coalesce(mark, ${randomHex(32)}) returning mark`
  return row?.mark ?? ""
})
