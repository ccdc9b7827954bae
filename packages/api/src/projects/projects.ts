import { Deployer } from "@atrium/actors/deployments/Deployer"
import { type DeploymentRow, DeploymentStore } from "@atrium/actors/deployments/DeploymentStore"
import { DevLeaseStore } from "@atrium/actors/deployments/DevLeaseStore"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { type ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { Account, CallersProject } from "@atrium/domain/http/Credential"
import { ProjectsApi, type Deployment, type Project } from "@atrium/domain/projects/ProjectsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest, NotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

const projectOf = (row: ProjectRow): Project => ({
  id: row.projectId,
  name: row.name,
  plan: row.plan,
  createdAt: isoOf(row.createdAtMs),
  connectionsPerIpPerMin: row.connectionsPerIpPerMin,
  vmMemMib: row.vmMemMib,
  queues: row.queues,
  boards: row.boards,
  origins: row.origins,
  audienceRole: row.audienceRole,
  preRelease: row.preRelease,
  static: null,
  currentVersion: row.currentVersion
})

const deploymentOf = (row: DeploymentRow): Deployment => ({
  version: row.version,
  bytes: row.bytes,
  createdAt: isoOf(row.createdAtMs),
  roomTypes: row.roomTypes.map(({ type, class: roomClass, maxClients, schemaHash }) => ({
    type,
    class: roomClass,
    maxClients,
    schemaHash
  })),
  relay: row.relay
})

/** The project; one that went away since the caller was let through is not there. */
const there = (found: Effect.Effect<Option.Option<ProjectRow>>) =>
  Effect.flatMap(
    found,
    Option.match({
      onNone: () => Effect.fail(new NotFound()),
      onSome: (row) => Effect.succeed(projectOf(row))
    })
  )

/** Projects, deployments and JWT secrets. */
export const ProjectsHandlers = HttpApiBuilder.group(
  apiOf(ProjectsApi),
  "projects",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const deployments = yield* DeploymentStore
    const jwtSecrets = yield* JwtSecretStore
    const devLeases = yield* DevLeaseStore
    const deployer = yield* Deployer
    return handlers.handleAll({
      list: Effect.fn("projects.list")(function* () {
        const { accountId } = yield* Account
        return (yield* projects.list(accountId)).map(projectOf)
      }),
      create: Effect.fn("projects.create")(function* ({ payload }) {
        const { accountId } = yield* Account
        return projectOf(yield* projects.create(accountId, payload.name))
      }),
      read: Effect.fn("projects.read")(function* () {
        const { projectId } = yield* CallersProject
        return yield* there(projects.find(projectId))
      }),
      set: Effect.fn("projects.set")(function* ({ payload: { name, ...settings } }) {
        const { projectId } = yield* CallersProject
        const set = yield* projects.set({ projectId, name }, settings)
        if (Option.isSome(set)) return projectOf(set.value)
        return yield* new BadRequest({ message: "field name: must be the project's current name" })
      }),
      delete: Effect.fn("projects.delete")(function* () {
        const { projectId } = yield* CallersProject
        if (!(yield* projects.delete(projectId))) return yield* new NotFound()
        return { id: projectId }
      }),
      rename: Effect.fn("projects.rename")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        return yield* there(projects.rename(projectId, payload.name))
      }),
      deployments: Effect.fn("projects.deployments")(function* () {
        const { projectId } = yield* CallersProject
        return (yield* deployments.list(projectId)).map(deploymentOf)
      }),
      deploy: Effect.fn("projects.deploy")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const { deployment, made } = yield* deployer.deploy(projectId, payload)
        return made
          ? { ...deploymentOf(deployment), made: true as const }
          : { ...deploymentOf(deployment), made: false as const }
      }),
      holdDev: Effect.fn("projects.holdDev")(function* ({ payload: { holder, folder, takeOver } }) {
        const { projectId } = yield* CallersProject
        if (folder === null) {
          yield* devLeases.release({ projectId, holder })
          return { expiresAt: null }
        }
        const lease = { projectId, holder, folder }
        return { expiresAt: isoOf(yield* devLeases.take(lease, takeOver === true)) }
      }),
      mintJwtSecret: Effect.fn("projects.mintJwtSecret")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const minted = yield* jwtSecrets.mint(projectId, payload.rotate === true)
        return {
          secret: minted.secret,
          kid: String(minted.kid),
          createdAt: isoOf(minted.createdAtMs)
        }
      }),
      deleteJwtSecret: Effect.fn("projects.deleteJwtSecret")(function* () {
        const { projectId } = yield* CallersProject
        return { deleted: (yield* jwtSecrets.remove(projectId)).map(String) }
      })
    })
  })
)
