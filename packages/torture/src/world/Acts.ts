import type { PlayedWrite } from "@atrium/actors/process/testing/MemoryRoomProcess"
import { RoomActor } from "@atrium/actors/rooms/RoomProtocol"
import type { Chance } from "@atrium/api/testing/Chance"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect } from "effect"

import { typeNames } from "./Deployments.ts"
import type { Scene } from "./Scene.ts"

/** One thing that happens; it tells what, in a few words. */
export type Act = (scene: Scene, chance: Chance) => string

export interface Weighed {
  readonly weight: number
  readonly act: Act
}

const join: Act = (scene, chance) => {
  const client = scene.clients.find(({ idle }) => idle)
  if (client === undefined) return "nobody is left to join"
  const room = chance.pick(scene.rooms)
  const usual = chance.one(6) ? null : scene.typeOf(room)
  const type = chance.one(20) ? chance.pick([...typeNames, "chess"]) : usual
  client.join(room, type)
  return `join ${room} as ${type ?? "what it is"}`
}

const leave =
  (consented: boolean): Act =>
  (scene, chance) => {
    const seated = scene.clients.filter(({ room }) => room !== null)
    if (seated.length === 0) return "nobody is there to leave"
    const client = chance.pick(seated)
    const room = client.room ?? ""
    client.leave(consented)
    return `${consented ? "leave" : "lose"} ${room}`
  }

const leaveAll: Act = (scene, chance) => {
  const room = chance.pick(scene.rooms)
  for (const client of scene.clients) if (client.room === room) client.leave(true)
  return `everybody leaves ${room}`
}

const play =
  (kinds: ReadonlyArray<PlayedWrite["does"]>, most: number): Act =>
  (scene, chance) => {
    const seated = scene.clients.filter(({ room }) => room !== null)
    if (seated.length === 0) return "nobody is there to play"
    const client = chance.pick(seated)
    const does = chance.pick(kinds)
    const count = 1 + chance.below(most)
    for (let at = 0; at < count; at++) client.play({ does, write: scene.nextWrite() })
    return `${client.room} plays ${count} ${does}`
  }

const remove: Act = (scene, chance) => {
  const room = chance.pick(scene.rooms)
  const force = !chance.one(3)
  scene.onRoom(room, (rooms, key) => rooms.delete(key, { force }))
  return `delete ${room}${force ? " by force" : ""}`
}

const set: Act = (scene, chance) => {
  const room = chance.pick(scene.rooms)
  const retention = chance.pick([null, "forever", "5m", "1h"])
  const isPublic = chance.one(2)
  const settings = chance.one(2) ? { retention } : { retention, public: isPublic }
  const wanted = chance.one(4) ? { public: isPublic } : settings
  scene.onRoom(room, (rooms, key) => rooms.set(key, wanted))
  return `set ${room} to ${retention}`
}

const restore: Act = (scene, chance) => {
  const room = chance.pick(scene.rooms)
  const saves = scene.world.stored.savesOf(room).map(({ saveId }) => saveId)
  const saveId = saves.length === 0 || chance.one(8) ? "sv_none" : chance.pick(saves)
  scene.onRoom(room, (rooms, key) => rooms.restore(key, saveId))
  return `restore ${room} from ${saveId}`
}

const look: Act = (scene, chance) => {
  const room = chance.pick(scene.rooms)
  scene.calling(
    Effect.flatMap(RoomActor.client, (actorOf) =>
      Effect.timeout(actorOf(room).Wake({ type: null, create: false }), ServiceLimits.actorCall.ms)
    )
  )
  return `wake ${room}`
}

const deploy: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const bundle = scene.nextBundle(project, chance)
  scene.deploy(project, bundle)
  return `deploy ${project}${bundle.broken ? ", broken" : ""}`
}

const repair: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  scene.deploy(project, { ...scene.nextBundle(project, chance), broken: false })
  return `deploy ${project}, whole`
}

const changePlan: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const plan = chance.pick(["free", "card"] as const)
  scene.setPlan(project, plan)
  return `${project} is on the ${plan} plan`
}

export const crowd: Act = (scene) => {
  let joins = 0
  for (const room of scene.rooms) {
    const client = scene.clients.find(({ idle }) => idle)
    if (client === undefined) break
    client.join(room, scene.typeOf(room))
    joins++
  }
  return `${joins} join at once`
}

/** Actions of people in a world, each with its relative frequency. */
export const acts: ReadonlyArray<Weighed> = [
  { weight: 30, act: join },
  { weight: 8, act: leave(true) },
  { weight: 5, act: leave(false) },
  { weight: 3, act: leaveAll },
  { weight: 24, act: play(["durable"], 3) },
  { weight: 10, act: play(["plain", "plain", "alarm"], 2) },
  { weight: 4, act: play(["save", "begin"], 1) },
  { weight: 1, act: play(["durable"], 80) },
  { weight: 8, act: remove },
  { weight: 6, act: set },
  { weight: 6, act: restore },
  { weight: 3, act: look },
  { weight: 3, act: deploy },
  { weight: 2, act: repair },
  { weight: 1, act: changePlan },
  { weight: 3, act: crowd }
]
