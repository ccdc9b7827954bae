import { NodeHttpServer } from "@effect/platform-node"
import { Console, Effect, Layer, Option } from "effect"

import packageJson from "../package.json" with { type: "json" }
import { banner } from "./start/Banner.ts"
import { connect, openDatabase } from "./start/Database.ts"
import { firstProject } from "./start/FirstProject.ts"
import { listen } from "./start/Listener.ts"
import { logsLayer } from "./start/Logs.ts"
import { masterKey } from "./start/MasterKey.ts"
import { leaveWord } from "./start/RunningFile.ts"
import { endRooms, handlers, serviceLayer } from "./start/Service.ts"
import { readServiceConfig, StartRefused } from "./start/ServiceConfig.ts"
import { runUntilSignal } from "./start/Signals.ts"
import { watchStore } from "./start/StoreWatch.ts"

/** The whole service: the only place where its parts meet. */
const service = Effect.gen(function* () {
  const config = yield* readServiceConfig
  const listener = yield* listen(config)
  const key = yield* masterKey(config)
  const store = yield* openDatabase(config)
  const sql = yield* connect(store.url)
  const taken = yield* Effect.provideContext(watchStore(config), sql)
  const parts = yield* Layer.build(serviceLayer(config, key)).pipe(
    Effect.mapError(
      ({ message }) => new StartRefused({ message: `The tables cannot be prepared: ${message}.` })
    ),
    Effect.provideContext(sql)
  )
  return yield* Effect.gen(function* () {
    yield* Effect.addFinalizer(endRooms)
    const first = yield* firstProject(config)
    listener.serve(yield* handlers)
    yield* leaveWord(config.dataDir, {
      url: listener.url,
      project: first.demo?.projectId ?? null,
      pid: process.pid
    })
    const database = Option.isSome(config.databaseUrl) ? "DATABASE_URL" : "embedded PostgreSQL"
    yield* Console.log(
      banner({ version: packageJson.version, url: listener.url, database, config, first })
    )
    return yield* Effect.raceFirst(store.lost, taken)
  }).pipe(
    Effect.provide(NodeHttpServer.layerHttpServices),
    Effect.provideContext(parts),
    Effect.provideContext(sql)
  )
}).pipe(Effect.scoped, Effect.provide(logsLayer))

runUntilSignal(service)
