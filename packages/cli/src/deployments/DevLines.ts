import { isoOf } from "@atrium/domain/shared/IsoText"
import { Clock, Console, Effect, FiberHandle } from "effect"

import { followLines } from "../logs/FollowLines.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import type { DevReport } from "./DevReport.ts"

/**
 * Prints what the rooms log of the project that this run of `atrium dev` works on, from its first
 * deployment on. A service without logs is as good as one whose rooms say nothing. Source: C-334.
 */
export const makeDevLines = Effect.fnUntraced(function* (
  service: ServiceClient,
  report: Pick<DevReport, "line">
) {
  const following = yield* FiberHandle.make<void>()
  let followed: string | null = null
  return {
    follow: Effect.fnUntraced(function* (project: string) {
      if (followed === project) return
      followed = project
      const since = isoOf(yield* Clock.currentTimeMillis)
      const lines = followLines({ service, project, query: { since } }, report.line).pipe(
        Effect.catch((failure) =>
          failure._tag === "Refused" && failure.code === "E_NOT_FOUND"
            ? Effect.void
            : Console.error(`the lines of rooms are not shown: ${failure.message}`)
        )
      )
      yield* FiberHandle.run(following, lines)
    })
  }
})
