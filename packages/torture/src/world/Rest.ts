import { alarmTable } from "@atrium/actors/rooms/AlarmStore"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { roomKeyOf } from "@atrium/domain/shared/Ids"

import { Client } from "./Client.ts"
import { isRelayRoom, projectIds } from "./Deployments.ts"
import { askTickets } from "./GameActs.ts"
import { mend } from "./Mishaps.ts"
import { checkPresence } from "./PresenceCheck.ts"
import type { Scene } from "./Scene.ts"
import { Violation } from "./Violation.ts"

const SecondMs = 1000
/** Past the bound of every call, drain and start that may be under way when the last fault ends. */
const quietMs = 60 * SecondMs
/** Nothing goes wrong any more: time for a room to be started, or put away. */
const calmMs = 12 * SecondMs
/** Time for a room that nobody disturbs to wake, or to fall asleep. */
const wakeMs = 8 * SecondMs
/** Time for a durable call, when nothing goes wrong. */
const playMs = 5 * SecondMs
/** Past the moment in which a runner that joins may take what it can. */
const joinMs = 8 * SecondMs
/** More than may be on its way to a client over a link, a MiB each. */
const largeFrames = 5
/** Past the span for which an empty room stays up. */
const idleMs = 35 * SecondMs
/** Past the next look for rooms of older versions, also when the clock was set back after the last. */
const oldVersionsMs = 10 * 60 * SecondMs
/** Past the next sweep, which goes on with what a crash cut short. */
const sweepMs = 16 * 60 * SecondMs
/** Past the next report of what was used. */
const meterMs = 7 * SecondMs
/** Past the look after which a recording whose room does not come back is over. */
const lostMs = 2 * ReplayStoreLimits.recordingGap.ms + ReplayStoreLimits.replaySweep.ms
/** An actor that lives was looked at within this time. */
const lookedMs = 5 * SecondMs

/** Nothing goes wrong any more, everybody leaves, and what is under way may end. */
export const comeToRest = (scene: Scene): void => {
  const { timeline, trace } = scene.world
  mend(scene)
  trace.note("  > nothing goes wrong any more")
  timeline.pass(quietMs)
  // After every order that a store which stood still has held up.
  for (const { address } of scene.world.alive) scene.order(address, "open")
  // A runner that starts while another one is on its way down may not come up: it is started again.
  if (scene.world.open.length === 0) scene.world.addRunner()
  timeline.pass(calmMs)
  askTickets(scene)
  checkPlay(scene)
  scene.world.games.tickets.check()
  checkCredit(scene)
  checkJoin(scene)
  timeline.jump(oldVersionsMs)
  askTickets(scene)
  timeline.pass(calmMs)
  scene.world.games.tickets.check()
  checkVersions(scene)
  checkQuarantine(scene)
  checkPresence(scene, scene.world.open)
  for (const client of scene.clients) client.leave(true)
  trace.note("  > everybody has left")
  timeline.pass(5 * SecondMs)
  for (const client of scene.clients) client.leave(true)
  checkPresence(scene, scene.world.open.slice(0, 1))
  timeline.jump(sweepMs)
  timeline.pass(calmMs)
  // A room that the sweep woke is empty.
  timeline.jump(idleMs)
  timeline.pass(calmMs)
}

/** No code of an older version runs, unless a version drains or does not lead the state on. A broken version closes rooms. */
const checkVersions = (scene: Scene): void => {
  for (const { room, version } of scene.world.processes.all) {
    const { projectId } = roomKeyOf(room)
    const current = scene.versionOf(projectId)
    if (version === current || version < scene.drainedBy(projectId)) continue
    if (scene.world.versions?.mayStay(room, current) === true) continue
    throw new Violation("versions", `${room} stays on version ${version} beside ${current}`)
  }
}

/** Whatever was deployed and went wrong, no room is in quarantine whose state is led on. */
const checkQuarantine = ({ world: { stored, versions } }: Scene): void => {
  for (const [room, { quarantined }] of stored.rows) {
    if (quarantined !== null) versions?.quarantined(room, quarantined)
  }
}

/** Every client in a room is served: its durable call is answered. */
const checkPlay = ({ world, clients, nextWrite }: Scene): void => {
  const plays = clients.flatMap((client) => {
    if (client.joining) throw new Violation("answers", "a join is not answered")
    const write = nextWrite()
    client.play({ does: "durable", write })
    return client.plays ? [{ client, room: client.room, write }] : []
  })
  world.timeline.pass(playMs)
  for (const { client, room, write } of plays) {
    if (client.room !== room || client.acknowledged === write) continue
    throw new Violation("answers", `a client waits in ${room} for ever`)
  }
}

/** A client that reads is never a slow one, over a link either, however much its room tells it. */
const checkCredit = ({ world, clients, nextWrite }: Scene): void => {
  const client = clients.find(({ seat, plays }) => plays && seat?.forwarded === true)
  const room = client?.room ?? null
  if (client === undefined || room === null) return
  for (let frame = 0; frame < largeFrames; frame++) {
    const write = nextWrite()
    client.play({ does: "large", write })
    world.timeline.pass(SecondMs)
    if (client.heard === write) continue
    throw new Violation("credit", `a client in ${room} hears ${frame} of ${largeFrames} frames`)
  }
}

/** A runner joins, and no client notices. */
const checkJoin = ({ world, clients }: Scene): void => {
  if (world.alone || world.alive.length > 2) return
  const seats = clients.flatMap((client) => (client.plays ? [{ client, seat: client.seat }] : []))
  if (seats.length === 0) return
  world.trace.note(`  > ${world.addRunner().host.name} joins those who play`)
  world.timeline.pass(joinMs)
  for (const { client, seat } of seats) {
    if (client.seat === seat) continue
    throw new Violation("moves", `a client leaves ${seat?.room} as a runner joins`)
  }
}

/** At the end of every run nothing is stuck, nothing is held, and nothing that was promised is gone. */
export const checkRest = (scene: Scene): void => {
  const { world } = scene
  if (scene.calls > 0) throw new Violation("answers", `${scene.calls} calls are not answered`)
  for (const { host, awake } of world.alive) {
    for (const { key, epoch } of awake?.all() ?? []) {
      const room = `${key.projectId}/${key.roomId}`
      const state = world.stored.row(room)?.state._tag ?? "Absent"
      throw new Violation("rest", `${host.name} still holds ${room} of ${epoch()}: it is ${state}`)
    }
  }
  for (const [server, { atMs, places }] of world.steps.sampled) {
    if (atMs < world.timeline.machineMs - lookedMs) continue
    for (const { roomId } of places) {
      throw new Violation("rest", `server ${server} keeps a place for ${roomId}, and no room`)
    }
  }
  for (const { room } of world.processes.all) {
    throw new Violation("rest", `a process of ${room} runs on`)
  }
  for (const [room, { state }] of world.stored.rows) {
    const goes = ["Deleting", "Restoring", "Replacing"].includes(state._tag)
    if (goes) throw new Violation("rest", `${room} is ${state._tag} for ever`)
  }
  if (world.films) {
    world.timeline.jump(lostMs)
    world.timeline.pass(calmMs)
    world.games.replays.checkRest()
  }
  wakeAll(scene)
  world.games.ratings.check()
  world.timeline.pass(meterMs)
  for (const project of scene.projects) {
    if (project === projectIds.relay) continue
    world.meters.check(project)
    world.calls.check(project)
  }
  if (!world.films) return
  world.timeline.jump(MeterLimits.storageLook.ms)
  world.timeline.pass(calmMs)
  for (const project of scene.projects) world.games.replays.checkMeter(project)
}

/** A room that has woken is on the newest version, whose migrations are mended. */
const checkLed = (scene: Scene, room: string): void => {
  const { versions } = scene.world
  if (versions === null || isRelayRoom(room)) return
  const [version, current] = [versions.lastStart(room), scene.versionOf(roomKeyOf(room).projectId)]
  if (version === current) return
  throw new Violation("versions", `${room} wakes on version ${version} and not on ${current}`)
}

/** Every room wakes with all that was promised, and sleeps again. */
const wakeAll = (scene: Scene): void => {
  const { world } = scene
  const { stored, timeline } = world
  for (const project of scene.projects) {
    scene.setPlan(project, "card")
    scene.repair(project)
  }
  // A room of a match whose runner went during its start is up in its row until somebody asks for it.
  const rooms = new Set([...scene.rooms, ...stored.rows.keys()])
  const clients = Array.from(rooms, (room) => ({ room, client: new Client(world, room) }))
  // Through each of the runners, wherever the room is.
  for (const [at, { room, client }] of clients.entries()) {
    const type = stored.row(room)?.type ?? stored.storedType(room) ?? scene.typeOf(room)
    client.join(room, type, world.open[at % world.open.length])
  }
  timeline.pass(wakeMs)
  for (const { room, client } of clients) {
    if (client.room !== null && client.lastAnswer === "welcome") continue
    throw new Violation("rest", `${room} does not wake: ${client.lastAnswer ?? "no answer"}`)
  }
  for (const { room } of clients) checkLed(scene, room)
  for (const { client } of clients) client.leave(true)
  timeline.pass(SecondMs)
  timeline.jump(idleMs)
  timeline.pass(wakeMs)
  for (const [room, { state }] of stored.rows) {
    if (state._tag === "Hibernated" || state._tag === "Closed") continue
    throw new Violation("rest", `${room} is empty and ${state._tag}`)
  }
  const due = alarmTable.rowsIn(world.door.tables)
  for (const room of scene.rooms) {
    const set = stored.alarmsOf(room)
    if (set > 0 === due.has(room)) continue
    throw new Violation("alarms", `${room} has ${set} alarms, and its index is otherwise`)
  }
}
