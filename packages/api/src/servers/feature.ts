import { ServerEntity } from "@atrium/actors/servers/ServerEntity"
import { serverTables } from "@atrium/actors/servers/ServerTables"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "servers",
  control: [() => import("./ServerHooks.ts"), () => import("./MemoryHooks.ts")],
  tables: serverTables,
  actors: ServerEntity
})
