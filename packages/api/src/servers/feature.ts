import { ServerEntity } from "@atrium/actors/servers/ServerEntity"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "servers",
  loginPaths: ["/v1/fleet"],
  control: [() => import("./ServerHooks.ts"), () => import("./MemoryHooks.ts")],
  actors: ServerEntity
})
