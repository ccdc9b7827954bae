import { randomInt } from "node:crypto"

import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { beforeAll, describe, expect, test } from "vitest"

import { serviceProcesses } from "../soak/ServiceProcesses.ts"
import type { Stage } from "./CaseContext.ts"
import { planOf } from "./FuzzPlan.ts"
import { liveOne } from "./HostFuzz.ts"
import { HostileWays } from "./HostileBundle.ts"
import { sufferOne } from "./HostileRoomFuzz.ts"
import { inOrder } from "./InOrder.ts"
import { readOne } from "./ReaderFuzz.ts"
import { faultsIn } from "./ServiceLog.ts"
import { makeStage } from "./ServiceUnderFire.ts"
import { connectOne, socketCases } from "./SocketFuzz.ts"
import { Tally } from "./Tally.ts"
import { Witness } from "./Witness.ts"

// Some thousands of what `npm run fuzz` does a million of. The second seed is new with every run; a
// failure names it, and the command that does its case again.

const seeds = [20_251_121, randomInt(2 ** 31)] as const
const FramesOfReaders = 4000
const Lives = 24
const SocketCases = 40
/** The room beside, and processes that wait for the next rooms. */
const RoomsAtRest = 4

/** The text of a failure: every fault with the command that repeats it. */
const faultsOf = (tally: Tally, seed: number): ReadonlyArray<string> =>
  tally.faults.map(
    ({ part, index, says }) =>
      `${says}; again: npm run fuzz -- --seed ${seed} --only ${part} --case ${index}`
  )

describe.each(seeds)("with the seed %s", (seed) => {
  test("[D-24] [D-48] every reader takes or refuses any bytes", () => {
    const tally = new Tally()
    for (let index = 0; index < FramesOfReaders; index++) readOne(seed, index, tally)
    expect(faultsOf(tally, seed)).toEqual([])
    expect(tally.has("readReport", "taken") && tally.has("readReport", "refused")).toBe(true)
  })

  test("[D-48] the host of a room process does with any report what its rules say", async () => {
    const tally = new Tally()
    await inOrder((index) => liveOne(seed, index, tally), {
      atOnce: 8,
      more: (index) => index < Lives
    })
    expect(faultsOf(tally, seed)).toEqual([])
    expect(tally.has("room host", "protocol") && tally.has("room host", "deliver")).toBe(true)
  })
})

describe("a service under fire", () => {
  const service = serviceUnderTest()
  let stage: Stage
  let witness: Witness

  beforeAll(async () => {
    stage = await makeStage(service)
    witness = await Witness.start(stage)
  })

  test.each(seeds)("[D-24] answers every client as the protocol says: seed %s", async (seed) => {
    const tally = new Tally()
    // The first of the seeds goes through the whole list, the other begins behind it.
    const from = seed === seeds[0] ? 0 : socketCases.length
    const end = socketCases.length + SocketCases
    await inOrder((index) => connectOne(stage, { seed, index }, tally), {
      from,
      atOnce: 8,
      more: (index) => index < end
    })
    expect(faultsOf(tally, seed)).toEqual([])
    expect(tally.has("close", "1003") && tally.has("sent", "msg")).toBe(true)
  })

  test("[D-48] ends rooms that are hostile, and closes their clients with a code", async () => {
    const seed = seeds[1]
    const tally = new Tally()
    // The last one of the list only waits, for ten seconds.
    await inOrder((index) => sufferOne(stage, { seed, index }, tally), {
      atOnce: 3,
      more: (index) => index < HostileWays.length - 1
    })
    expect(faultsOf(tally, seed)).toEqual([])
  })

  test("[D-14] the room beside noticed nothing, and nothing is left of the others", async () => {
    await witness.stop()
    expect(witness.says).toBeNull()
    const rooms = (): number =>
      serviceProcesses(service.pid).filter(({ kind }) => kind === "room").length
    await until("the rooms are gone", () => rooms() <= RoomsAtRest)
    const stopped = service.stop()
    expect(await witness.closed()).toBe(1012)
    expect(await stopped).toBe(0)
    const projects = { fuzzed: stage.project, hostile: stage.hostileProject }
    expect(faultsIn(service.output(), projects)).toEqual([])
  })
})

test("[D-24] most frames go to the readers: the sockets get an eighth, the hosts a thirtieth", () => {
  const { socketFrames, hostFrames, rooms } = planOf({ seed: 1, frames: 1_000_000, seconds: 1 })
  expect({ socketFrames, hostFrames, rooms }).toEqual({
    socketFrames: 120_000,
    hostFrames: 30_000,
    rooms: 125
  })
})
