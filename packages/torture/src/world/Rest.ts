import { Client } from "./Client.ts"
import { mend } from "./Mishaps.ts"
import type { Scene } from "./Scene.ts"
import { alarmKey, newestSnapshot } from "./StoredRoom.ts"
import { Violation } from "./Violation.ts"
import { Group } from "./Work.ts"

const SecondMs = 1000
/** Past the bound of every call, drain and start that may be under way when the last fault ends. */
const quietMs = 80 * SecondMs
/** Nothing goes wrong any more: time for a room to be started, or put away. */
const calmMs = 20 * SecondMs
/** Time for a durable call, when nothing goes wrong. */
const playMs = 5 * SecondMs
/** Past the span for which an empty room stays up. */
const idleMs = 35 * SecondMs
/** Past the next sweep, which goes on with what a crash cut short. */
const sweepMs = 16 * 60 * SecondMs

/** Nothing goes wrong any more, everybody leaves, and what is under way may end. */
export const comeToRest = (scene: Scene): void => {
  const { timeline, trace } = scene.world
  mend(scene)
  trace.note("  > nothing goes wrong any more")
  timeline.pass(quietMs)
  checkPlay(scene)
  for (const client of scene.clients) client.leave(true)
  trace.note("  > everybody has left")
  timeline.pass(5 * SecondMs)
  for (const client of scene.clients) client.leave(true)
  timeline.jump(sweepMs)
  timeline.pass(calmMs + idleMs)
}

/** Whoever is in a room by now is served: a durable call is answered. */
const checkPlay = ({ world, clients, nextWrite }: Scene): void => {
  const plays = clients.flatMap((client) => {
    if (client.joining) throw new Violation("answers", "a join is not answered")
    const write = nextWrite()
    client.play({ does: "durable", write })
    return client.room === null ? [] : [{ client, room: client.room, write }]
  })
  world.timeline.pass(playMs)
  for (const { client, room, write } of plays) {
    if (client.room !== room || client.acknowledged === write) continue
    throw new Violation("answers", `a client waits in ${room} for ever`)
  }
}

/** Whatever has happened: nothing is stuck, nothing is held, nothing that was promised is gone. */
export const checkRest = (scene: Scene): void => {
  const { world } = scene
  if (scene.calls > 0) throw new Violation("answers", `${scene.calls} calls are not answered`)
  for (const server of world.cluster.servers) {
    for (const { key, epoch } of server.rooms) {
      const state = world.store.rows.get(key)?.state._tag ?? "Absent"
      throw new Violation(
        "rest",
        `server ${server.id} still holds ${key} of epoch ${epoch}, which is ${state}`
      )
    }
    for (const { roomId } of server.places) {
      throw new Violation("rest", `server ${server.id} keeps a place for ${roomId}, and no room`)
    }
  }
  for (const [key, process] of world.processes.all) {
    throw new Violation("rest", `a process of ${key} of epoch ${process.at.epoch} runs on`)
  }
  for (const [key, row] of world.store.rows.all) {
    const goes = ["Deleting", "Restoring", "Replacing"].includes(row.state._tag)
    if (goes) throw new Violation("rest", `${key} is ${row.state._tag} for ever`)
  }
  wakeAll(scene)
}

/** Every room wakes with all that was promised, and sleeps again. */
const wakeAll = (scene: Scene): void => {
  const { world } = scene
  const group = new Group(null)
  for (const project of scene.projects) {
    world.plans.set(project, "card")
    const types = world.store.deployed(project)?.types ?? []
    world.store.deploy(project, {
      relay: false,
      broken: false,
      types: ["duel", "arena", "land"].map(
        (type) =>
          types.find((one) => one.type === type) ?? { type, class: "standard", retention: null }
      )
    })
  }
  const clients = scene.keys.map((key) => ({ key, client: new Client(world, group) }))
  for (const { key, client } of clients) {
    const row = world.store.rows.get(key)
    const stored = newestSnapshot(world.store.objects.of(key).values())
    client.join(key, row?.type ?? stored?.type ?? scene.typeOf(key))
  }
  world.timeline.pass(calmMs)
  for (const { key, client } of clients) {
    if (client.room !== null && client.lastAnswer === "welcome") continue
    throw new Violation("rest", `${key} does not wake: ${client.lastAnswer ?? "no answer"}`)
  }
  for (const { client } of clients) client.leave(true)
  world.timeline.pass(SecondMs)
  world.timeline.jump(idleMs)
  world.timeline.pass(calmMs)
  for (const [key, row] of world.store.rows.all) {
    const { _tag } = row.state
    if (_tag === "Hibernated" || _tag === "Closed") continue
    throw new Violation("rest", `${key} is empty and ${_tag}`)
  }
  for (const key of scene.keys) {
    const { objects } = world.store
    const set = objects.of(key).get(alarmKey)?.alarms ?? []
    if (set.length > 0 === objects.alarmsDue.has(key)) continue
    throw new Violation("alarms", `${key} has ${set.length} alarms, and its index is otherwise`)
  }
}
