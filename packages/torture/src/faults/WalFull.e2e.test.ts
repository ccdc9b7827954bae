// @module-tag thorough

import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import {
  type GivenPostgres,
  makeGivenPostgres,
  startOnPostgres
} from "@atrium/api/testing/GivenPostgres"
import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import type { RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

/** A file system of its own for PostgreSQL's log alone: it takes root to mount one. */
let wal: string
let database: GivenPostgres
let service: RunningService
let remove: () => Promise<void>
const play = new LedgerPlay("wal")
const MiB = 1024 * 1024

beforeAll(async () => {
  database = await makeGivenPostgres()
  await database.kill()
  wal = join(database.folder, "pg_wal")
  const { uid, gid } = statSync(wal)
  const kept = mkdtempSync(join(tmpdir(), "atrium-wal-"))
  const copy = (from: string, to: string): void => {
    cpSync(from, to, { recursive: true, preserveTimestamps: true })
  }
  copy(wal, kept)
  const options = `size=96m,mode=0700,uid=${uid},gid=${gid}`
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "none", wal])
  copy(kept, wal)
  execFileSync("chown", ["-R", `${uid}:${gid}`, wal])
  rmSync(kept, { recursive: true })
  await database.start()
  ;({ service, remove } = await startOnPostgres(database))
  await deployLedger(service)
  await play.start(service, 1)
})

afterAll(async () => {
  play.abandon()
  execFileSync("umount", ["-l", wal])
  await remove()
})

const ready = async (): Promise<number> => (await fetch(`${service.url}/ready`)).status

/** Leaves PostgreSQL's log no place, and makes it long enough to need some. */
const fill = async (filler: string): Promise<void> => {
  const free = Number(
    execFileSync("df", ["--output=avail", "--block-size=1", wal]).toString().split("\n")[1]
  )
  writeFileSync(filler, Buffer.alloc(free))
  for (let at = 0; at < 16; at++) {
    const wrote = await onDatabase(
      database.url,
      (sql) =>
        sql`select pg_logical_emit_message(true, 'filler', repeat('x', ${8 * MiB}))::text as at`
    ).then(
      () => true,
      () => false
    )
    if (!wrote) return
  }
  throw new Error("PostgreSQL found place for its log")
}

it("[C-214] a full disk of pg_wal alone: PostgreSQL ends, the service waits for it, nothing acknowledged is lost", async () => {
  await until("some play", () => play.booked.size > 5)
  expect(await ready()).toBe(200)
  const filler = join(wal, "filler")
  await fill(filler)
  await until("not ready", async () => (await ready()) === 503)
  await database.ended()
  const notes = play.notes
  await until("play in memory", () => play.notes > notes + 20)
  await until("the line in the log", () => /the store does not answer \(/.test(service.output()))
  // Without place it does not come up either.
  await expect(database.start()).rejects.toThrow(/No space left on device/)

  rmSync(filler)
  await database.start()
  await until("ready", async () => (await ready()) === 200)
  const booked = play.booked.size
  await until("durable play", () => play.booked.size > booked + 5)
  await until("the line in the log", () =>
    /the store answers again, after \d+ ms/.test(service.output())
  )
  expect(await play.contradictions(service)).toEqual([])
  expect(play.drops).toEqual([])
})
