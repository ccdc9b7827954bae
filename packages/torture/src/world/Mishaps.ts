import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { MiB } from "@atrium/wire/limits/Limit"

import type { Act, Weighed } from "./Acts.ts"
import type { AwakeRoom } from "./AwakeRoom.ts"
import { sleep, within } from "./Pauses.ts"
import type { Runner } from "./Runner.ts"
import type { Scene } from "./Scene.ts"
import { Failure, Group, isFailure, type Work } from "./Work.ts"

const SecondMs = 1000
const MinuteMs = 60 * SecondMs
const DayMs = 24 * 60 * MinuteMs

const killProcess: Act = (scene, chance) => {
  const running = scene.world.processes.all
  if (running.length === 0) return "no process runs"
  const [key, process] = chance.pick(running)
  process.kill()
  return `the process of ${key} dies`
}

const killAgain: Act = (scene, chance) => {
  const running = scene.world.processes.all
  if (running.length === 0) return "no process runs"
  const [key] = chance.pick(running)
  const everyMs = SecondMs * (1 + chance.below(28))
  function* kills(): Work<void> {
    for (let deaths = 0; deaths < 4; deaths++) {
      for (const process of scene.world.processes.of(key)) process.kill()
      yield* sleep(scene.world, everyMs)
    }
  }
  scene.fork(kills())
  return `the process of ${key} dies every ${everyMs / SecondMs} s`
}

const forgetActor: Act = (scene, chance) => {
  const key = chance.pick(scene.keys)
  scene.world.cluster.forget(key)
  return `the actor of ${key} is lost`
}

const endServer: Act = (scene, chance) => {
  const { servers } = scene.world.cluster
  if (servers.length === 0) return "no server is there"
  const server = chance.pick(servers)
  server.group.end()
  for (const room of server.rooms) room.gate.closeAll("lost")
  return `server ${server.id} is lost`
}

const crash: Act = (scene, chance) => {
  const { cluster, timeline } = scene.world
  if (cluster.runners.length === 0) return "no runner is there"
  const runner = chance.pick(cluster.runners)
  cluster.crash(runner, chance.below(20 * SecondMs))
  timeline.after(chance.below(10 * SecondMs), () => cluster.addRunner())
  return `runner ${runner.id} dies`
}

const askAgainMs = 200

/** `drainRooms` in api/start/Service.ts. */
function* shutDown(scene: Scene, runner: Runner): Work<void> {
  const { world } = scene
  function* putAway({ key, seat }: AwakeRoom): Work<void> {
    for (;;) {
      try {
        return yield* world.cluster.onRoom(runner, key, (room) => room.putAway(seat, "shutdown"))
      } catch (error) {
        if (!isFailure(error, "E_TENANT_WAKING")) throw error
        yield* sleep(world, askAgainMs)
      }
    }
  }
  const group = new Group(runner.group)
  for (const room of runner.awake.values()) {
    try {
      yield* within({ world, group, ms: ServiceLimits.drain.ms, work: putAway(room) })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
}

const stop: Act = (scene, chance) => {
  const { world } = scene
  const open = world.cluster.runners.filter(({ closing }) => !closing)
  if (open.length === 0) return "no runner is there"
  const runner = chance.pick(open)
  runner.closing = true
  const againMs = chance.below(5 * SecondMs)
  function* stopped(): Work<void> {
    yield* shutDown(scene, runner)
    if (runner.group.alive) world.cluster.crash(runner, 0)
    yield* sleep(world, againMs)
    world.cluster.addRunner()
  }
  scene.fork(stopped())
  return `runner ${runner.id} is stopped`
}

const loseReach: Act = (scene, chance) => {
  const id = `${chance.pick(scene.projects)}/${chance.one(4) ? 1 : 0}`
  scene.world.cluster.loseReach(id)
  scene.world.timeline.after(chance.below(40 * SecondMs), () => scene.world.cluster.restoreReach())
  return `server ${id} is out of reach`
}

const storeAway: Act = (scene, chance) => {
  const ms = chance.below(chance.one(3) ? 40 * SecondMs : 3 * SecondMs)
  scene.world.door.goAway(ms)
  return `the store is away for ${ms} ms`
}

const storeStalls: Act = (scene, chance) => {
  const ms = chance.below(chance.one(3) ? 50 * SecondMs : 4 * SecondMs)
  scene.world.door.stall(ms)
  return `the store stalls for ${ms} ms`
}

const storeFlickers: Act = (scene, chance) => {
  const { door, timeline } = scene.world
  door.failsOneIn = 3 + chance.below(20)
  timeline.after(chance.below(20 * SecondMs), () => (door.failsOneIn = 0))
  return `the store fails once in ${door.failsOneIn}`
}

const network: Act = (scene, chance) => {
  const { faults, timeline } = scene.world
  faults.rates.messageLost = chance.one(2) ? 0 : 2 + chance.below(10)
  faults.rates.messageLate = chance.one(2) ? 0 : 2 + chance.below(10)
  const { messageLost, messageLate } = faults.rates
  timeline.after(chance.below(60 * SecondMs), () => {
    faults.rates.messageLost = 0
    faults.rates.messageLate = 0
  })
  return `messages: one lost in ${messageLost}, one late in ${messageLate}`
}

const starts: Act = (scene, chance) => {
  const { faults, timeline } = scene.world
  faults.rates.startFails = chance.one(2) ? 0 : 1 + chance.below(4)
  faults.rates.startHangs = chance.one(2) ? 0 : 1 + chance.below(4)
  const { startFails, startHangs } = faults.rates
  timeline.after(chance.below(40 * SecondMs), () => {
    faults.rates.startFails = 0
    faults.rates.startHangs = 0
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

const jumpBack: Act = (scene, chance) => {
  const ms = 1 + chance.below(20 * SecondMs)
  scene.world.timeline.jump(-ms)
  return `the clock is set back by ${ms} ms`
}

const dataOut: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const { walled, timeline } = scene.world
  walled.add(project)
  timeline.after(chance.below(60 * SecondMs), () => walled.delete(project))
  scene.fork(scene.world.orFailed(scene.jobs.stopRooms(project, "dataOut", [])))
  return `${project} has used up what it may send`
}

const press: Act = (scene, chance) => {
  const { pressed } = scene.jobs
  const id = `${chance.pick(scene.projects)}/0`
  pressed.add(id)
  scene.world.timeline.after(chance.below(100 * SecondMs), () => pressed.delete(id))
  return `server ${id} is taken for one near its limit`
}

const swell: Act = (scene, chance) => {
  const running = scene.world.processes.all
  if (running.length === 0) return "no process runs"
  const [key, process] = chance.pick(running)
  process.usedBytes = (16 + chance.below(2000)) * MiB
  return `the process of ${key} takes ${process.usedBytes / MiB} MiB`
}

const shortMachine: Act = (scene, chance) => {
  const { jobs } = scene
  jobs.machine = chance.pick(["near", "between"] as const)
  scene.world.timeline.after(chance.below(60 * SecondMs), () => (jobs.machine = "calm"))
  return `the machine's memory is ${jobs.machine}`
}

/** What goes wrong, and how often beside the rest. */
export const mishaps: ReadonlyArray<Weighed> = [
  { weight: 8, act: killProcess },
  { weight: 4, act: killAgain },
  { weight: 6, act: forgetActor },
  { weight: 2, act: endServer },
  { weight: 3, act: crash },
  { weight: 3, act: stop },
  { weight: 4, act: loseReach },
  { weight: 3, act: storeAway },
  { weight: 3, act: storeStalls },
  { weight: 4, act: storeFlickers },
  { weight: 3, act: network },
  { weight: 3, act: starts },
  { weight: 8, act: jump },
  { weight: 2, act: jumpBack },
  { weight: 1, act: dataOut },
  { weight: 3, act: press },
  { weight: 3, act: swell },
  { weight: 1, act: shortMachine }
]

/** Everything that goes wrong stops doing so. */
export const mend = ({ world, jobs }: Scene): void => {
  world.faults.mend()
  world.door.mend()
  world.cluster.restoreReach()
  world.walled.clear()
  jobs.pressed.clear()
  jobs.machine = "calm"
  for (const [, process] of world.processes.all) process.usedBytes = 8 * MiB
  if (world.cluster.runners.every(({ closing }) => closing)) world.cluster.addRunner()
}
