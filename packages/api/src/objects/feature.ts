import { ObjectMover } from "@atrium/actors/objects/ObjectMover"
import { ObjectSweep } from "@atrium/actors/objects/ObjectSweep"
import { objectTables } from "@atrium/actors/objects/ObjectTables"
import { ObjectsApi } from "@atrium/domain/objects/ObjectsApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { ObjectsHandlers } from "./objects.ts"

export const feature = defineFeature({
  noun: "objects",
  loginPaths: ["/v1/objects"],
  contract: [ObjectsApi],
  handlers: ObjectsHandlers,
  tables: objectTables,
  actors: Layer.mergeAll(ObjectMover, ObjectSweep),
  control: [() => import("./StorageHooks.ts")]
})
