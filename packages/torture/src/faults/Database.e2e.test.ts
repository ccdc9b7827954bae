import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { openEmbeddedDatabase } from "@atrium/api/testing/DatabaseSession"
import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import {
  backendsOf,
  roomProcessesOf,
  signalAll,
  standStill,
  stillRunning
} from "@atrium/api/testing/ProcessTree"
import { RawClient } from "@atrium/api/testing/RawClient"
import {
  call,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

describe("the embedded PostgreSQL", () => {
  const play = new LedgerPlay("embedded")
  let home: ServiceHome
  let service: RunningService

  const cluster = (): string => join(home.dataDir, "postgres/cluster")
  const postmaster = (): number =>
    Number.parseInt(readFileSync(join(cluster(), "postmaster.pid"), "utf8"), 10)

  const playGoesOn = async (): Promise<void> => {
    const [booked, stored] = [play.booked.size, play.stored.size]
    await until("play", () => play.booked.size > booked + 5 && play.stored.size > stored + 5)
  }

  beforeAll(async () => {
    home = await makeHome("embedded")
    service = await home.start()
    await deployLedger(service)
    await play.start(service, 2)
  })

  afterAll(async () => {
    play.abandon()
    await home.remove()
  })

  it("[C-46] writes through to the disk before it answers", async () => {
    const database = await openEmbeddedDatabase(home.dataDir)
    const rows = await database.rows(`select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes') order by name`)
    await database.close()
    expect(rows).toEqual([
      { name: "fsync", setting: "on" },
      { name: "full_page_writes", setting: "on" },
      { name: "synchronous_commit", setting: "on" }
    ])
  })

  it("[C-45] kill -9 of one of its processes: it recovers, rooms go on, the ledger agrees", async () => {
    await playGoesOn()
    const [backend] = backendsOf(service.pid)
    if (backend === undefined) throw new Error("the service has no connection")
    process.kill(backend, "SIGKILL")
    await until("its word", () => service.output().includes("was terminated by signal 9"))
    await playGoesOn()
    expect(await play.contradictions(service)).toEqual([])
    expect(play.drops).toEqual([])
  })

  it("[C-46] kill -9 of the whole of it, and of the rooms: both are back, the ledger agrees", async () => {
    const killed = postmaster()
    process.kill(killed, "SIGKILL")
    signalAll(roomProcessesOf(service.pid), "SIGKILL")
    await until("the next one", () => service.output().includes("PostgreSQL runs again"))
    await playGoesOn()
    expect(postmaster()).not.toBe(killed)
    expect(await play.contradictions(service)).toEqual([])
    // Dropped clients were asked to come back, and no failed call was reported as done.
    expect(play.drops.filter((code) => code !== 1012)).toEqual([])
    const honest = new Set(["E_DISCONNECTED", "E_ROOM_RESTARTED", "E_NOT_STORED"])
    expect([...play.failures].filter((code) => !honest.has(code))).toEqual([])
  })

  it("[C-47] a database that stands still: the door says when to come back, and the lock is taken anew", async () => {
    const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
    const timesOf = (words: string): number => service.output().split(words).length
    // It says the next outage only once the one before has ended for it.
    await until(
      "the end of the outage before",
      () => timesOf("the store does not answer") === timesOf("the store answers again")
    )
    const told = timesOf("the store does not answer")
    const back = timesOf("the store answers again")
    const stopped = postmaster()
    standStill(stopped, true)
    try {
      const address = service.url.replace(/^http/, "ws")
      const client = new RawClient(`${address}/v1/rooms/${service.project}/embedded`)
      const [, code] = await client.hello(String(identity.body["token"]), "ledger")
      expect([code, (await client.closed).code]).toEqual(["E_TENANT_WAKING", 4503])
      await until("word of it", () => timesOf("the store does not answer") > told)
    } finally {
      standStill(stopped, false)
    }
    await until("word of its end", () => timesOf("the store answers again") > back)
    await playGoesOn()
    expect(await play.contradictions(service)).toEqual([])
  })

  it("[C-49] a room that was started elsewhere meanwhile goes on from what is stored", async () => {
    const exits = service.output().split("the room's process ended").length
    const database = await openEmbeddedDatabase(home.dataDir)
    await database.rows(
      "update rooms set epoch = nextval('room_epochs') where room_id = 'embedded'"
    )
    await database.close()
    await until(
      "the end of its process",
      () => service.output().split("the room's process ended").length > exits
    )
    await playGoesOn()
    expect(await play.contradictions(service)).toEqual([])
  })

  it("[C-46] a folder that is damaged ends the service with one sentence", async () => {
    writeFileSync(join(cluster(), "global/pg_control"), "damaged")
    const drops = play.drops.length
    process.kill(postmaster(), "SIGKILL")
    await until("the end", () => stillRunning([service.pid]).length === 0)
    expect(await service.stop()).toBe(1)
    const said = service.output().split("\n").at(-2)
    expect(said).toMatch(/^atrium: The data folder \S+ is damaged: [^\n]+\.$/)
    expect(play.drops.slice(drops)).toEqual([1012, 1012])
  })
})
