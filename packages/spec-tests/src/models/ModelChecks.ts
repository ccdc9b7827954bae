import type { Check } from "../check/Check.ts"
import { capsCommands, capsModel } from "./CapsModel.ts"
import { startCaps } from "./CapsSubject.ts"
import { keyCommands, keyModel } from "./KeyModel.ts"
import { KeySubject } from "./KeySubject.ts"
import { modelCheck } from "./ModelCheck.ts"
import { projectCommands, projectModel } from "./ProjectModel.ts"
import { ProjectSubject } from "./ProjectSubject.ts"
import { killCommand, roomCommands, roomModel } from "./RoomModel.ts"
import { RoomSubject } from "./RoomSubject.ts"

/** Long random sequences against models of keys, caps, projects and rooms. */
export const modelChecks: ReadonlyArray<Check> = [
  modelCheck({
    ids: [
      ...(["state.key.post-active", "state.key.delete-revoked", "state.key.revoked-401"] as const),
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
    title: "any sequence of minting, using and revoking keys is as the model of keys says",
    model: keyModel,
    commands: keyCommands,
    start: (trial) => KeySubject.start(trial),
    runs: 15,
    commandsMax: 20
  }),
  modelCheck({
    ids: ["caps.set-per-project-and-meter", "caps.null-clears"],
    title: "any sequence of setting and clearing caps is as the model of caps says",
    model: capsModel,
    commands: capsCommands,
    start: startCaps,
    runs: 10,
    commandsMax: 15
  }),
  modelCheck({
    ids: [
      ...(["project.patch.name.required", "project.patch.name.must-match"] as const),
      "project.patch.connections.type",
      "project.patch.vmMemMib.type",
      "project.patch.vmMemMib.min",
      "project.patch.vmMemMib.max"
    ],
    title: "any sequence of making, renaming, setting and deleting projects is as the model says",
    model: projectModel,
    commands: projectCommands,
    start: async (trial) => new ProjectSubject(trial),
    runs: 10,
    commandsMax: 15
  }),
  modelCheck({
    ids: [
      ...(["state.room.delete-awake-noforce", "state.room.force-delete"] as const),
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
    title: "any sequence of playing, setting, deleting and restoring rooms is as the model says",
    needs: ["fixture"],
    model: roomModel,
    commands: roomCommands,
    start: (trial) => RoomSubject.start(trial),
    runs: 6,
    commandsMax: 15
  }),
  modelCheck({
    ids: ["state.room.force-delete", "state.room.delete-asleep"],
    title: "rooms are as the model says, also when their servers die in between",
    needs: ["fixture", "servers"],
    model: roomModel,
    commands: [...roomCommands, killCommand, killCommand],
    start: (trial) => RoomSubject.start(trial),
    runs: 3,
    commandsMax: 12
  })
]
