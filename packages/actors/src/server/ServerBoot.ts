import type { ProjectId } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { type ServerSettings, serverSettings } from "@atrium/domain/ServerSettings"
import { Cause, Context, Deferred, Effect, Option } from "effect"

import { ProjectStore } from "../store/ProjectStore.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { serverIdOf, StoreAway } from "./ServerProtocol.ts"

/** What the operator has set for servers of projects that set nothing; `null` = nothing either. */
export const ServiceDefaults = Context.Reference<{
  readonly connectionsPerIpPerMin: number | null
}>("@atrium/actors/server/ServiceDefaults", {
  defaultValue: () => ({ connectionsPerIpPerMin: null })
})

const nothingSet = { connectionsPerIpPerMin: null, vmMemMib: null }

/** One start of a server: it happens once, for all who wait for it. */
export type ServerBoot = Effect.Effect<ServerSettings, StoreAway>

/**
 * Starts of a project's server, each with what the project has set by then. There are no saved images
 * of servers, so every start is a cold boot; rooms come back from their own snapshots.
 */
export const makeServerBoot = Effect.fnUntraced(function* (projectId: ProjectId, index: number) {
  const projects = yield* ProjectStore
  const service = yield* ServiceDefaults

  const boot = Effect.gen(function* () {
    // Whoever asked for the start waits no longer than for its room.
    const found = yield* answeredWithin(Limits.storeAnswer.ms)(projects.find(projectId))
    const project = Option.getOrElse(found, () => nothingSet)
    // The schema library knows no physics, so no deployment declares any.
    const settings = serverSettings({ project, service, physics: false })
    const told = {
      project: projectId,
      server: serverIdOf(projectId, index),
      SERVICE_CONNECTIONS_PER_IP_PER_MIN: settings.connectionsPerIpPerMin,
      vmMemMib: settings.vmMemMib
    }
    yield* Effect.annotateCurrentSpan({ ...told, boot: "cold" })
    yield* Effect.annotateLogs(Effect.logInfo("the server starts: a cold boot"), told)
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

const refusalOf = (cause: Cause.Cause<Cause.TimeoutError>): Effect.Effect<never, StoreAway> => {
  const refused = Effect.fail(new StoreAway())
  // An outage is told once, by whoever watches the store.
  if (!Cause.hasDies(cause) || isStoreAway(cause)) return refused
  return Effect.andThen(Effect.logError("a server could not be started", cause), refused)
}
