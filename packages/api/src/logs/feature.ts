import { LogForgetting } from "@atrium/actors/logs/LogForgetting"
import { LogSweep } from "@atrium/actors/logs/LogSweep"
import { logTables } from "@atrium/actors/logs/LogTables"
import { LogsApi } from "@atrium/domain/logs/LogsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { LogsHandlers } from "./logs.ts"
import { OtherTailsLayer } from "./OtherTails.ts"

export const feature = defineFeature({
  noun: "logs",
  contract: [LogsApi],
  handlers: LogsHandlers,
  layers: OtherTailsLayer,
  tables: logTables,
  control: [() => import("./LogHooks.ts")],
  actors: Layer.mergeAll(LogSweep, LogForgetting)
})
