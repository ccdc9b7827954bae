import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import type { Rehearsal } from "@atrium/domain/migrations/RehearsalsApi"
import { Effect } from "effect"

import { whenReady } from "../deployments/WhenReady.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { withProgress } from "../terminal/Progress.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { withWays } from "./BreakingText.ts"
import { progressText } from "./RehearsalText.ts"

/** How often the service is asked how far it is. */
const lookMs = 500

interface ToRehearse {
  readonly service: ServiceClient
  /** Of the project, as a part of a route. */
  readonly id: string
  readonly bytes: Uint8Array
  /** Rooms to draw; `null` = all. */
  readonly sample: number | null
}

/** Begins the rehearsal of a bundle, or goes on with that of the same bundle. */
export const beginRehearsal = Effect.fn("Rehearsing.begin")(function* (asked: ToRehearse) {
  const { service, id, bytes, sample } = asked
  const query = sample === null ? {} : { sample: String(sample) }
  const call = service.rehearsals.begin({ params: { id }, query, payload: bytes })
  return yield* whenReady(service.ask(call, "transfer")).pipe(
    withProgress(`uploading ${sizeText(bytes.length)} to rehearse it`),
    withWays
  )
})

/**
 * Waits until a rehearsal is over, and says how far it is. The service goes on with it when this program ends. Source:
 * C-714.
 */
export const followRehearsal = Effect.fn("Rehearsing.follow")(function* (
  { service, id }: Pick<ToRehearse, "service" | "id">,
  begun: Rehearsal
) {
  let seen = begun
  const { rehearsalId } = begun
  const read = service.rehearsals.read({ params: { id, rehearsalId }, query: {} })
  const follow = Effect.gen(function* () {
    while (seen.state === "running") {
      yield* Effect.sleep(lookMs)
      seen = yield* service.ask(read)
    }
  })
  yield* withProgress(() => progressText(seen))(follow)
  return seen
})

/** Whether a rehearsal lets a deploy go on. */
export const hasPassed = ({ state }: Rehearsal): boolean => state === "passed"

/** The largest sample that a rehearsal draws. */
export const sampleMax = MigrationLimits.rehearsalSample.max
