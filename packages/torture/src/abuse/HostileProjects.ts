import type { BenchService, Servers } from "@atrium/api/testing/load/Servers"
import { sleep, within } from "@atrium/api/testing/load/Tasks"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { MiB } from "@atrium/wire/limits/Limit"

import { battlefield, gaugeLookMs, memoryOf, watched } from "./AbuseField.ts"
import type { AbuseOptions } from "./AbuseRun.ts"
import type { Counts } from "./Attacks.ts"
import type { CrowdField } from "./Crowd.ts"
import { GoodRoom, type Steadiness } from "./GoodRoom.ts"

/** Measurements of the quiet project and of `/health` beside one crowd. */
export interface Beside {
  readonly quiet: Steadiness
  /** The longest answer of `/health`: how long the service's event loop stood still. */
  readonly longestStopMs: number
  readonly peakMiB: number
  /** Outcomes of the crowd's deployments and joins, counted. */
  readonly counts: Counts
}

/** A quiet project beside six harmless ones, and then beside six hostile ones that are as busy. */
export interface HostileProjects {
  readonly harmless: Beside
  readonly hostile: Beside
  /** Violations that a busy machine does not excuse. */
  readonly faults: ReadonlyArray<string>
  /** How much less steady the quiet project was than beside the harmless crowd, past its bounds. */
  readonly unsteady: ReadonlyArray<string>
}

const goodClients = 8
const probeEveryMs = 20
/** Memory that the service's bounds allow the hostile crowd: a stack mapper, unfinished frames, six bundles. */
const growthMiB =
  (LogLimits.stackMapMemory.max +
    RoomProcessLimits.roomHeldAllBytes.max +
    6 * BundleLimits.bundleBytes.max) /
  MiB
const steadyWithin = 2
const stopWithinMs = 100
const enoughPatches = 0.95
const emptiesWithinMs = 60_000
/** An unfinished frame hides its room's answers: the room is ended and started again three times. */
const framesCloseAfterSeconds = 30

/** Runs the two crowds one after the other on one service, each for that many seconds. */
export const runHostileProjects = async (
  servers: Servers,
  { seconds, say }: AbuseOptions
): Promise<HostileProjects> => {
  const service = await servers.service()
  const { place } = await battlefield(service)
  const room = await GoodRoom.join(place, { clients: goodClients, addresses: servers.addresses })
  const beside = async (hostile: boolean): Promise<Beside> => {
    const field: CrowdField = { url: service.url, token: service.token, hostile }
    const child = servers.child(import.meta.resolve("./CrowdChild.ts"))
    child.write(JSON.stringify(field))
    await child.line()
    say(`six ${hostile ? "hostile" : "harmless"} projects are busy, for ${seconds} s`)
    room.taken()
    const probe = probeHealth(service)
    const peakMiB = await watched(service, seconds * 1000)
    const longestStopMs = await probe.stop()
    const quiet = room.taken()
    child.write("stop")
    // Only the child writes there.
    const counts = JSON.parse(await child.line()) as Counts
    await within(
      emptiesWithinMs,
      async () => {
        return (await service.gauge("atrium_sockets")) <= goodClients
      },
      gaugeLookMs
    )
    return { quiet, longestStopMs, peakMiB, counts }
  }
  const harmless = await beside(false)
  const hostile = await beside(true)
  const due = room.expectedIn(seconds * 1000)
  const found = { harmless, hostile }
  say(`the crowds are gone; the service holds ${memoryOf(service)} MiB`)
  room.leave()
  return { ...found, faults: faultsOf(found, { seconds, due }), unsteady: unsteadiness(found) }
}

/** Asks for `/health` again and again: its answer waits for as long as the event loop stands still. */
const probeHealth = ({ url }: BenchService) => {
  let going = true
  let longestMs = 0
  const asking = (async () => {
    while (going) {
      const askedAtMs = performance.now()
      const response = await fetch(`${url}/health`)
      await response.text()
      longestMs = Math.max(longestMs, performance.now() - askedAtMs)
      await sleep(probeEveryMs)
    }
  })()
  return {
    stop: async (): Promise<number> => {
      going = false
      await asking
      return longestMs
    }
  }
}

type Found = Pick<HostileProjects, "harmless" | "hostile">

interface Span {
  readonly seconds: number
  /** Patches that the quiet project was to get in it. */
  readonly due: number
}

const faultsOf = ({ harmless, hostile }: Found, { seconds, due }: Span): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  for (const [name, { quiet }] of Object.entries({ harmless, hostile })) {
    const enough = quiet.patches >= enoughPatches * due
    expect(enough, `beside the ${name} crowd: ${quiet.patches} of ${due} patches`)
  }
  const { peakMiB } = hostile
  const mayBeMiB = harmless.peakMiB + growthMiB
  expect(peakMiB <= mayBeMiB, `memory grew to ${peakMiB} MiB, more than ${mayBeMiB}`)
  const did = (what: string): boolean =>
    Object.keys(hostile.counts).some((key) => key.includes(what))
  // A crowd that does nothing proves nothing.
  expect(did("deploy"), "the hostile crowd deployed nothing")
  const framesClosed = seconds < framesCloseAfterSeconds || did("frames closed")
  expect(framesClosed, "no room was closed for its unfinished frames")
  return faults
}

const unsteadiness = ({ harmless, hostile }: Found): ReadonlyArray<string> => {
  const unsteady: Array<string> = []
  const [p99, mayBe] = [hostile.quiet.p99, steadyWithin * harmless.quiet.p99]
  if (p99 > mayBe) {
    unsteady.push(`p99 between patches: ${p99.toFixed(1)} ms, more than ${mayBe.toFixed(1)} ms`)
  }
  const [stopMs, boundMs] = [hostile.longestStopMs, harmless.longestStopMs + stopWithinMs]
  if (stopMs > boundMs) {
    unsteady.push(`/health took ${stopMs.toFixed(0)} ms, more than ${boundMs.toFixed(0)} ms`)
  }
  return unsteady
}
