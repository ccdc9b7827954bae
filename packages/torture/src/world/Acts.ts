import type { Chance } from "../fuzz/Chance.ts"
import type { PlayFrame } from "./RoomProcess.ts"
import { deploymentOf, type Scene, typeNames } from "./Scene.ts"

/** One thing that people do; it tells what, in a few words. */
export type Act = (scene: Scene, chance: Chance) => string

export interface Weighed {
  readonly weight: number
  readonly act: Act
}

const join: Act = (scene, chance) => {
  const client = scene.clients.find(({ idle }) => idle)
  if (client === undefined) return "nobody is left to join"
  const key = chance.pick(scene.keys)
  const usual = chance.one(6) ? null : scene.typeOf(key)
  const type = chance.one(20) ? chance.pick([...typeNames, "chess"]) : usual
  client.join(key, type)
  return `join ${key} as ${type ?? "what it is"}`
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
  const key = chance.pick(scene.keys)
  for (const client of scene.clients) if (client.room === key) client.leave(true)
  return `everybody leaves ${key}`
}

const play =
  (kinds: ReadonlyArray<PlayFrame["does"]>, most: number): Act =>
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
  const key = chance.pick(scene.keys)
  const force = !chance.one(3)
  scene.calling(key, (room) => room.delete(force))
  return `delete ${key}${force ? " by force" : ""}`
}

const set: Act = (scene, chance) => {
  const key = chance.pick(scene.keys)
  const retention = chance.pick([null, "forever", "5m", "1h"])
  const isPublic = chance.one(2)
  const settings = chance.one(2) ? { retention } : { retention, public: isPublic }
  scene.calling(key, (room) => room.set(chance.one(4) ? { public: isPublic } : settings))
  return `set ${key} to ${retention}`
}

const restore: Act = (scene, chance) => {
  const key = chance.pick(scene.keys)
  const saves = [...scene.world.store.objects.of(key).values()].flatMap(({ saveId }) =>
    saveId === null ? [] : [saveId]
  )
  const saveId = saves.length === 0 || chance.one(8) ? "sv_none" : chance.pick(saves)
  scene.calling(key, (room) => room.restore(saveId))
  return `restore ${key} from ${saveId}`
}

const look: Act = (scene, chance) => {
  const key = chance.pick(scene.keys)
  scene.calling(key, (room) => room.wake(null, false))
  return `wake ${key}`
}

const deploy: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const deployment = deploymentOf(project, chance)
  const version = scene.world.store.deploy(project, deployment)
  scene.jobs.moveRooms(project, version)
  return `deploy ${project} ${version}${deployment.broken ? ", broken" : ""}`
}

const repair: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const deployment = { ...deploymentOf(project, chance), broken: false }
  const version = scene.world.store.deploy(project, deployment)
  scene.jobs.moveRooms(project, version)
  return `deploy ${project} ${version}, whole`
}

const changePlan: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const plan = chance.pick(["free", "card"] as const)
  scene.world.plans.set(project, plan)
  return `${project} is on the ${plan} plan`
}

const crowd: Act = (scene) => {
  let joins = 0
  for (const key of scene.keys) {
    const client = scene.clients.find(({ idle }) => idle)
    if (client === undefined) break
    client.join(key, scene.typeOf(key))
    joins++
  }
  return `${joins} join at once`
}

/** What people do, and how often beside the rest. */
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
