import { roomKeyOf } from "@atrium/domain/shared/Ids"

import type { Act } from "./Acts.ts"
import type { Running } from "./Processes.ts"
import type { Scene } from "./Scene.ts"

const SecondMs = 1000

/** Whether a room shares its process: its epoch says so, as a draw would change what the kept seeds play. */
const shares = ({ epoch }: Running): boolean => epoch % 4 === 0

/** The rooms that would be in the process of this one: those of its runner, project and version. */
const sharersOf = (scene: Scene, one: Running): ReadonlyArray<Running> => {
  const { projectId } = roomKeyOf(one.room)
  return scene.world.processes.all.filter(
    ({ room, host, version }) =>
      host === one.host && version === one.version && roomKeyOf(room).projectId === projectId
  )
}

/** The process that rooms share has ended: what each of them hears is that a neighbour has. */
const endShared = ({ world }: Scene, rooms: ReadonlyArray<Running>): void => {
  for (const { room, epoch, process } of rooms) {
    world.witness.endedByNeighbour(room, epoch)
    process.kill("neighbour")
  }
}

/** A process dies, its own or one that rooms share. */
export const killProcess: Act = (scene, chance) => {
  const running = scene.world.processes.all
  if (running.length === 0) return "no process runs"
  const one = chance.pick(running)
  if (shares(one)) {
    const rooms = sharersOf(scene, one)
    endShared(scene, rooms)
    return `the process that ${rooms.map(({ room }) => room).join(", ")} share dies`
  }
  one.process.kill("crashed")
  return `the process of ${one.room} dies`
}

/** The same, again and again: three deaths of its own within a minute close a room. */
export const killAgain: Act = (scene, chance) => {
  const { world } = scene
  const running = world.processes.all
  if (running.length === 0) return "no process runs"
  const one = chance.pick(running)
  const everyMs = SecondMs * (1 + chance.below(28))
  for (let deaths = 0; deaths < 4; deaths++) {
    world.outside.after(deaths * everyMs, () => {
      if (world.calm) return
      const now = world.processes.all.filter(({ room }) => room === one.room)
      if (shares(one)) endShared(scene, now)
      else for (const { process } of now) process.kill("crashed")
    })
  }
  const whose = shares(one) ? `that ${one.room} shares` : `of ${one.room}`
  return `the process ${whose} dies every ${everyMs / SecondMs} s`
}
