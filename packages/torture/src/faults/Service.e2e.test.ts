import { spawnSync } from "node:child_process"
import { existsSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"

import { keptPort } from "@atrium/api/testing/KeptPorts"
import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import { descendantsOf, signalAll, stillRunning } from "@atrium/api/testing/ProcessTree"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { spawnService } from "@atrium/api/testing/SpawnService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let home: ServiceHome
let service: RunningService
/** Every start of this file is at the same port, so that clients find the next service. */
let port = ""
const plays = [new LedgerPlay("one"), new LedgerPlay("two"), new LedgerPlay("three")]

const startAgain = (): Promise<RunningService> => home.start({ env: { PORT: port } })

/** Everybody has entered something since now, and is sure of it. */
const playGoesOn = async (): Promise<void> => {
  const before = plays.map((play) => [play.booked.size, play.stored.size] as const)
  await until("play in every room", () =>
    plays.every((play, at) => {
      const [booked, stored] = before[at] ?? [Infinity, Infinity]
      return play.booked.size > booked + 3 && play.stored.size > stored + 5
    })
  )
}

const everythingIsThere = async (): Promise<void> => {
  for (const play of plays) expect(await play.contradictions(service)).toEqual([])
}

/** Ends a service the hard way, and waits for what it had started. */
const killed = async (each: RunningService): Promise<void> => {
  const started = descendantsOf(each.pid)
  expect(started.length).toBeGreaterThan(3)
  await each.stop("SIGKILL")
  await until("an empty process tree", () => stillRunning(started).length === 0)
}

beforeAll(async () => {
  home = await makeHome("prepared")
  port = String(await keptPort())
  service = await startAgain()
  await deployLedger(service)
  await Promise.all(plays.map((play) => play.start(service, 2)))
})

afterAll(async () => {
  for (const play of plays) play.abandon()
  await home.remove()
})

it("[C-39] kill -9 of the service under load: it starts at once, its clients come back, the ledgers agree", async () => {
  await playGoesOn()
  // Started before anything of the last one is known to be gone.
  await service.stop("SIGKILL")
  service = await startAgain()
  await playGoesOn()
  await everythingIsThere()
  expect(plays.every((play) => play.drops.length >= 2)).toBe(true)
})

it(
  "[C-39] kill -9 while it starts: the next start finds nothing in its way",
  { tags: ["thorough"] },
  async () => {
    await killed(service)
    const child = spawnService({ env: { PORT: port, ATRIUM_DATA: home.dataDir } })
    const pidFile = join(home.dataDir, "postgres/cluster/postmaster.pid")
    await until("its PostgreSQL is recovering", () => existsSync(pidFile))
    child.kill("SIGKILL")
    await child.ended
    service = await startAgain()
    await playGoesOn()
    await everythingIsThere()
  }
)

it("[D-48] kill -9 while it stores its rooms: they have what they had acknowledged", async () => {
  process.kill(service.pid, "SIGTERM")
  await until("the drain", () => service.output().includes("storing rooms"))
  await service.stop("SIGKILL")
  service = await startAgain()
  await playGoesOn()
  await everythingIsThere()
})

it(
  "[C-46] a copy of the data folder as the crash left it starts, with everything acknowledged",
  { tags: ["thorough"] },
  async () => {
    // Everything dies in the same moment: nobody gets to write anything any more.
    const tree = [service.pid, ...descendantsOf(service.pid)]
    signalAll(tree, "SIGKILL")
    await until("an empty process tree", () => stillRunning(tree).length === 0)
    const copy = `${home.dataDir}.copy`
    // Owners and all, as a backup does it.
    expect(spawnSync("cp", ["-a", home.dataDir, copy]).status).toBe(0)
    rmSync(home.dataDir, { recursive: true, force: true })
    renameSync(copy, home.dataDir)
    service = await startAgain()
    await playGoesOn()
    await Promise.all(plays.map((play) => play.stop()))
    await everythingIsThere()
    // A call to a service that was gone failed, or timed out while the service started.
    const honest = new Set(["E_DISCONNECTED", "E_RPC_TIMEOUT"])
    const told = plays.flatMap((play) => [...play.failures])
    expect(told).toContain("E_DISCONNECTED")
    expect(told.filter((code) => !honest.has(code))).toEqual([])
    expect(await service.stop()).toBe(0)
  }
)
