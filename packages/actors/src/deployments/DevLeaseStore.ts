import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { devHeldText } from "@atrium/domain/deployments/DevHeldText"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { DevHeld } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"

/** The person and folder that work on a project. */
export interface DevLease {
  readonly projectId: ProjectId
  /** One run of `atrium dev`. */
  readonly holder: string
  readonly folder: string
}

interface HeldLease extends DevLease {
  readonly expiresAtMs: number
}

export const leaseTable = new MemoryTable<HeldLease>()

const heldBy = (folder: string | undefined) =>
  new DevHeld({ message: devHeldText(folder ?? "another folder") })

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
>()("@atrium/actors/deployments/DevLeaseStore") {
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
        return yield* heldBy(rows[0]?.folder)
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

  static readonly layerMemory = Layer.effect(
    DevLeaseStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => {
      const leases = leaseTable.rowsIn(tables)
      return {
        take: Effect.fnUntraced(function* (lease: DevLease, takeOver: boolean) {
          const nowMs = yield* Clock.currentTimeMillis
          const expiresAtMs = nowMs + DeploymentLimits.devLease.ms
          const held = yield* ask("DevLeaseStore.take", () => {
            const before = leases.get(lease.projectId)
            const free =
              before === undefined || before.holder === lease.holder || before.expiresAtMs <= nowMs
            if (!free && !takeOver) return before
            leases.set(lease.projectId, { ...lease, expiresAtMs })
            return null
          })
          return held === null ? expiresAtMs : yield* heldBy(held.folder)
        }),
        release: ({ projectId, holder }) =>
          ask("DevLeaseStore.release", () => {
            if (leases.get(projectId)?.holder === holder) leases.delete(projectId)
          })
      }
    })
  )
}
