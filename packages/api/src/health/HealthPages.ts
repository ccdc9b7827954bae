import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"

import { errorResponse } from "../http/ErrorResponse.ts"
import { page } from "../http/Page.ts"
import { ObjectsWatch } from "../start/ObjectsWatch.ts"
import { StoreWrites } from "../start/StoreWrites.ts"

/** The process is up. D-51. */
export const HealthPage = page("/health", HttpServerResponse.jsonUnsafe({ status: "ok" }))

/** The store answers this runner, and the runner takes rooms; other runners answer for themselves. D-51. */
export const ReadyPage = page(
  "/ready",
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rooms = yield* AwakeRooms
    yield* answeredWithin(StoreLimits.readyAnswer.ms)(sql`select 1`)
    if (rooms.closing()) return notReady("the service is going down")
    const writes = yield* StoreWrites
    if (!(yield* writes.taken)) return notReady("the store takes no writes: its disk may be full")
    const objects = yield* ObjectsWatch
    if (!(yield* objects.answers)) return notReady("the S3 of objects does not answer")
    return yield* HttpServerResponse.json({ status: "ready" })
  }).pipe(Effect.catchCause(() => Effect.succeed(notReady("the store does not answer"))))
)

const notReady = (message: string) => errorResponse(new NotReady({ message }), 503)
