import { closeInherited } from "@atrium/actors/process/InheritedDescriptors"
import { ProcessPool } from "@atrium/actors/process/ProcessPool"
import { NodeHttpServer } from "@effect/platform-node"
import { Console, Effect, Layer, Option, type Scope } from "effect"
import type { SqlClient } from "effect/sql"

import packageJson from "../package.json" with { type: "json" }
import { banner } from "./start/Banner.ts"
import { connect, openDatabase, prepareTables, untilTooOld } from "./start/Database.ts"
import { firstProject } from "./start/FirstProject.ts"
import { listen } from "./start/Listener.ts"
import { logsLayer } from "./start/Logs.ts"
import { masterKey } from "./start/MasterKey.ts"
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

interface ServiceOptions extends Pick<StartArguments, "newMasterKey"> {
  /** A further listener: that of test mode, or none. */
  readonly beside: Effect.Effect<
    void,
    StartRefused,
    ServiceParts | SqlClient.SqlClient | Scope.Scope
  >
}

/** The whole service: the only place where its parts meet. */
const service = Effect.fnUntraced(function* (config: ServiceConfig, options: ServiceOptions) {
  const { newMasterKey: accept, beside } = options
  const listener = yield* listen(config)
  const store = yield* openDatabase(config)
  const sql = yield* connect(store.url)
  const taken = yield* Effect.provideContext(watchStore(config), sql)
  yield* Effect.provideContext(prepareTables, sql)
  const key = yield* Effect.provideContext(masterKey(config, { accept }), sql)
  const parts = yield* Layer.build(serviceLayer(config, key)).pipe(
    Effect.mapError(
      ({ message }) => new StartRefused({ message: `The cluster cannot be set up: ${message}.` })
    ),
    Effect.provideContext(sql)
  )
  return yield* Effect.gen(function* () {
    yield* Effect.addFinalizer(endRooms)
    const first = yield* firstProject(config)
    listener.serve(yield* handlers)
    yield* beside
    yield* leaveWord(config.dataDir, {
      url: listener.url,
      project: first.demo?.projectId ?? null,
      pid: process.pid
    })
    const database = Option.isSome(config.databaseUrl) ? "DATABASE_URL" : "embedded PostgreSQL"
    yield* Console.log(
      banner({ version: packageJson.version, url: listener.url, database, config, first })
    )
    const rooms = yield* ProcessPool
    return yield* Effect.raceAllFirst([store.lost, taken, rooms.lost, untilTooOld])
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
