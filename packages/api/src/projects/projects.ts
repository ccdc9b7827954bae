import { type Deployed, Deployer } from "@atrium/actors/deployments/Deployer"
import { DevLeaseStore } from "@atrium/actors/deployments/DevLeaseStore"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import type { DeployWish } from "@atrium/actors/migrations/NextStep"
import { type ProjectRow, ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { SiteStore } from "@atrium/actors/sites/SiteStore"
import { readDeploy } from "@atrium/domain/deployments/DeployBody"
import { apiOf } from "@atrium/domain/http/Api"
import { Account, CallersProject } from "@atrium/domain/http/Credential"
import { ProjectsApi, type Project } from "@atrium/domain/projects/ProjectsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { BadRequest, NotFound } from "@atrium/domain/shared/Refusal"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"

import { deploymentOf } from "../deployments/deploymentOf.ts"
import { siteUrls } from "../sites/SiteUrls.ts"

const projectOf = (row: ProjectRow, site: Project["static"]): Project => ({
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
  static: site,
  currentVersion: row.currentVersion
})

/** Projects as the API shows them, with their sites. */
const showing = (sites: SiteStore["Service"]) => {
  const all = Effect.fnUntraced(function* (rows: ReadonlyArray<ProjectRow>) {
    const found = yield* sites.sites(rows.map(({ projectId }) => projectId))
    const urlOf = yield* siteUrls
    return rows.map((row) => {
      const site = found.get(row.projectId)
      return projectOf(row, site === undefined ? null : { label: site.label, url: urlOf(site) })
    })
  })
  const one = Effect.fnUntraced(function* (row: Option.Option<ProjectRow>) {
    const [project] = yield* all(Option.toArray(row))
    // A project that was deleted since the caller was let through is not there.
    return project ?? (yield* new NotFound())
  })
  return { all, one }
}

/** The settings and the bundle of a body; what settings are refused for is refused here. Source: C-321. */
const uploaded = (body: Uint8Array, settingsBytes = "0") =>
  Result.match(readDeploy({ body, settingsBytes: Number(settingsBytes) }), {
    onFailure: (message) => Effect.fail(new BadRequest({ message })),
    onSuccess: Effect.succeed
  })

/** What the query of a deployment asks for. */
const wished = ({ allowBreaking, strategy = "migrate", quarantine }: DeployQuery): DeployWish => ({
  allowBreaking: allowBreaking === "true",
  strategy,
  quarantine: quarantine === "true"
})

/** The bundle of a deployment, and what is asked for beside it. */
const askedBy = Effect.fnUntraced(function* (body: Uint8Array, query: DeployQuery) {
  const wish = wished(query)
  if (wish.quarantine && !wish.allowBreaking) {
    return yield* new BadRequest({ message: "quarantine: goes with allowBreaking=true alone" })
  }
  const { bundle, settings } = yield* uploaded(body, query.settingsBytes)
  return { bundle, asked: { settings, ...wish } }
})

interface DeployQuery {
  readonly allowBreaking?: "true" | "false"
  readonly strategy?: DeployWish["strategy"]
  readonly quarantine?: "true" | "false"
  readonly settingsBytes?: string
}

/** Projects, deployments and JWT secrets. */
/** What a version that was made does to rooms, where it is not the usual. */
const effectsOf = ({ newWorlds, deployment: { roomTypes } }: Deployed) => {
  const sharing = roomTypes.flatMap(({ type, sharing }) => (sharing === true ? [type] : []))
  return {
    ...(newWorlds.length > 0 && { newWorlds }),
    ...(sharing.length > 0 && { sharing })
  }
}

export const ProjectsHandlers = HttpApiBuilder.group(
  apiOf(ProjectsApi),
  "projects",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const jwtSecrets = yield* JwtSecretStore
    const devLeases = yield* DevLeaseStore
    const deployer = yield* Deployer
    const show = showing(yield* SiteStore)
    return handlers.handleAll({
      list: Effect.fn("projects.list")(function* () {
        const { accountId } = yield* Account
        return yield* show.all(yield* projects.list(accountId))
      }),
      create: Effect.fn("projects.create")(function* ({ payload }) {
        const { accountId } = yield* Account
        return projectOf(yield* projects.create(accountId, payload.name), null)
      }),
      read: Effect.fn("projects.read")(function* () {
        const { projectId } = yield* CallersProject
        return yield* show.one(yield* projects.find(projectId))
      }),
      set: Effect.fn("projects.set")(function* ({ payload: { name, ...settings } }) {
        const { projectId } = yield* CallersProject
        const set = yield* projects.set({ projectId, name }, settings)
        if (Option.isSome(set)) return yield* show.one(set)
        return yield* new BadRequest({ message: "field name: must be the project's current name" })
      }),
      delete: Effect.fn("projects.delete")(function* () {
        const { projectId } = yield* CallersProject
        if (!(yield* projects.delete(projectId))) return yield* new NotFound()
        return { id: projectId }
      }),
      rename: Effect.fn("projects.rename")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        return yield* show.one(yield* projects.rename(projectId, payload.name))
      }),
      deploy: Effect.fn("projects.deploy")(function* ({ payload, query }) {
        const { projectId } = yield* CallersProject
        const { bundle, asked } = yield* askedBy(payload, query)
        const deployed = yield* deployer.deploy(projectId, bundle, asked)
        const told = deploymentOf(deployed.deployment)
        if (!deployed.made) return { ...told, made: false as const }
        return { ...told, made: true as const, ...effectsOf(deployed) }
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
