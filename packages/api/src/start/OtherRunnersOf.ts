import { OtherRunners } from "@atrium/actors/cluster/OtherRunners"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import { otherRunners } from "./OneConfiguration.ts"
import type { ServiceConfig } from "./ServiceConfig.ts"

/** The other runners, by the database. Tails that look at the same time share a look. */
const seenBy = (address: string) =>
  Layer.effect(
    OtherRunners,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const look = Effect.provideService(otherRunners(address), SqlClient.SqlClient, sql)
      const living = yield* Effect.cachedWithTTL(look, (exit) =>
        Exit.isSuccess(exit) ? StoreLimits.runnersLook.ms : 0
      )
      return { several: true, living }
    })
  )

/** A runner that is alone asks for no others. */
export const otherRunnersLayer = ({ runnerAddress }: Pick<ServiceConfig, "runnerAddress">) =>
  Option.match(runnerAddress, { onNone: () => Layer.empty, onSome: seenBy })
