import { capsCommands, capsModel } from "./CapsModel.ts"
import { startCaps } from "./CapsSubject.ts"
import { keyCommands, keyModel, keyStory } from "./KeyModel.ts"
import { KeySubject } from "./KeySubject.ts"
import { modelCheck } from "./ModelCheck.ts"
import { projectCommands, projectModel } from "./ProjectModel.ts"
import { ProjectSubject } from "./ProjectSubject.ts"
import { killCommand, killStory, roomCommands, roomModel, roomStory } from "./RoomModel.ts"
import { RoomSubject } from "./RoomSubject.ts"

export const keysAsModelled = modelCheck({
  title: "any sequence of minting, using and revoking keys is as the model of keys says",
  model: keyModel,
  commands: keyCommands,
  story: keyStory,
  start: (trial) => KeySubject.start(trial),
  runs: 8,
  commandsMax: 40
})

export const capsAsModelled = modelCheck({
  title: "any sequence of setting and clearing caps is as the model of caps says",
  model: capsModel,
  commands: capsCommands,
  start: startCaps,
  runs: 5,
  commandsMax: 30
})

export const projectsAsModelled = modelCheck({
  title: "any sequence of making, renaming, setting and deleting projects is as the model says",
  model: projectModel,
  commands: projectCommands,
  start: async (trial) => new ProjectSubject(trial),
  runs: 5,
  commandsMax: 30
})

export const roomsAsModelled = modelCheck({
  title: "any sequence of playing, setting, deleting and restoring rooms is as the model says",
  needs: ["fixture"],
  model: roomModel,
  commands: roomCommands,
  story: roomStory,
  start: (trial) => RoomSubject.start(trial),
  runs: 3,
  commandsMax: 30
})

export const killedRoomsAsModelled = modelCheck({
  title: "rooms are as the model says, also when their servers die in between",
  needs: ["fixture", "servers"],
  model: roomModel,
  commands: [...roomCommands, killCommand, killCommand],
  story: killStory,
  start: (trial) => RoomSubject.start(trial),
  runs: 2,
  commandsMax: 20
})
