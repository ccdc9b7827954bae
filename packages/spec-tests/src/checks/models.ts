import type { Check } from "../check/Check.ts"
import {
  keysAsModelled,
  capsAsModelled,
  projectsAsModelled,
  roomsAsModelled,
  killedRoomsAsModelled
} from "../models/ModelChecks.ts"
import { keysInSomeOrder, roomsInSomeOrder, joinsInSomeOrder } from "../models/Races.ts"

/** Long random sequences and races, against models of keys, caps, projects and rooms. */
export const modelChecks: ReadonlyArray<Check> = [
  {
    ids: [
      "state.key.post-active",
      "state.key.delete-revoked",
      "state.key.revoked-401",
      "keys.row.stays-after-revoke",
      "keys.row.scopes",
      "keys.row.label",
      "keys.row.lastUsed",
      "keys.list.no-material",
      "scope.read.reaches",
      "scope.write.reaches",
      "scope.write-implies-read",
      "auth.403.scope",
      "auth.key.other-project-404",
      "auth.key.order-404-before-403",
      "keys.routes.api-key-refused"
    ],
    ...keysAsModelled("state.key.post-active")
  },
  {
    ids: ["caps.set-per-project-and-meter", "caps.null-clears"],
    ...capsAsModelled("caps.set-per-project-and-meter")
  },
  {
    ids: [
      "project.patch.name.required",
      "project.patch.name.must-match",
      "project.patch.connections.type",
      "project.patch.vmMemMib.type",
      "project.patch.vmMemMib.min",
      "project.patch.vmMemMib.max"
    ],
    ...projectsAsModelled("project.patch.name.required")
  },
  {
    ids: [
      "state.room.delete-awake-noforce",
      "state.room.force-delete",
      "state.room.delete-asleep",
      "rooms.delete.not-found",
      "rooms.patch.not-found",
      "rooms.patch.unknown-field",
      "rooms.patch.atomic",
      "state.room.public-started",
      "state.room.restore.discards-current",
      "state.room.restore.others-unchanged",
      "rooms.row.retentionOverride",
      "rooms.detail.retentionOverride",
      "rooms.detail.saves",
      "rooms.patch.public.true",
      "rooms.patch.public.false"
    ],
    ...roomsAsModelled("state.room.delete-awake-noforce")
  },
  {
    ids: ["state.room.force-delete", "state.room.delete-asleep"],
    ...killedRoomsAsModelled("state.room.force-delete")
  },
  { ids: ["state.key.delete-revoked", "state.key.revoked-401"], ...keysInSomeOrder },
  { ids: ["state.room.delete-asleep", "rooms.patch.atomic"], ...roomsInSomeOrder },
  { ids: ["state.room.delete-race-fresh-room"], ...joinsInSomeOrder }
]
