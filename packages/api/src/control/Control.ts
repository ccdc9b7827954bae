import { tellTime } from "@atrium/actors/clock/ClockFollower"
import { RuleTime } from "@atrium/actors/clock/RuleTime"
import { ServerReach } from "@atrium/actors/cluster/ServerReach"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { MemoryFigures } from "@atrium/actors/servers/MemoryLook"
import { Clock, Console, Context, Effect, Schedule, Tracer } from "effect"

import packageJson from "../../package.json" with { type: "json" }
import { features } from "../features.ts"
import { serveControl } from "./ControlListener.ts"
import { ControlTools } from "./ControlTools.ts"
import type { Hooks } from "./Hook.ts"
import { LiveWork } from "./LiveWork.ts"
import { MovableClock } from "./MovableClock.ts"
import { PressedServers } from "./PressedServers.ts"
import { ServerFaults } from "./ServerFaults.ts"
import { settled } from "./Settling.ts"

/** Between two stops of an advance, and at its end, when rooms answer what they have been told. */
const between = { quietTurns: 4, stepsMsMax: 250 }
const atTheEnd = { quietTurns: 25, stepsMsMax: 2_000 }
/** A room that was starting when time was held or moved is told so late. */
const lookEvery = Schedule.spaced("50 millis")

type Load = (typeof features)[number]["control"][number]

/** The hooks of every feature, which are loaded now. */
const makeHooks = Effect.gen(function* () {
  const hooks: Hooks = {}
  for (const feature of features) {
    for (const load of feature.control) {
      const module = yield* Effect.promise<Awaited<ReturnType<Load>>>(load)
      Object.assign(hooks, yield* module.hooks)
    }
  }
  return hooks
})

/** Test mode. Nothing of it is loaded without `--control-port`. Source: D-49. */
export const makeControl = (port: number) => {
  const clock = new MovableClock()
  const work = new LiveWork()
  const faults = new ServerFaults()
  const pressed = new PressedServers()

  /** The context that the whole service is made with. */
  const services = Context.empty().pipe(
    Context.add(Clock.Clock, clock),
    Context.add(RuleTime, clock.rules),
    Context.add(Tracer.Tracer, work.tracer),
    Context.add(ServerReach, faults.reach),
    Context.add(MemoryFigures, pressed.figures)
  )

  /** Opens the listener once the service is up, and says where it is. */
  const serve = Effect.gen(function* () {
    const awake = yield* AwakeRooms
    const tell = (nowMs: number): void => tellTime(awake, nowMs, !clock.held)
    const progress = { looking: () => clock.looking, steps: () => work.underWay }
    clock.follow({
      moved: tell,
      settled: (atEnd) => settled(progress, atEnd ? atTheEnd : between)
    })
    yield* Effect.sync(() => {
      if (clock.held) tell(clock.currentTimeMillisUnsafe())
    }).pipe(Effect.repeat(lookEvery), Effect.forkScoped)

    faults.follow(() => awake.all())
    yield* Effect.addFinalizer(() => Effect.sync(() => faults.resumeAll()))

    const hooks = yield* Effect.provideService(makeHooks, ControlTools, {
      clock,
      work,
      faults,
      pressed
    })
    const { url, token } = yield* serveControl({ port, version: packageJson.version, hooks })
    yield* Console.log(`control ${url} ${token}`)
  })

  return { services, serve }
}
