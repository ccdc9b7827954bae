import { mappedBytesOf, memoryOf } from "@atrium/actors/process/ProcessMemory"
import { roomProcessesOf } from "@atrium/api/testing/ProcessTree"
import { makeHome } from "@atrium/api/testing/RunningService"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { MiB } from "@atrium/wire/limits/Limit"
import { expect, it } from "vitest"

import { marbles } from "../examples/marbles/schema.ts"

const ceilingMiB = 64
/** The most that the service lets a room have for a moment. */
const hardMiB = 2 * ceilingMiB + RoomProcessLimits.roomMemorySlack.max / MiB
/** Twenty seconds. */
const playedTicks = 600
/** A second, in which every kind of step has been made. */
const compiledTicks = 30

/** The memory of processes of rooms that have a world of physics, in MiB. */
const worldsOf = (servicePid: number) =>
  roomProcessesOf(servicePid).flatMap((pid) => {
    const [used, mapped] = [memoryOf(pid), mappedBytesOf(pid, true)]
    if (used === null || mapped === null || mapped.wasmBytes === 0) return []
    const codeMiB = mapped.codeBytes / MiB
    return [{ pid, codeMiB, otherMiB: used.anonBytes / MiB - codeMiB }]
  })

it("[C-875] a room of marbles with four who play holds within the 64 MiB of a standard room, code and its first second apart", async () => {
  const home = await makeHome("prepared")
  const service = await home.start()
  const page = await (await fetch(`${service.url}/play/marbles`)).text()
  const [, project = ""] = /<meta name="atrium-project" content="([^"]+)"/.exec(page) ?? []
  const join = () =>
    new Client(service.url, { project, identity: "tab" }).joinOrCreate(marbles, { roomId: "disc" })
  const rooms = await Promise.all([join(), join(), join(), join()])
  const [first] = rooms
  const tickNow = (): number => first.state.game.tick
  // V8 compiles the physics at the first steps, and takes some 60 MiB more for a moment: C-865.
  let firstMiB = 0
  await until("the first steps are done", () => {
    firstMiB = Math.max(firstMiB, ...worldsOf(service.pid).map(({ otherMiB }) => otherMiB))
    return tickNow() >= compiledTicks
  })
  const beganTick = tickNow()
  const most = { codeMiB: 0, otherMiB: 0 }
  const pids = new Set<number>()
  let seq = 0
  await until("they have played", () => {
    seq++
    for (const [place, room] of rooms.entries()) {
      const [x, z] = [Math.sin(seq + place), Math.cos(seq * place)]
      room.send("steer", { seq, tick: tickNow(), x, z })
      room.send("shoot", { tick: tickNow(), x, z })
    }
    for (const { pid, codeMiB, otherMiB } of worldsOf(service.pid)) {
      pids.add(pid)
      most.codeMiB = Math.max(most.codeMiB, codeMiB)
      most.otherMiB = Math.max(most.otherMiB, otherMiB)
    }
    return tickNow() - beganTick >= playedTicks
  })
  expect(firstMiB).toBeLessThan(hardMiB)
  const text = Object.entries(most).map(([name, mib]) => `${name} ${mib.toFixed(0)}`)
  process.stdout.write(`marbles with four players: ${text.join(", ")}\n`)
  // The same process from the beginning to the end: none was ended for its memory.
  expect(pids.size).toBe(1)
  expect(most.otherMiB).toBeGreaterThan(0)
  expect(most.otherMiB).toBeLessThan(ceilingMiB)
  await home.remove()
})
