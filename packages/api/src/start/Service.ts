import { Deployer } from "@atrium/actors/deployments/Deployer"
import { ApiKeys } from "@atrium/actors/keys/ApiKeys"
import { ProcessPool } from "@atrium/actors/process/ProcessPool"
import { SendWindows } from "@atrium/actors/process/SendWindow"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { drainRooms } from "@atrium/actors/rooms/DrainRooms"
import { Incarnations } from "@atrium/actors/rooms/Incarnations"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import { RoomCalls } from "@atrium/actors/rooms/RoomCalls"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { ServiceDefaults } from "@atrium/actors/servers/ServerBoot"
import { ServerStarts, StartedServers } from "@atrium/actors/servers/ServerStarts"
import { storesLayer } from "@atrium/actors/store/Stores"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { BadRequest, NotFound } from "@atrium/domain/shared/Refusal"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { HttpRouter } from "effect/http"

import { features } from "../features.ts"
import { withAnswerTime } from "../http/AnswerTimes.ts"
import { withBrowserOrigins } from "../http/BrowserOrigins.ts"
import { ClientAddresses } from "../http/ClientAddresses.ts"
import { withErrorResponses } from "../http/ErrorResponses.ts"
import { exactPaths, withReadablePaths } from "../http/ExactPaths.ts"
import { HttpApp } from "../http/HttpApp.ts"
import { listed } from "../http/ListHeader.ts"
import { rawRefusal } from "../http/RawRefusal.ts"
import { withRequestIds } from "../http/RequestId.ts"
import { withStrictBodies } from "../http/StrictBodies.ts"
import { makeUnroutedPaths } from "../http/UnroutedPaths.ts"
import { EventLoopTurns } from "../metrics/EventLoopTurns.ts"
import { RunnerMetrics } from "../metrics/RunnerMetrics.ts"
import { ServiceMetrics } from "../metrics/ServiceMetrics.ts"
import { PlayerTokens } from "../router/PlayerTokens.ts"
import { RoomRouter, targetOf } from "../router/RoomRouter.ts"
import type { ListenerHandlers } from "./Listener.ts"
import { runnerLayer } from "./Runner.ts"
import { type ServiceConfig, StoreLost } from "./ServiceConfig.ts"
import { StoreWrites } from "./StoreWrites.ts"

type Feature = (typeof features)[number]

const actors = features.flatMap<Feature["actors"][number]>((feature) => feature.actors)
const layers = features.flatMap<Feature["layers"][number]>((feature) => feature.layers)
const calls = features.flatMap<Feature["calls"][number]>((feature) => feature.calls)

/** From here on in-room calls are answered: all that their handlers need is there. */
const answeredCalls = Layer.effectDiscard(
  Effect.flatMap(RoomCalls, ({ open }) => open(new Map(calls)))
)

/** What {@link serviceLayer} has. */
export type ServiceParts = Layer.Success<ReturnType<typeof serviceLayer>>

/** Stores, actors, processes and router of one runner, on a database that has its tables. */
export const serviceLayer = (config: ServiceConfig, key: Uint8Array) => {
  const defaults = {
    connectionsPerIpPerMin: Option.getOrNull(config.connectionsPerIpPerMin)
  }
  const rooms = Layer.mergeAll(Layer.empty, ...actors).pipe(
    Layer.provideMerge(AwakeRooms.layer),
    Layer.provideMerge(MemoryLook.layer),
    Layer.provideMerge(Incarnations.layer),
    Layer.provideMerge(RoomCalls.layer),
    Layer.provideMerge(PlayerFields.layer)
  )
  return ServiceMetrics.layer.pipe(
    Layer.merge(EventLoopTurns.layer),
    Layer.merge(answeredCalls),
    Layer.provideMerge(Layer.mergeAll(Layer.empty, ...layers)),
    Layer.provideMerge(RunnerMetrics.layer),
    Layer.provideMerge(Layer.mergeAll(RoomRouter.layer, Deployer.layer, Rooms.layer)),
    Layer.provideMerge(StoreWrites.layer),
    Layer.provideMerge(PlayerTokens.layer),
    Layer.provideMerge(ClientAddresses.layer(config.addresses)),
    Layer.provideMerge(ApiKeys.layer),
    Layer.provideMerge(rooms),
    Layer.provideMerge(ProcessPool.layer(config.launched)),
    Layer.provideMerge(
      storesLayer(
        key,
        features.flatMap(({ tables }) => tables.purge)
      )
    ),
    Layer.provideMerge(runnerLayer(config)),
    Layer.provide([
      Layer.succeed(ServiceDefaults, defaults),
      Layer.succeed(SendWindows, config.sendWindows),
      Layer.sync(StartedServers, () => new ServerStarts())
    ])
  )
}

const notHere = rawRefusal(new NotFound(), 404)
const noSubprotocol = rawRefusal(
  new BadRequest({ message: `sec-websocket-protocol: ${Subprotocol} is not offered` }),
  400
)

/** The handlers of the service's port. */
export const handlers = Effect.gen(function* () {
  const scope = yield* requestScope
  const router = yield* RoomRouter
  const app = yield* HttpRouter.toHttpEffect(HttpApp).pipe(
    Effect.provideService(HttpRouter.RouterConfig, exactPaths)
  )
  const withUnroutedPaths = yield* makeUnroutedPaths
  const routed = withReadablePaths(withUnroutedPaths(withStrictBodies(app)))
  const request = yield* NodeHttpServer.makeHandler(
    withRequestIds(withBrowserOrigins(withErrorResponses(withAnswerTime(routed)))),
    { scope }
  )
  const served: ListenerHandlers = {
    request,
    upgrade: (upgrade) => {
      const target = targetOf(upgrade.request.url ?? "")
      const offered = listed(upgrade.request.headers["sec-websocket-protocol"])
      if (target === null) return notHere
      if (!offered.includes(Subprotocol)) return noSubprotocol
      router.accept(upgrade, target)
      return null
    }
  }
  return served
})

/**
 * Requests that are under way end together. The rooms wait for them no longer than it takes to tell
 * their callers, or a body that trickles would hold up the end of the service.
 */
const requestScope = Effect.acquireRelease(Scope.make("parallel"), (scope) =>
  Effect.forkDetach(Scope.close(scope, Exit.void)).pipe(
    Effect.flatMap(Fiber.await),
    Effect.timeoutOption(2 * HttpLimits.lastAnswer.ms)
  )
)

/**
 * The end of all rooms. Without a store there is nothing to put them away in: what another service
 * may hold by now must not be touched, and the clients are sent there.
 */
export const endRooms = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof StoreLost
    ? Effect.flatMap(RoomRouter, (router) => router.shut)
    : storeRooms()

/** Stores every awake room and tells its clients to come back. */
const storeRooms = Effect.fn("stop.drain")(function* () {
  const router = yield* RoomRouter
  const left = yield* drainRooms
  yield* router.shut
  // The operator who stopped the service learns of it in words, and by the exit code.
  if (left > 0) {
    const message = `Rooms that the store did not take: ${left}; they keep their last snapshot.`
    return yield* Effect.die(new StoreLost({ message }))
  }
})
