// @module-tag thorough

import { closeSync, openSync, readdirSync, readlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { backendsOf, descendantsOf, roomProcessesOf } from "@atrium/api/testing/ProcessTree"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

/** A number that Node by itself does not look at. */
const At = 77

let folder: string
let home: ServiceHome
let service: RunningService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "atrium-inherited-"))
  const path = join(folder, "secret")
  writeFileSync(path, "of root", { mode: 0o600 })
  const fd = openSync(path, "r+")
  home = await makeHome("prepared")
  const gap = Array.from({ length: At - 3 }, () => "ignore" as const)
  service = await home.start({ inherits: [...gap, fd] })
  closeSync(fd)
})

afterAll(async () => {
  await service.stop()
  await home.remove()
  await rm(folder, { recursive: true })
})

const targetsOf = (pid: number): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)]
    } catch {
      // It was closed between the listing and the reading.
      return []
    }
  })

it.runIf(process.platform === "linux")(
  "[C-181] inherited descriptors reach neither rooms nor PostgreSQL nor the service's own code",
  async () => {
    const rooms = await until("a spare", () => {
      const pids = roomProcessesOf(service.pid)
      return pids.length > 0 && pids
    })
    expect(backendsOf(service.pid).length).toBeGreaterThan(0)
    const all = [service.pid, ...descendantsOf(service.pid)]
    const holders = all.filter((pid) => targetsOf(pid).some((path) => path.startsWith(folder)))
    expect(holders).toEqual([])
    // A room has its standard streams, its socket, and what Node's own event loops are made of.
    const strangeOf = (pid: number): ReadonlyArray<string> =>
      targetsOf(pid).filter((target) => !/^(?:pipe|socket|anon_inode):|^\/dev\/null$/.test(target))
    // What Node reads while it starts is open for a moment.
    for (const pid of rooms) await expect.poll(() => strangeOf(pid)).toEqual([])
  }
)
