import {
  roomsMibOf,
  type ServerSettings,
  serverSettings,
  type ServerTerms
} from "@atrium/domain/projects/ServerSettings"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Context, Deferred, Effect, Option } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { type ProjectRow, ProjectStore } from "../projects/ProjectStore.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { nthOf } from "./ServerIndex.ts"
import { serverIdOf, StoreAway } from "./ServerProtocol.ts"
import { StartedServers } from "./ServerStarts.ts"

/** Defaults of the operator for projects that set nothing; `null` = the operator set nothing either. */
export const ServiceDefaults = Context.Reference<{
  readonly connectionsPerIpPerMin: number | null
}>("@atrium/actors/servers/ServiceDefaults", {
  defaultValue: () => ({ connectionsPerIpPerMin: null })
})

const nothingSet = { connectionsPerIpPerMin: null, vmMemMib: null }

/** One start of a server: it happens once, for all rooms that wait for it. */
export type ServerBoot = Effect.Effect<ServerSettings, StoreAway>

/**
 * Starts of a project's server, each with what the project has set by then. There are no saved images
 * of servers, so every start is a cold boot; rooms come back from their own snapshots.
 */
export const makeServerBoot = Effect.fnUntraced(function* (projectId: ProjectId, index: number) {
  const projectNow = yield* makeProjectNow(projectId)
  const service = yield* ServiceDefaults
  const starts = yield* StartedServers

  const boot = Effect.gen(function* () {
    const { project, classes, physics } = yield* projectNow()
    const settings = serverSettings({
      project: project ?? nothingSet,
      service,
      classes,
      physics
    })
    const told = {
      project: projectId,
      server: serverIdOf(projectId, index),
      SERVICE_CONNECTIONS_PER_IP_PER_MIN: settings.connectionsPerIpPerMin,
      vmMemMib: settings.vmMemMib,
      roomsMib: settings.roomsMib
    }
    yield* Effect.annotateCurrentSpan({ ...told, boot: "cold" })
    yield* Effect.annotateLogs(Effect.logInfo("the server starts: a cold boot"), told)
    starts.started({ projectId, nth: nthOf(index) }, settings)
    return settings
  }).pipe(Effect.catchCause(refusalOf), Effect.withSpan("Server.boot"))

  return (): ServerBoot => {
    const done = Deferred.makeUnsafe<ServerSettings, StoreAway>()
    let begun = false
    return Effect.suspend(() => {
      if (begun) return Deferred.await(done)
      begun = true
      return Effect.andThen(Deferred.into(boot, done), Deferred.await(done))
    })
  }
})

/** The terms on which a project's servers take rooms now: its plan, and the classes that it declares. */
export const makeServerTerms = Effect.fnUntraced(function* (projectId: ProjectId) {
  const projectNow = yield* makeProjectNow(projectId)
  const terms: Effect.Effect<ServerTerms, StoreAway> = projectNow().pipe(
    // A project that is gone starts no room any more: its rooms are told to go.
    Effect.map(({ project, classes }) => ({
      plan: project?.plan ?? "free",
      roomsMib: roomsMibOf(classes)
    })),
    Effect.catchCause(refusalOf)
  )
  return () => terms
})

/** The project's row, and the classes of the room types that it has deployed; `null` = it is gone. */
const makeProjectNow = Effect.fnUntraced(function* (projectId: ProjectId) {
  const projects = yield* ProjectStore
  const deployments = yield* DeploymentStore
  const read = Effect.gen(function* () {
    const project: ProjectRow | null = Option.getOrNull(yield* projects.find(projectId))
    const version = project?.currentVersion ?? null
    const deployed = version === null ? null : yield* deployments.find(projectId, version)
    const roomTypes = deployed === null ? [] : (Option.getOrNull(deployed)?.roomTypes ?? [])
    return {
      project,
      classes: roomTypes.map((type) => type.class),
      physics: roomTypes.some((type) => type.physics !== undefined)
    }
  })
  // The caller waits for this no longer than it waits for its room.
  return () => answeredWithin(StoreLimits.storeAnswer.ms)(read)
})

const refusalOf = (cause: Cause.Cause<Cause.TimeoutError>): Effect.Effect<never, StoreAway> => {
  const refused = Effect.fail(new StoreAway())
  // `StoreWatch` logs an outage, once.
  if (!Cause.hasDies(cause) || isStoreAway(cause)) return refused
  return Effect.andThen(Effect.logError("a server could not be started", cause), refused)
}
