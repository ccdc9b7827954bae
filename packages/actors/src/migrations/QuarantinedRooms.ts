import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect, Schedule } from "effect"

import type { Seat } from "../rooms/RoomState.ts"
import { logFailure } from "../store/StoreFailure.ts"

interface Refused {
  readonly _tag: string
}

/** Where {@link tryQuarantined} finds rooms, and who starts and stores them. */
interface QuarantinePort {
  readonly found: Effect.Effect<ReadonlyArray<RoomKey>>
  wake(key: RoomKey): Effect.Effect<Seat, Refused>
  putAway(key: RoomKey, at: Seat): Effect.Effect<void, unknown>
}

/**
 * Tries rooms in quarantine on a new version, one after the other: each is woken, and stored again at once. A room whose
 * state is led on is open then. Any other one stays in quarantine, and its next join tries it again; so do all that are
 * left when the project may start no more rooms. Source: C-993.
 */
export const tryQuarantined = (port: QuarantinePort): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const key of yield* port.found) {
      const goesOn = yield* Effect.annotateLogs(tryOne(key, port), {
        project: key.projectId,
        room: key.roomId
      })
      if (!goesOn) return
    }
  }).pipe(logFailure("rooms in quarantine could not be tried", Effect.logWarning), Effect.asVoid)

/** An actor that knew the row of before reads it again, and a server may have a place a moment later. */
const whileWaking = {
  schedule: Schedule.spaced(RoomLimits.moveLook.ms),
  times: 3,
  while: ({ _tag }: Refused) => _tag === "E_TENANT_WAKING"
} as const

/** @returns whether the next room may be tried */
const tryOne = (key: RoomKey, { wake, putAway }: QuarantinePort): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const at = yield* Effect.retry(wake(key), whileWaking)
    // A client that has come in meanwhile keeps it awake.
    yield* logFailure("a room could not be put away", Effect.logWarning)(putAway(key, at))
    return true
  }).pipe(
    Effect.timeout(ServiceLimits.actorCall.ms),
    Effect.catch(({ _tag }) => Effect.succeed(!stops.has(_tag))),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("a room in quarantine was not tried", cause), true)
    )
  )

/** The project has no place for another room, or is at its cap. */
const stops: ReadonlySet<string> = new Set(["E_TENANT_WAKING", "E_CAP_REACHED"])
