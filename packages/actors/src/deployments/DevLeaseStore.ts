import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { devHeldText } from "@atrium/domain/deployments/DevHeldText"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { DevHeld } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Who works on a project, from where. */
export interface DevLease {
  readonly projectId: ProjectId
  /** One run of `atrium dev`. */
  readonly holder: string
  readonly folder: string
}

/**
 * Which folder a project's rooms are developed in: a lease that `atrium dev` renews. A failing store
 * is a defect. Source: C-227.
 */
export class DevLeaseStore extends Context.Service<
  DevLeaseStore,
  {
    /** Takes the lease or renews it; `takeOver` takes it from another holder. @returns its end */
    take(lease: DevLease, takeOver: boolean): Effect.Effect<number, DevHeld>
    /** Gives the lease up, if this holder has it. */
    release(lease: Pick<DevLease, "projectId" | "holder">): Effect.Effect<void>
  }
>()("@atrium/actors/store/DevLeaseStore") {
  static readonly layerSql = Layer.effect(
    DevLeaseStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const take = Effect.fn("DevLeaseStore.take")(function* (
        { projectId, holder, folder }: DevLease,
        takeOver: boolean
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const expiresAtMs = nowMs + DeploymentLimits.devLease.ms
        // One statement, so that of two who come at once one has it.
        const taken = yield* Effect.orDie(sql`
          insert into dev_leases as held (project_id, holder, folder, expires_at_ms)
          values (${projectId}, ${holder}, ${folder}, ${expiresAtMs})
          on conflict (project_id) do update
            set holder = excluded.holder, folder = excluded.folder,
              expires_at_ms = excluded.expires_at_ms
            where held.holder = excluded.holder or held.expires_at_ms <= ${nowMs} or ${takeOver}
          returning 1`)
        if (taken.length > 0) return expiresAtMs
        const rows = yield* Effect.orDie(sql<{ readonly folder: string }>`
          select folder from dev_leases where project_id = ${projectId}`)
        return yield* new DevHeld({ message: devHeldText(rows[0]?.folder ?? "another folder") })
      })

      const release = Effect.fn("DevLeaseStore.release")(
        ({ projectId, holder }: Pick<DevLease, "projectId" | "holder">) =>
          Effect.asVoid(
            Effect.orDie(sql`delete from dev_leases
              where project_id = ${projectId} and holder = ${holder}`)
          )
      )

      return { take, release }
    })
  )
}
