import { ceilingTable } from "@atrium/actors/meters/CapStore"
import { periodKey, useTable } from "@atrium/actors/meters/MemoryMeters"
import { drainRooms } from "@atrium/actors/rooms/DrainRooms"
import { serverIdOf } from "@atrium/actors/servers/ServerProtocol"
import { billingPeriod, eachMeter } from "@atrium/domain/meters/Caps"
import { deletesAtMs, retentionInForce, sweepMoments } from "@atrium/domain/rooms/Retention"
import { roomKeyOf } from "@atrium/domain/shared/Ids"
import { MiB } from "@atrium/wire/limits/Limit"

import type { Act, Weighed } from "./Acts.ts"
import type { Client } from "./Client.ts"
import { killAgain, killProcess } from "./ProcessMishaps.ts"
import type { Runner } from "./Runner.ts"
import type { Scene } from "./Scene.ts"

const SecondMs = 1000
const MinuteMs = 60 * SecondMs
const DayMs = 24 * 60 * MinuteMs
/** By then a runner that stands still has lost its rooms, and the others may have them. */
const pastLeaseMs = 11 * SecondMs
/** A sweep asks rooms whose time comes so soon. */
const sweepAheadMs = sweepMoments(0).dueByMs
/** Runners that live at once, at most. */
const runnersMax = 4

/** The cluster's shards are few: the actors of some rooms and servers go, and come back somewhere. */
const loseShard: Act = (scene, chance) => {
  const { cluster } = scene.world
  if (cluster.heldShards.length === 0) return "nobody holds a shard"
  const shard = chance.pick(cluster.heldShards)
  cluster.loseLock(shard)
  return `the lock of ${shard} is lost`
}

/** All shards of a runner move to the others and come back. It lives, and everybody reaches it. */
const moveShard: Act = (scene, chance) => {
  const { open, cluster, outside } = scene.world
  if (open.length < 2) return "no other runner is there"
  const { address, host } = chance.pick(open)
  const ms = SecondMs + chance.below(20 * SecondMs)
  cluster.passBy(address)
  outside.after(ms, () => cluster.takeBack(address))
  return `the shards of ${host.name} move to others for ${ms} ms`
}

/** A connection between two runners breaks, or nothing arrives over it for a while. */
const loseLink: Act = (scene, chance) => {
  const { open } = scene.world.wires
  if (open.length === 0) return "no runner has a link"
  const wire = chance.pick(open)
  const ms = chance.below(10 * SecondMs)
  if (chance.one(2)) {
    wire.break()
    return `the link of ${wire.name} breaks`
  }
  wire.holdFor(ms)
  return `the link of ${wire.name} hangs for ${ms} ms`
}

/** The runner's shards move to others, and it lives. */
const shunRunner: Act = (scene, chance) => {
  const { open, cluster, outside } = scene.world
  if (open.length === 0) return "no runner is there"
  const { address, host } = chance.pick(open)
  const ms = chance.below(30 * SecondMs)
  cluster.cut.add(address)
  outside.after(ms, () => void cluster.cut.delete(address))
  return `${host.name} is not reached for ${ms} ms`
}

const addRunner: Act = (scene) => {
  if (scene.world.alive.length >= runnersMax) return "there are runners enough"
  return `${scene.world.addRunner().host.name} joins`
}

/** Somebody starts a runner and forgets to tell it of the others. */
const joinAlone: Act = (scene) => {
  const { world } = scene
  if (world.open.length === 0 || world.alive.length >= runnersMax) return "nobody is alone"
  return `${world.addRunner(true).host.name} starts as if it were alone`
}

const freezeRunner: Act = (scene, chance) => {
  const { open, outside, plain } = scene.world
  if (open.length === 0) return "no runner is there"
  const { host } = chance.pick(open)
  const ms = SecondMs / 2 + chance.below(chance.one(2) ? 4 * SecondMs : 20 * SecondMs)
  host.freeze()
  plain.troubled(ms)
  outside.after(ms, () => host.goOn())
  return `${host.name} freezes for ${ms} ms`
}

/**
 * A runner with a room that somebody plays stands still until its leases are over, with something of its rooms
 * unstored. Their clients come back through the other runners, where the rooms wake; then the runner goes on.
 */
const freezePastLease: Act = (scene, chance) => {
  const { world } = scene
  const { outside, plain, speech } = world
  const hostOf = ({ seat }: Client) => speech.seats.get(seat?.session ?? "")?.host
  const played = scene.clients.filter((client) => client.plays && hostOf(client)?.frozen === false)
  if (played.length === 0 || world.open.length < 2) return "no other runner is there"
  const host = hostOf(chance.pick(played))
  if (host === undefined) return "the room has gone"
  const beforeMs = chance.below(2 * SecondMs)
  const ms = pastLeaseMs + SecondMs + chance.below(12 * SecondMs)
  for (const client of played) {
    const { room } = client
    if (hostOf(client) !== host || room === null) continue
    client.play({ does: "plain", write: scene.nextWrite() })
    outside.after(beforeMs + pastLeaseMs + chance.below(ms - pastLeaseMs), () => {
      if (world.calm || !host.frozen) return
      client.leave(false)
      if (client.idle) client.join(room, null)
    })
  }
  outside.after(beforeMs, () => {
    if (world.calm) return
    host.freeze()
    outside.after(ms, () => host.goOn())
  })
  plain.troubled(beforeMs + ms)
  return `${host.name} freezes for ${ms} ms, and its clients come back elsewhere`
}

/** Another one comes in its place, so that somebody is there. */
const replace = (scene: Scene, ms: number): void => {
  const { world } = scene
  world.outside.after(ms, () => {
    if (world.alive.length < runnersMax) world.addRunner()
  })
}

const crash: Act = (scene, chance) => {
  const { world } = scene
  if (world.alive.length === 0) return "no runner is there"
  const runner = chance.pick(world.alive)
  const machineGone = chance.one(3)
  world.kill(runner, machineGone)
  replace(scene, chance.below(10 * SecondMs))
  return `${runner.host.name} dies${machineGone ? " with its machine" : ""}`
}

/** The runner that takes a deployment dies when it is stored, and before rooms elsewhere have moved. */
const crashDeploying: Act = (scene, chance) => {
  const { world } = scene
  if (world.open.length < 2) return "there are no runners to spare"
  const runner = chance.pick(world.open)
  const project = chance.pick(scene.projects)
  const before = scene.versionOf(project)
  const dies = (looksLeft: number): void => {
    if (world.calm || runner.host.dead || looksLeft === 0) return
    if (scene.versionOf(project) > before) return world.kill(runner, false)
    world.outside.after(1, () => dies(looksLeft - 1))
  }
  scene.deploy(project, { ...scene.nextBundle(project, chance), broken: false }, { at: runner })
  dies(SecondMs)
  replace(scene, SecondMs + chance.below(10 * SecondMs))
  return `deploy ${project} on ${runner.host.name}, which dies`
}

/** The end of a service, as api/start/Signals.ts and Service.ts have it. */
const stopRunner = (scene: Scene, runner: Runner): void => {
  const { world } = scene
  runner.closing = true
  runner.run(drainRooms, (exit) => {
    if (exit !== null) runner.end(() => world.kill(runner, false))
  })
}

const rollRunner: Act = (scene, chance) => {
  const { open } = scene.world
  if (open.length === 0) return "no runner is there"
  const runner = chance.pick(open)
  stopRunner(scene, runner)
  replace(scene, chance.below(5 * SecondMs))
  return `${runner.host.name} is stopped`
}

/** An operator takes a runner out of use, or back. */
const orderRunner: Act = (scene, chance) => {
  const { open } = scene.world
  if (open.length === 0) return "no runner is there"
  const { address, host } = chance.pick(open)
  const setting = chance.pick(["cordoned", "cordoned", "draining", "open"] as const)
  scene.order(address, setting)
  return `${host.name} is ordered to be ${setting}`
}

/** Of a server with rooms, if there is one: its index names its runner's home. */
const loseReach: Act = (scene, chance) => {
  const { faults, outside, stored } = scene.world
  const placed = [...stored.rows].flatMap(([room, { state }]) =>
    "at" in state && state.at !== null ? [{ room, index: state.at.serverIndex }] : []
  )
  if (placed.length === 0) return "no server has a room"
  const { room, index } = chance.pick(placed)
  const { projectId } = roomKeyOf(room)
  faults.loseReach(serverIdOf(projectId, index))
  // An operator may want the room gone now: nothing may be removed while its clients cannot be closed.
  if (chance.one(2)) scene.onRoom(room, (rooms, key) => rooms.delete(key, { force: true }))
  outside.after(chance.below(60 * SecondMs), () => faults.restoreReach())
  return `server ${projectId}/${index} is out of reach`
}

const storeAway: Act = (scene, chance) => {
  const ms = chance.below(chance.one(3) ? 40 * SecondMs : 3 * SecondMs)
  scene.world.door.goAway(ms)
  return `the store is away for ${ms} ms`
}

/** Locks live as long as the connections that hold them. */
const storeRestarts: Act = (scene, chance) => {
  const ms = SecondMs / 2 + chance.below(3 * SecondMs)
  scene.world.door.goAway(ms)
  scene.world.cluster.loseAllLocks()
  return `the store restarts in ${ms} ms`
}

const storeStalls: Act = (scene, chance) => {
  const ms = chance.below(chance.one(3) ? 50 * SecondMs : 4 * SecondMs)
  scene.world.door.stall(ms)
  return `the store stalls for ${ms} ms`
}

const storeFlickers: Act = (scene, chance) => {
  const oneIn = 3 + chance.below(20)
  scene.world.door.flicker(oneIn, chance.below(20 * SecondMs))
  return `the store fails once in ${oneIn}`
}

const network: Act = (scene, chance) => {
  const { cluster, outside } = scene.world
  const { rates } = cluster
  rates.messageLost = chance.one(2) ? 0 : 2 + chance.below(10)
  rates.messageLate = chance.one(2) ? 0 : 2 + chance.below(10)
  const { messageLost, messageLate } = rates
  outside.after(chance.below(60 * SecondMs), () => {
    rates.messageLost = 0
    rates.messageLate = 0
  })
  return `messages: one lost in ${messageLost}, one late in ${messageLate}`
}

const starts: Act = (scene, chance) => {
  const { faults, outside } = scene.world
  const { rates } = faults
  rates.startFails = chance.one(2) ? 0 : 1 + chance.below(4)
  rates.startHangs = chance.one(2) ? 0 : 1 + chance.below(4)
  const { startFails, startHangs } = rates
  outside.after(chance.below(40 * SecondMs), () => {
    rates.startFails = 0
    rates.startHangs = 0
  })
  return `starts: one fails in ${startFails}, one hangs in ${startHangs}`
}

const jump: Act = (scene, chance) => {
  const spans = [5 * SecondMs, 40 * SecondMs, 12 * MinuteMs, 16 * MinuteMs, 3 * 60 * MinuteMs]
  const most = chance.one(8) ? 35 * DayMs : chance.pick(spans)
  const ms = 1 + chance.below(most)
  scene.world.timeline.jump(ms)
  return `the clock jumps by ${ms} ms`
}

/** The time for a room to be swept is near: the sweep looks ahead, and asks it already. */
const jumpToSweep: Act = (scene, chance) => {
  const { stored, timeline } = scene.world
  const lapses = [...stored.rows].flatMap(
    ([room, { state, type, retentionOverride, lastSeenMs }]) => {
      const types = scene.typesOf(roomKeyOf(room).projectId)
      const declared = types.find((one) => one.type === type)?.retention ?? null
      const retention = retentionInForce({ override: retentionOverride, declared })
      const atMs = deletesAtMs(retention, lastSeenMs)
      const leftMs = (atMs ?? 0) - timeline.nowMs
      return state._tag === "Hibernated" && leftMs > sweepAheadMs ? [{ room, leftMs }] : []
    }
  )
  if (lapses.length === 0) return "no sleeping room is kept for a time"
  const { room, leftMs } = chance.pick(lapses)
  const aheadMs = chance.below(sweepAheadMs)
  timeline.jump(leftMs - aheadMs)
  return `the clock jumps to ${aheadMs} ms before the retention of ${room} lapses`
}

const jumpBack: Act = (scene, chance) => {
  const ms = 1 + chance.below(20 * SecondMs)
  const { plain, timeline } = scene.world
  timeline.jump(-ms)
  // What waits for the service's clock waits longer.
  plain.troubled(ms)
  return `the clock is set back by ${ms} ms`
}

const dataOut: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const { door, outside, timeline } = scene.world
  const uses = useTable.rowsIn(door.tables)
  const { startMs } = billingPeriod(timeline.nowMs)
  const period = periodKey({ projectId: project, startMs })
  const ceilings = ceilingTable.rowsIn(door.tables)
  ceilings.set(project, { ...eachMeter(null), dataOutBytes: 1 })
  uses.set(period, { ...eachMeter(0), dataOutBytes: 1e15 })
  // The rooms of the world are metered: any use reaches this ceiling.
  outside.after(chance.below(60 * SecondMs), () => void ceilings.delete(project))
  return `${project} has used up what it may send`
}

const press: Act = (scene, chance) => {
  const { faults, outside } = scene.world
  const project = chance.pick(scene.projects)
  const id = serverIdOf(project, 0)
  faults.pressed.add(id)
  outside.after(chance.below(100 * SecondMs), () => void faults.pressed.delete(id))
  return `server ${project}/0 is taken for one near its limit`
}

const swell: Act = (scene, chance) => {
  const running = scene.world.processes.all
  if (running.length === 0) return "no process runs"
  const { room, process } = chance.pick(running)
  process.usedBytes = (16 + chance.below(2000)) * MiB
  return `the process of ${room} takes ${process.usedBytes / MiB} MiB`
}

const shortMachine: Act = (scene, chance) => {
  const { faults, outside } = scene.world
  const memory = chance.pick(["near", "between"] as const)
  faults.shortOf(memory)
  outside.after(chance.below(60 * SecondMs), () => (faults.machine = null))
  return `the machines' memory is ${memory}`
}

/** Faults that a world may meet, each with its relative frequency. */
export const mishaps: ReadonlyArray<Weighed> = [
  { weight: 8, act: killProcess },
  { weight: 5, act: killAgain },
  { weight: 5, act: loseShard },
  { weight: 3, act: moveShard },
  { weight: 4, act: loseLink },
  { weight: 3, act: shunRunner },
  { weight: 4, act: addRunner },
  { weight: 1, act: joinAlone },
  { weight: 6, act: freezeRunner },
  { weight: 3, act: crash },
  { weight: 3, act: crashDeploying },
  { weight: 3, act: rollRunner },
  { weight: 4, act: orderRunner },
  { weight: 2, act: freezePastLease },
  { weight: 3, act: loseReach },
  { weight: 3, act: storeAway },
  { weight: 2, act: storeRestarts },
  { weight: 3, act: storeStalls },
  { weight: 4, act: storeFlickers },
  { weight: 4, act: network },
  { weight: 3, act: starts },
  { weight: 7, act: jump },
  { weight: 1, act: jumpToSweep },
  { weight: 2, act: jumpBack },
  { weight: 1, act: dataOut },
  { weight: 3, act: press },
  { weight: 3, act: swell },
  { weight: 1, act: shortMachine }
]

/** Everything that goes wrong stops doing so. */
export const mend = ({ world }: Scene): void => {
  world.calm = true
  world.faults.mend()
  world.migrators.diesOneIn = 0
  world.door.mend()
  world.cluster.mend()
  world.wires.mend()
  ceilingTable.rowsIn(world.door.tables).clear()
  for (const { host } of world.alive) host.goOn()
  for (const { process } of world.processes.all) process.usedBytes = 8 * MiB
  if (world.alive.every(({ closing }) => closing)) world.addRunner()
}
