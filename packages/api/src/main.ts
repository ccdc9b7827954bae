import { LinkListener } from "@atrium/actors/link/LinkListener"
import { closeInherited } from "@atrium/actors/process/InheritedDescriptors"
import { ProcessPool } from "@atrium/actors/process/ProcessPool"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Console, Effect, Layer, Option, type Scope } from "effect"
import type { SqlClient } from "effect/sql"

import packageJson from "../package.json" with { type: "json" }
import { measureForExport } from "./metrics/ExportsMetrics.ts"
import { banner } from "./start/Banner.ts"
import { connect, openDatabase, prepareTables, untilTooOld } from "./start/Database.ts"
import { firstProject } from "./start/FirstProject.ts"
import { listen } from "./start/Listener.ts"
import { logsLayer } from "./start/Logs.ts"
import { masterKey } from "./start/MasterKey.ts"
import { openObjects } from "./start/Objects.ts"
import { joinRunners, tellLink } from "./start/OneConfiguration.ts"
import { ownSessions } from "./start/OwnSessions.ts"
import { PeerConnections } from "./start/PeerConnections.ts"
import { leaveWord } from "./start/RunningFile.ts"
import { endRooms, handlers, serviceLayer, type ServiceParts } from "./start/Service.ts"
import {
  readArguments,
  readServiceConfig,
  type ServiceConfig,
  type StartArguments,
  StartRefused
} from "./start/ServiceConfig.ts"
import { runUntilSignal } from "./start/Signals.ts"
import { watchStore } from "./start/StoreWatch.ts"
import { ServiceFacts } from "./welcome/ServiceFacts.ts"

/** The ports of sites, each taken at the start: a site must not wait for a restart to get its own. */
const listenForSites = ({ sites, ...config }: ServiceConfig, peers: PeerConnections) => {
  const { from, to } = sites.ports ?? { from: 1, to: 0 }
  const ports = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return Effect.forEach(ports, (port) =>
    Effect.mapError(listen({ ...config, sites, port }, peers), ({ message }) => {
      const [sentence = message] = message.split(";")
      return new StartRefused({ message: `ATRIUM_STATIC_PORTS: ${sentence.replace(/\.$/, "")}.` })
    })
  )
}

/** The listener of operators, when one is configured: `/metrics` and the management API, without rooms and sites. */
const listenForOperators = (config: ServiceConfig) => {
  if (Option.isNone(config.privateAddress)) return Effect.succeed(null)
  const { host, port } = config.privateAddress.value
  return Effect.mapError(listen({ ...config, host, port }), ({ message }) => {
    const [sentence = message] = message.split(";")
    return new StartRefused({ message: `ATRIUM_PRIVATE_ADDRESS: ${sentence.replace(/\.$/, "")}.` })
  })
}

interface ServiceOptions extends Pick<StartArguments, "newMasterKey"> {
  /** A further listener: that of test mode, or none. */
  readonly beside: Effect.Effect<
    void,
    StartRefused,
    ServiceParts | ServiceFacts | SqlClient.SqlClient | Scope.Scope
  >
}

/** The whole service: the only place where its parts meet. */
const service = Effect.fnUntraced(function* (config: ServiceConfig, options: ServiceOptions) {
  const { newMasterKey: accept, beside } = options
  const peers = new PeerConnections(config.addresses)
  const listener = yield* listen(config, peers)
  const siteListeners = yield* listenForSites(config, peers)
  const privateListener = yield* listenForOperators(config)
  const store = yield* openDatabase(config)
  const sql = yield* connect(store.url, config.databaseConnections)
  yield* Effect.provideContext(ownSessions(config), sql)
  const taken = yield* Effect.provideContext(watchStore(config), sql)
  yield* Effect.provideContext(prepareTables, sql)
  yield* Effect.provideContext(joinRunners(config, taken.session), sql)
  const key = yield* Effect.provideContext(
    masterKey(config, { accept, session: taken.session }),
    sql
  )
  const remote = yield* Effect.provideContext(openObjects(config), sql)
  const parts = yield* Layer.build(serviceLayer(config, { key, remote })).pipe(
    Effect.mapError(
      ({ message }) => new StartRefused({ message: `The cluster cannot be set up: ${message}.` })
    ),
    Effect.provideContext(sql)
  )
  return yield* Effect.gen(function* () {
    yield* Effect.addFinalizer(endRooms)
    const first = yield* firstProject(config)
    const facts = {
      version: packageJson.version,
      url: listener.url,
      ownDatabase: Option.isNone(config.databaseUrl),
      playground: config.playground ? (first.demo?.projectId ?? null) : null
    }
    const { address } = yield* LinkListener
    yield* tellLink(taken.session, address)
    const { served, forOperators } = yield* Effect.provideService(handlers, ServiceFacts, facts)
    for (const each of [listener, ...siteListeners]) each.serve(served)
    privateListener?.serve(forOperators)
    yield* measureForExport
    yield* Effect.provideService(beside, ServiceFacts, facts)
    yield* leaveWord(config.dataDir, {
      url: listener.url,
      project: first.demo?.projectId ?? null,
      pid: process.pid
    })
    const database = Option.isSome(config.databaseUrl) ? "DATABASE_URL" : "embedded PostgreSQL"
    yield* Console.log(
      banner({
        version: packageJson.version,
        url: listener.url,
        privateUrl: privateListener?.url ?? null,
        database,
        config,
        first
      })
    )
    const rooms = yield* ProcessPool
    return yield* Effect.raceAllFirst([store.lost, taken.lost, rooms.lost, untilTooOld])
  }).pipe(
    Effect.provide(NodeHttpServer.layerHttpServices),
    Effect.provideContext(parts),
    Effect.provideContext(sql)
  )
})

const started = Effect.gen(function* () {
  const { controlPort, newMasterKey } = yield* readArguments(process.argv.slice(2))
  const config = yield* readServiceConfig
  if (Option.isNone(controlPort)) {
    return yield* service(config, { newMasterKey, beside: Effect.void })
  }
  // Test mode is code that nobody has who does not ask for it. Source: D-49.
  const { makeControl } = yield* Effect.promise(() => import("./control/Control.ts"))
  const control = makeControl(controlPort.value)
  const served = service(config, { newMasterKey, beside: control.serve })
  return yield* Effect.provideContext(served, control.services)
})

closeInherited()
runUntilSignal(started.pipe(Effect.scoped, Effect.provide(logsLayer)))
