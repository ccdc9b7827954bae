import { Deployer } from "@atrium/actors/deployments/Deployer"
import { DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { RoomStore } from "@atrium/actors/rooms/RoomStore"
import { DeploymentsApi } from "@atrium/domain/deployments/DeploymentsApi"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { VersionNotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { deploymentOf, withSchemas } from "./deploymentOf.ts"

/** The versions of a project, and the way back to one of them. */
export const DeploymentsHandlers = HttpApiBuilder.group(
  apiOf(DeploymentsApi),
  "deployments",
  Effect.fnUntraced(function* (handlers) {
    const deployments = yield* DeploymentStore
    const rooms = yield* RoomStore
    const deployer = yield* Deployer
    return handlers.handleAll({
      list: Effect.fn("deployments.list")(function* () {
        const { projectId } = yield* CallersProject
        const rows = yield* deployments.list(projectId)
        const current = (yield* deployments.currentVersions([projectId])).get(projectId)
        const up = yield* rooms.upByVersion(projectId)
        return rows.map((row) => ({
          ...deploymentOf(row),
          current: row.version === current,
          rooms: up.get(row.version) ?? 0
        }))
      }),
      read: Effect.fn("deployments.read")(function* ({ params }) {
        const { projectId } = yield* CallersProject
        // A malformed number answers like an unknown one.
        const version = /^[1-9][0-9]{0,9}$/.test(params.version) ? Number(params.version) : 0
        const row = Option.getOrNull(yield* deployments.find(projectId, version))
        if (row !== null) return withSchemas(row)
        return yield* new VersionNotFound({ message: "version: the project has no such version" })
      }),
      rollback: Effect.fn("deployments.rollback")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        return deploymentOf(yield* deployer.rollback(projectId, payload.version ?? null))
      })
    })
  })
)
