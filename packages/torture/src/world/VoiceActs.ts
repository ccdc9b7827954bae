import { ceilingTable } from "@atrium/actors/meters/CapStore"
import { periodKey, useTable } from "@atrium/actors/meters/MemoryMeters"
import { billingPeriod, eachMeter } from "@atrium/domain/meters/Caps"
import { SecondMs } from "@atrium/wire/limits/Limit"

import type { Act, Weighed } from "./Acts.ts"
import type { Client } from "./Client.ts"
import type { Scene } from "./Scene.ts"

const pick = (scene: Scene, fits: (client: Client) => boolean, at: number): Client | undefined => {
  const found = scene.clients.filter((client) => client.plays && fits(client))
  return found[at % Math.max(1, found.length)]
}

/** Somebody joins the call of a room, or joins it again. */
const talk =
  (again: boolean): Act =>
  (scene, chance) => {
    const client = pick(scene, ({ talks }) => talks === again, chance.below(100))
    if (client === undefined) return "nobody is there to talk"
    client.talk()
    return `somebody joins the call of ${client.room}${again ? " again" : ""}`
  }

/** As many as may be, and more. */
export const conference: Act = (scene, chance) => {
  const room = pick(scene, () => true, chance.below(100))?.room ?? null
  const there = scene.clients.filter((client) => client.plays && client.room === room)
  for (const client of there) client.talk()
  return `${there.length} join the call of ${room ?? "no room"}`
}

const hangUp: Act = (scene, chance) => {
  const client = pick(scene, ({ talks }) => talks, chance.below(100))
  if (client === undefined) return "nobody talks"
  client.hangUp()
  return `somebody leaves the call of ${client.room}`
}

/** Comes and goes before the media have answered. */
const glance: Act = (scene, chance) => {
  const client = pick(scene, ({ talks }) => !talks, chance.below(100))
  if (client === undefined) return "nobody is there to talk"
  client.talk()
  scene.world.outside.after(chance.below(60), () => client.hangUp())
  return `somebody looks into the call of ${client.room}`
}

/** What happens in calls, each with its relative frequency. */
export const voiceActs: ReadonlyArray<Weighed> = [
  { weight: 12, act: talk(false) },
  { weight: 2, act: talk(true) },
  { weight: 6, act: conference },
  { weight: 4, act: hangUp },
  { weight: 2, act: glance }
]

const killMedia: Act = (scene, chance) => {
  const { busy } = scene.world.calls
  if (busy.length === 0) return "no media process runs"
  return `a media process dies, with ${chance.pick(busy).kill()} in calls`
}

/** Nobody begins a call, and those that run take more participants. */
const voiceWall: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const { calls, door, outside, timeline } = scene.world
  const { startMs } = billingPeriod(timeline.nowMs)
  const ceilings = ceilingTable.rowsIn(door.tables)
  ceilings.set(project, { ...eachMeter(null), voiceMinutes: 1 })
  useTable
    .rowsIn(door.tables)
    .set(periodKey({ projectId: project, startMs }), { ...eachMeter(0), voiceMinutes: 1e12 })
  calls.walls.set(project, timeline.machineMs)
  outside.after(chance.below(60 * SecondMs), () => {
    ceilings.delete(project)
    calls.walls.delete(project)
  })
  return `${project} has used up its voice minutes`
}

/** What goes wrong in calls, each with its relative frequency among the mishaps. */
export const voiceMishaps: ReadonlyArray<Weighed> = [
  { weight: 10, act: killMedia },
  { weight: 4, act: voiceWall }
]
