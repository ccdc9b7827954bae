import { Deployer } from "@atrium/actors/deployments/Deployer"
import { FleetIntake, ThisIntake } from "@atrium/actors/fleet/FleetIntake"
import { ThisRunner } from "@atrium/actors/fleet/FleetReporter"
import { FleetStore } from "@atrium/actors/fleet/FleetStore"
import { ApiKeys } from "@atrium/actors/keys/ApiKeys"
import { RoomLivesLayer } from "@atrium/actors/life/RoomLives"
import { Links } from "@atrium/actors/link/Links"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { LogTail } from "@atrium/actors/logs/LogTail"
import { RoomLogs } from "@atrium/actors/logs/RoomLogs"
import { MailSender } from "@atrium/actors/mail/MailSender"
import { PlanAllowances } from "@atrium/actors/meters/PlanAllowances"
import { RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import { SustainedBytes } from "@atrium/actors/meters/SustainedBytes"
import { LedPlayers } from "@atrium/actors/migrations/LedPlayers"
import { Migrator } from "@atrium/actors/migrations/Migrator"
import { Remote, type RemoteBytes } from "@atrium/actors/objects/RemoteBytes"
import { Presence } from "@atrium/actors/presence/Presence"
import { SeatedPlayers } from "@atrium/actors/presence/SeatedPlayers"
import { PackerCode, ProcessPool } from "@atrium/actors/process/ProcessPool"
import { SendWindows } from "@atrium/actors/process/SendWindow"
import { NewProjectPlan } from "@atrium/actors/projects/NewProjectPlan"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import { LiveReplays } from "@atrium/actors/replay/LiveReplays"
import type { AnsweredCall } from "@atrium/actors/rooms/AnsweredCall"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { drainRooms } from "@atrium/actors/rooms/DrainRooms"
import { Incarnations } from "@atrium/actors/rooms/Incarnations"
import { PlayerFields } from "@atrium/actors/rooms/PlayerFields"
import { QuickReads } from "@atrium/actors/rooms/QuickReads"
import { RoomCalls } from "@atrium/actors/rooms/RoomCalls"
import { Rooms } from "@atrium/actors/rooms/Rooms"
import { MemoryLook } from "@atrium/actors/servers/MemoryLook"
import { ServiceDefaults } from "@atrium/actors/servers/ServerBoot"
import { RunnerFills, ServerFills } from "@atrium/actors/servers/ServerFills"
import { ServerStarts, StartedServers } from "@atrium/actors/servers/ServerStarts"
import { logFailure } from "@atrium/actors/store/StoreFailure"
import { storesLayer } from "@atrium/actors/store/Stores"
import { mediaLinkLayer, RunnerMediaSettings } from "@atrium/actors/voice/MediaLinkLayer"
import { VoiceCalls } from "@atrium/actors/voice/VoiceCalls"
import { aloneName } from "@atrium/domain/fleet/RunnerStatus"
import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { BadRequest, NotFound } from "@atrium/domain/shared/Refusal"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Cause, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { HttpRouter } from "effect/http"

import packageJson from "../../package.json" with { type: "json" }
import { features } from "../features.ts"
import { withAnswerTime } from "../http/AnswerTimes.ts"
import { withBrowserOrigins } from "../http/BrowserOrigins.ts"
import { ClientAddresses } from "../http/ClientAddresses.ts"
import { withErrorResponses } from "../http/ErrorResponses.ts"
import { exactPaths, withReadablePaths } from "../http/ExactPaths.ts"
import { HttpApp } from "../http/HttpApp.ts"
import { listed } from "../http/ListHeader.ts"
import { LivePlaces } from "../http/LiveStream.ts"
import { rawRefusal } from "../http/RawRefusal.ts"
import { withRequestIds } from "../http/RequestId.ts"
import { withStrictBodies } from "../http/StrictBodies.ts"
import { makeUnroutedPaths } from "../http/UnroutedPaths.ts"
import { JwksHosts } from "../identity/JwksFetch.ts"
import { smtpSender } from "../mail/SmtpSender.ts"
import { RunnerMetrics } from "../metrics/RunnerMetrics.ts"
import { ServiceMetrics } from "../metrics/ServiceMetrics.ts"
import { packerCode } from "../replay/packerCode.ts"
import { makeQuickRoomReads } from "../rooms/QuickRoomReads.ts"
import { JoinTerms } from "../router/JoinTerms.ts"
import { PlayerTokens } from "../router/PlayerTokens.ts"
import { RoomRouter, targetOf } from "../router/RoomRouter.ts"
import { ServedSites } from "../sites/ServedSites.ts"
import { cutOffStalled, makeSiteApp, siteAsked } from "../sites/SiteApp.ts"
import { linkLayer } from "./LinkSettings.ts"
import type { ListenerHandlers } from "./Listener.ts"
import { ObjectsWatch } from "./ObjectsWatch.ts"
import { otherRunnersLayer } from "./OtherRunnersOf.ts"
import { runnerLayer } from "./Runner.ts"
import { type ServiceConfig, StoreLost } from "./ServiceConfig.ts"
import { StoreWrites } from "./StoreWrites.ts"

type Feature = (typeof features)[number]

const actors = features.flatMap<Feature["actors"][number]>((feature) => feature.actors)
const layers = features.flatMap<Feature["layers"][number]>((feature) => feature.layers)
type Call = Feature["calls"][number]
type CallNeeds = Call[1] extends AnsweredCall<infer Needs> ? Needs : never
const calls = features.flatMap<readonly [string, AnsweredCall<CallNeeds>]>(
  (feature) => feature.calls
)

type NeedsOf<Call> = Call extends readonly [string, AnsweredCall<infer Needs>] ? Needs : never

/** By name; together they need what any of them needs. */
const answers = new Map<string, AnsweredCall<NeedsOf<(typeof calls)[number]>>>(calls)

/** From here on in-room calls are answered: all that their handlers need is there. */
const answeredCalls = Layer.effectDiscard(Effect.flatMap(RoomCalls, ({ open }) => open(answers)))

/** What {@link serviceLayer} has. */
export type ServiceParts = Layer.Success<ReturnType<typeof serviceLayer>>

/** What a start has found. */
interface Found {
  /** The master key. */
  readonly key: Uint8Array
  /** The S3 that has the bytes of objects; `null` = PostgreSQL has them. */
  readonly remote: RemoteBytes | null
}

/** Stores, actors, processes and router of one runner, on a database that has its tables. */
export const serviceLayer = (config: ServiceConfig, { key, remote }: Found) => {
  const defaults = {
    connectionsPerIpPerMin: Option.getOrNull(config.connectionsPerIpPerMin)
  }
  const rooms = Layer.mergeAll(Layer.empty, ...actors).pipe(
    Layer.provideMerge(AwakeRooms.layer),
    Layer.provideMerge(callsLayer(config)),
    Layer.provideMerge(Layer.merge(RunnerMeter.layer, SeatedPlayers.layer)),
    Layer.provideMerge(MemoryLook.layer),
    Layer.provideMerge(Incarnations.layer),
    Layer.provideMerge(Layer.provideMerge(LedPlayers.layer, Migrator.layer)),
    Layer.provideMerge(Layer.merge(RoomCalls.layer, LiveReplays.layer)),
    Layer.provideMerge(PlayerFields.layer)
  )
  return ServiceMetrics.layer.pipe(
    Layer.merge(answeredCalls),
    Layer.provideMerge(Layer.mergeAll(Layer.empty, ...layers)),
    Layer.provideMerge(RunnerMetrics.layer),
    Layer.provideMerge(
      Layer.mergeAll(RoomRouter.layer, Deployer.layer, Rooms.layer, QuickReads.layer)
    ),
    Layer.provideMerge(Layer.mergeAll(StoreWrites.layer, ObjectsWatch.layer)),
    Layer.provideMerge(PlayerTokens.layer),
    Layer.provideMerge(
      Layer.mergeAll(JoinTerms.layer, ClientAddresses.layer(config.addresses), LivePlaces.layer)
    ),
    Layer.provideMerge(ApiKeys.layer),
    Layer.provideMerge(
      Layer.merge(Links.layer.pipe(Layer.provideMerge(RunnerAnswers.layer)), SharedRates.layer)
    ),
    Layer.provideMerge(rooms),
    Layer.provideMerge(Layer.merge(RoomLogs.layer, RoomLivesLayer)),
    Layer.provideMerge(LogTail.layer),
    Layer.provideMerge(ProcessPool.layer(config.launched)),
    Layer.provideMerge(
      storesLayer(
        key,
        features.map(({ tables }) => tables)
      )
    ),
    Layer.provideMerge(runnerLayer(config)),
    Layer.provideMerge(Layer.merge(linkLayer(config), otherRunnersLayer(config))),
    Layer.provideMerge(Layer.succeed(ServedSites, config.sites)),
    Layer.provide([
      Layer.succeed(Remote, remote),
      Layer.succeed(ServiceDefaults, defaults),
      Layer.succeed(JwksHosts, config.jwksHosts),
      Layer.succeed(PlanAllowances, config.plans.allowances),
      Layer.succeed(SustainedBytes, config.plans.sustainedBytes),
      Layer.succeed(NewProjectPlan, config.plans.newPlan),
      Layer.succeed(MailSender, Option.getOrNull(Option.map(config.smtp, smtpSender))),
      Layer.succeed(SendWindows, config.sendWindows),
      Layer.succeed(PackerCode, packerCode),
      Layer.sync(StartedServers, () => new ServerStarts()),
      Layer.sync(RunnerFills, () => new ServerFills())
    ]),
    // The end of the service asks them, too.
    Layer.provideMerge(Layer.sync(ThisIntake, () => new FleetIntake())),
    Layer.provideMerge(
      Layer.succeed(ThisRunner, {
        name: Option.getOrElse(config.runnerAddress, () => aloneName),
        version: packageJson.version
      })
    )
  )
}

/** The voice calls of the rooms of this runner. */
const callsLayer = ({ voice }: Pick<ServiceConfig, "voice">) =>
  Option.match(voice, {
    onNone: () => VoiceCalls.layerOff,
    onSome: (settings) =>
      VoiceCalls.layer.pipe(
        Layer.provide(mediaLinkLayer),
        Layer.provide(Layer.succeed(RunnerMediaSettings, settings))
      )
  })

const notHere = rawRefusal(new NotFound(), 404)
const noSubprotocol = rawRefusal(
  new BadRequest({ message: `sec-websocket-protocol: ${Subprotocol} is not offered` }),
  400
)

/** The handlers of the service's port and of those of sites, and those of the private listener. */
export const handlers = Effect.gen(function* () {
  const scope = yield* requestScope
  // Watches would hold up the end of the requests. They are answered, and their callers ask elsewhere.
  const presence = yield* Presence
  yield* Effect.addFinalizer(() => presence.end)
  const router = yield* RoomRouter
  const app = yield* HttpRouter.toHttpEffect(HttpApp).pipe(
    Effect.provideService(HttpRouter.RouterConfig, exactPaths)
  )
  const withUnroutedPaths = yield* makeUnroutedPaths
  const withQuickReads = yield* makeQuickRoomReads
  const routed = withQuickReads(withReadablePaths(withUnroutedPaths(withStrictBodies(app))))
  const request = yield* NodeHttpServer.makeHandler(
    withRequestIds(withBrowserOrigins(withErrorResponses(withAnswerTime(routed)))),
    { scope }
  )
  const addresses = yield* ServedSites
  const siteRequest = yield* NodeHttpServer.makeHandler(
    withRequestIds(withAnswerTime(yield* makeSiteApp(addresses))),
    { scope }
  )
  const served: ListenerHandlers = {
    request: (incoming, response) => {
      if (siteAsked(addresses, incoming) === null) return request(incoming, response)
      cutOffStalled(response)
      siteRequest(incoming, response)
    },
    upgrade: (upgrade) => {
      if (siteAsked(addresses, upgrade.request) !== null) return notHere
      const target = targetOf(upgrade.request.url ?? "")
      const offered = listed(upgrade.request.headers["sec-websocket-protocol"])
      if (target === null) return notHere
      if (!offered.includes(Subprotocol)) return noSubprotocol
      router.accept(upgrade, target)
      return null
    }
  }
  // No room is reached there: its callers are operators and their programs. Source: C-460.
  const forOperators: ListenerHandlers = { request, upgrade: () => notHere }
  return { served, forOperators }
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

/** Stores every awake room; they go on elsewhere where others run, and the clients of this runner come back there. */
const storeRooms = Effect.fn("stop.drain")(function* () {
  const router = yield* RoomRouter
  if ((yield* ThisIntake).leave()) {
    // A load balancer would send a client that is closed sooner here again.
    yield* Effect.sleep(HandoverLimits.handoverNotice.ms)
    yield* router.leave
    yield* (yield* FleetStore)
      .order((yield* ThisRunner).name, "draining")
      .pipe(
        Effect.timeoutOption(StoreLimits.storeAnswer.ms),
        logFailure("the fleet was not told of the end", Effect.logWarning)
      )
  }
  const left = yield* drainRooms
  yield* router.shut
  // The operator who stopped the service learns of it in words, and by the exit code.
  if (left > 0) {
    const message = `Rooms that the store did not take: ${left}; they keep their last snapshot.`
    return yield* Effect.die(new StoreLost({ message }))
  }
})
