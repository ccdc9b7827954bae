import { capsCommands, capsModel } from "./CapsModel.ts"
import { startCaps } from "./CapsSubject.ts"
import { keyCommands, keyModel } from "./KeyModel.ts"
import { KeySubject } from "./KeySubject.ts"
import { modelCheck } from "./ModelCheck.ts"
import { projectCommands, projectModel } from "./ProjectModel.ts"
import { ProjectSubject } from "./ProjectSubject.ts"
import { killCommand, roomCommands, roomModel } from "./RoomModel.ts"
import { RoomSubject } from "./RoomSubject.ts"

export const keysAsModelled = modelCheck({
  title: "any sequence of minting, using and revoking keys is as the model of keys says",
  model: keyModel,
  commands: keyCommands,
  start: (trial) => KeySubject.start(trial),
  runs: 15,
  commandsMax: 20
})

export const capsAsModelled = modelCheck({
  title: "any sequence of setting and clearing caps is as the model of caps says",
  model: capsModel,
  commands: capsCommands,
  start: startCaps,
  runs: 10,
  commandsMax: 15
})

export const projectsAsModelled = modelCheck({
  title: "any sequence of making, renaming, setting and deleting projects is as the model says",
  model: projectModel,
  commands: projectCommands,
  start: async (trial) => new ProjectSubject(trial),
  runs: 10,
  commandsMax: 15
})

export const roomsAsModelled = modelCheck({
  title: "any sequence of playing, setting, deleting and restoring rooms is as the model says",
  needs: ["fixture"],
  model: roomModel,
  commands: roomCommands,
  start: (trial) => RoomSubject.start(trial),
  runs: 6,
  commandsMax: 15
})

export const killedRoomsAsModelled = modelCheck({
  title: "rooms are as the model says, also when their servers die in between",
  needs: ["fixture", "servers"],
  model: roomModel,
  commands: [...roomCommands, killCommand, killCommand],
  start: (trial) => RoomSubject.start(trial),
  runs: 3,
  commandsMax: 12
})
