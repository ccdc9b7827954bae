// @module-tag thorough

import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { makeGivenPostgres, startOnPostgres } from "@atrium/api/testing/GivenPostgres"
import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import { figureIn, metricsText } from "@atrium/api/testing/Runners"
import type { RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

/** A file system of its own that is really full: it takes root to mount one. */
let disk: string
let service: RunningService
let remove: () => Promise<void>
const play = new LedgerPlay("full")

beforeAll(async () => {
  disk = mkdtempSync(join(tmpdir(), "atrium-disk-"))
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m,mode=0755", "none", disk])
  ;({ service, remove } = await startOnPostgres(await makeGivenPostgres(disk)))
  await deployLedger(service)
  await play.start(service, 1)
})

afterAll(async () => {
  play.abandon()
  await remove()
  execFileSync("umount", ["-l", disk])
  rmSync(disk, { recursive: true, force: true })
})

const fill = (path: string): void => {
  const file = openSync(path, "w")
  try {
    for (let size = 1024 * 1024; size >= 512;) {
      try {
        writeSync(file, Buffer.alloc(size))
      } catch {
        size /= 2
      }
    }
  } finally {
    closeSync(file)
  }
}

const ready = async (): Promise<number> => (await fetch(`${service.url}/ready`)).status
const writable = async (): Promise<number | null> =>
  figureIn(await metricsText(service), "atrium_store_writable")

it("[C-214] a full disk: /ready says 503, the log says it once, rooms go on, and all is stored when there is space", async () => {
  await until("some play", () => play.booked.size > 5)
  expect([await ready(), await writable()]).toEqual([200, 1])
  const filler = join(disk, "filler")
  fill(filler)
  await until("not ready", async () => (await ready()) === 503)
  expect(await (await fetch(`${service.url}/ready`)).json()).toEqual({
    error: { code: "E_NOT_READY", message: "the store takes no writes: its disk may be full" }
  })
  expect(await writable()).toBe(0)
  const notes = play.notes
  await until("play in memory", () => play.notes > notes + 20)
  const told = () =>
    service
      .output()
      .split("\n")
      .filter((line) => line.includes("the store takes no writes"))
  expect(told()).toHaveLength(1)
  expect(told()[0]).toContain("No space left on device")

  rmSync(filler)
  await until("ready", async () => (await ready()) === 200)
  const booked = play.booked.size
  await until("durable play", () => play.booked.size > booked + 5)
  expect(await writable()).toBe(1)
  await until("the line in the log", () =>
    /the store takes writes again, after \d+ ms/.test(service.output())
  )
  expect(await play.contradictions(service)).toEqual([])
  expect(play.drops).toEqual([])
})
