import type { Places } from "@atrium/actors/presence/Presence"

import type { Runner } from "./Runner.ts"
import type { PresenceAsked, Scene } from "./Scene.ts"
import { Violation } from "./Violation.ts"

/** Past the time in which the other runners tell their players at first. */
const toldMs = 3000

/** Nothing happens: each of the runners says of each player the room in which the player is. */
export const checkPresence = (scene: Scene, runners: ReadonlyArray<Runner>): void => {
  const { world, projects } = scene
  const asked = projects.flatMap((project) => runners.map((runner) => ({ project, runner })))
  let answers = 0
  for (const each of asked) {
    scene.askPresence(each, (places) => {
      answers++
      world.checked(() => checkPlaces(scene, each, places))
    })
  }
  world.timeline.pass(toldMs)
  if (answers === asked.length || world.violation !== null) return
  throw new Violation("presence", `${asked.length - answers} questions have no answer`)
}

const checkPlaces = (
  { clients }: Scene,
  { project, runner }: PresenceAsked,
  places: Places
): void => {
  for (const [at, { room, playerId }] of clients.entries()) {
    const place = places[at] ?? null
    const due = room?.startsWith(`${project}/`) === true ? room : null
    const told = place === null ? null : `${project}/${place.roomId}`
    if (told === due) continue
    const said = `${runner.host.name} says that ${playerId} is in ${told ?? "no room"}`
    throw new Violation("presence", `${said}: it is in ${due ?? "none"}`)
  }
}
