import { ProjectId } from "@atrium/domain/shared/Ids"
import { roomTypeOf } from "@atrium/runtime/room/RoomTypes"
import type { AnyRoomSchema } from "@atrium/wire/schema"
import { Schema } from "effect"

import { DeployedType } from "../DeployedType.ts"
import type { DeploymentRow } from "../DeploymentRow.ts"

/** The room type of a schema, as PostgreSQL gives it back. */
export const deployedOf = (schema: AnyRoomSchema): DeployedType =>
  Schema.decodeUnknownSync(DeployedType)(JSON.parse(JSON.stringify(roomTypeOf(schema))))

/** A version without migrations that was deployed by name. */
export const deploymentOf = (
  version: number,
  roomTypes: ReadonlyArray<DeployedType>,
  relay = false
): DeploymentRow => ({
  projectId: ProjectId.make("p_0123456789abcdef"),
  version,
  bytes: 1,
  createdAtMs: 0,
  roomTypes,
  relay,
  rollbackOf: null,
  migrations: [],
  step: null
})
