import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { match } from "@atrium/sdk/match"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { ticTacToe } from "../../../../examples/tic-tac-toe/schema.ts"
import { makeTestDatabase, type TestDatabase } from "../../../../scripts/makeTestDatabase.ts"
import { descendantsOf, signalAll, stillRunning } from "../testing/ProcessTree.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { singleChanged } from "../testing/rooms/singleChanged.ts"
import { single } from "../testing/rooms/singleSchema.ts"
import {
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { oneSentence, refusedStart } from "../testing/SpawnService.ts"

/** A shutdown of a service whose own PostgreSQL stands still: nothing can be stored or end well. */
const hangingShutdown = async () => {
  const embedded = await makeHome("prepared")
  const service = await embedded.start()
  const client = new Client(service.url, { project: service.project, reconnectForMs: 0 })
  const room = await client.joinOrCreate(probe, { roomId: "stuck" })
  await room.request("add", { by: 1 })
  const started = descendantsOf(service.pid)
  const frozen = started.filter((pid) => commandOf(pid).includes("postgres"))
  signalAll(frozen, "SIGSTOP")
  const signalledAt = performance.now()
  const code = await service.stop("SIGTERM")
  const tookMs = performance.now() - signalledAt
  signalAll(frozen, "SIGCONT")
  await until("an empty process tree", () => stillRunning(started).length === 0)
  await embedded.remove()
  return { code, tookMs }
}

// It stands still for half a minute: the other tests run meanwhile.
let hung: ReturnType<typeof hangingShutdown>
beforeAll(() => {
  hung = hangingShutdown()
  // Its own test tells of a failure.
  hung.catch(() => undefined)
})

const running = sharedService()

describe("a start that cannot be", () => {
  let database: TestDatabase
  let folder: string

  beforeAll(async () => {
    database = await makeTestDatabase()
    folder = await mkdtemp(join(tmpdir(), "atrium-start-"))
  })

  afterAll(async () => {
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  it("[D-50] a taken port: one sentence that names it, exit 1", async () => {
    const holder = createServer().listen(0, "127.0.0.1")
    await once(holder, "listening")
    const address = holder.address()
    const port = address !== null && typeof address === "object" ? String(address.port) : ""
    const { code, errors } = await refusedStart({ PORT: port, ATRIUM_DATA: folder })
    holder.close()
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain(`Port ${port} is taken`)
  })

  it("[D-50] an unreachable database: one sentence without the password, exit 1", async () => {
    const { code, errors } = await refusedStart({
      ATRIUM_DATA: folder,
      DATABASE_URL: "postgres://owner:hush@127.0.0.1:1/rooms"
    })
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain("127.0.0.1:1/rooms does not answer")
    expect(errors).not.toContain("hush")
  })

  it("[D-50] [C-27] a second service on the same database: one sentence, exit 1", async () => {
    const inUse = { ATRIUM_DATA: folder, DATABASE_URL: running.databaseUrl }
    const { code, errors } = await refusedStart(inUse)
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain("Another Atrium runs on this database")
    const oneOfSeveral = await refusedStart({ ...inUse, ATRIUM_RUNNER_ADDRESS: "127.0.0.1:1" })
    expect([oneOfSeveral.code, oneOfSeveral.errors]).toEqual([
      1,
      expect.stringMatching(oneSentence)
    ])
    expect(oneOfSeveral.errors).toContain("An Atrium without ATRIUM_RUNNER_ADDRESS runs")
  })

  it("[D-50] a bad setting: one sentence that names it without its value, exit 1", async () => {
    const { code, errors } = await refusedStart({
      ATRIUM_DATA: folder,
      ATRIUM_BOOTSTRAP_TOKEN: "ct_short"
    })
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain("ATRIUM_BOOTSTRAP_TOKEN")
    expect(errors).not.toContain("ct_short")
  })

  it("[D-50] a malformed master key ends the start with one sentence and exit code 1", async () => {
    const damaged = await mkdtemp(join(tmpdir(), "atrium-key-"))
    await writeFile(join(damaged, "master.key"), "not a key")
    const { code, errors } = await refusedStart({
      ATRIUM_DATA: damaged,
      DATABASE_URL: database.url
    })
    await rm(damaged, { recursive: true, force: true })
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain("master.key")
  })
})

const answers = (room: ClientRoom<typeof probe>): Promise<boolean> =>
  room.request("add", { by: 0 }, { timeoutMs: 200 }).then(
    () => true,
    () => false
  )

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
  } catch {
    return ""
  }
}

describe("the embedded service", () => {
  it("[D-50] shows its token once, has a demo to join, keeps its data, and leaves no process behind", async () => {
    const home = await makeHome("embedded")
    const first = await home.start()
    // The last line is for programs: nothing comes after it.
    expect(first.output().endsWith(`\nready ${first.url}\n`)).toBe(true)
    expect(first.token).toMatch(/^ct_[A-Za-z0-9_-]{43}$/)
    const demo = /^ +project +(p_[0-9a-f]{16}) \(demo: arena, tic-tac-toe\)$/m.exec(
      first.output()
    )?.[1]
    const player = new Client(first.url, { project: demo ?? "", reconnectForMs: 0 })
    const game = await player.joinOrCreate(ticTacToe)
    expect(await game.request("sit", {})).toEqual({ mark: "x" })
    // Two strangers who look for a game meet at a table of their own.
    const strangers = [1, 2].map(() =>
      match(new Client(first.url, { project: demo ?? "", reconnectForMs: 0 }), ticTacToe)
    )
    const [ann, bob] = await Promise.all(strangers)
    expect([ann?.id === bob?.id, ann?.id === game.id]).toEqual([true, false])

    const second = await refusedStart({ ATRIUM_DATA: home.dataDir })
    expect([second.code, second.errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(second.errors).toContain("in use")

    const started = descendantsOf(first.pid)
    expect(await first.stop()).toBe(0)
    expect(stillRunning([first.pid, ...started])).toEqual([])

    const again = await home.start()
    expect(again.output()).toContain(String(demo))
    expect(again.output()).not.toContain("login token")
    const room = await new Client(again.url, { project: demo ?? "" }).join(ticTacToe)
    expect([...room.state.seats].map((seat) => seat.mark)).toEqual(["x"])
    room.leave()
    const startedAgain = descendantsOf(again.pid)
    await again.stop("SIGKILL")
    await until("an empty process tree", () => stillRunning(startedAgain).length === 0)
    await home.remove()
  })

  it("[preRelease.hibernated-discarded-at-wake] in the project dev a breaking schema deploys, and its rooms start cold", async () => {
    const home = await makeHome("prepared")
    const service = await home.start()
    const dev = { ...service, project: "dev" }
    expect((await deploy(dev, ["rooms/single.ts"])).status).toBe(201)
    const client = new Client(service.url)
    const before = await client.joinOrCreate(single)
    expect(await before.request("knock", {})).toEqual({ knocks: 1 })
    await before.leave()
    expect((await deploy(dev, ["rooms/singleChanged.ts"])).status).toBe(201)
    const after = await until("the room on the new version", () =>
      client.joinOrCreate(singleChanged).then(
        (room) => room,
        () => null
      )
    )
    expect(await after.request("knock", {})).toEqual({ knocks: "!" })
    await after.leave()
    // Nowhere else: what is stored there is somebody's.
    expect((await deploy(service, ["rooms/singleChanged.ts"])).status).toBe(409)
    expect(await service.stop()).toBe(0)
    await home.remove()
  })
})

describe("the end of the service", () => {
  let home: ServiceHome
  let left: RunningService | null = null

  beforeAll(async () => {
    home = await makeHome()
  })

  afterAll(async () => {
    await home.remove()
  })

  /** What the test before has left running, or a new start. */
  const takeOver = async (): Promise<RunningService> => {
    const service = left ?? (await home.start())
    left = null
    return service
  }

  it("[D-48] SIGTERM in the middle of play loses nothing that was answered; clients return to the next start; no process is left", async () => {
    const service = await takeOver()
    const { url, project } = service
    const stays = new Client(url, { project, reconnectForMs: 60_000 })
    const calm = await stays.joinOrCreate(probe, { roomId: "in-play" })
    await calm.request("add", { by: 1234 })
    const client = new Client(url, { project, reconnectForMs: 0 })
    const rooms = await Promise.all(
      ["busy-1", "busy-2", "busy-3"].map((roomId) => client.joinOrCreate(probe, { roomId }))
    )
    const answered = new Map(rooms.map((room) => [room.id, 0]))
    let playing = true
    const play = async (room: (typeof rooms)[number]): Promise<void> => {
      while (playing) {
        const value = await room.request("add", { by: 1 }).then(
          (answer) => answer.value,
          () => null
        )
        if (value === null) return
        answered.set(room.id, value)
      }
    }
    const played = rooms.flatMap((room) => Array.from({ length: 8 }, () => play(room)))
    await until("some play", () => [...answered.values()].every((value) => value > 200))
    const started = descendantsOf(service.pid)
    expect(started.length).toBeGreaterThan(0)
    expect(await service.stop("SIGTERM")).toBe(0)
    expect(stillRunning([service.pid, ...started])).toEqual([])
    playing = false
    await Promise.all(played)

    const again = await home.start({ env: { PORT: new URL(url).port } })
    await until("the client's return", () => calm.connected && calm.state.counter.value === 1234)
    expect(await calm.request("add", { by: 1 })).toEqual({ value: 1235 })
    calm.leave()
    for (const [roomId, value] of answered) {
      const back = await new Client(again.url, { project }).joinById(roomId, probe)
      expect(back.state.counter.value).toBeGreaterThanOrEqual(value)
      await back.leave()
    }
    left = again
  })

  it("[D-50] one Ctrl-C that arrives twice is one signal: the rooms are stored", async () => {
    const service = await takeOver()
    const client = new Client(service.url, { project: service.project, reconnectForMs: 0 })
    const room = await client.joinOrCreate(probe, { roomId: "twice" })
    await room.request("add", { by: 77 })
    process.kill(service.pid, "SIGINT")
    expect(await service.stop("SIGINT")).toBe(0)
    const again = await home.start()
    const back = await new Client(again.url, { project: again.project }).joinById("twice", probe)
    expect(back.state.counter.value).toBe(77)
    await back.leave()
    left = again
  })

  it("[D-50] a second signal ends it at once, whatever the shutdown waits for", async () => {
    const service = await takeOver()
    const client = new Client(service.url, { project: service.project, reconnectForMs: 0 })
    await client.joinOrCreate(probe, { roomId: "hurry" })
    const started = descendantsOf(service.pid)
    const rooms = started.filter((pid) => commandOf(pid).includes("--permission"))
    expect(rooms.length).toBeGreaterThan(0)
    // Rooms that stand still cannot hand over their state: the drain waits for them.
    signalAll(rooms, "SIGSTOP")
    process.kill(service.pid, "SIGTERM")
    await until("the first signal's word", () => service.output().includes("storing rooms"))
    const toldAt = performance.now()
    await until("more than an echo", () => performance.now() - toldAt > 600)
    expect(await service.stop("SIGTERM")).toBe(130)
    signalAll(rooms, "SIGCONT")
    await until("an empty process tree", () => stillRunning(started).length === 0)
  })

  it("[D-50] a shutdown that hangs is ended", async () => {
    const { code, tookMs } = await hung
    expect(code).toBe(1)
    expect(tookMs).toBeLessThan(29_000)
  })

  it("[D-50] a room that loops for ever does not outlive a service that is killed", async () => {
    const service = await takeOver()
    const client = new Client(service.url, { project: service.project, reconnectForMs: 0 })
    const room = await client.joinOrCreate(probe, { roomId: "spinning" })
    const started = descendantsOf(service.pid)
    const rooms = started.filter((pid) => commandOf(pid).includes("--permission"))
    void room.request("spin", {}).catch(() => undefined)
    // It answers nothing any more; the ping that would end it is still to come.
    await until("the loop", async () => !(await answers(room)))
    expect(stillRunning(rooms).length).toBeGreaterThan(0)
    await service.stop("SIGKILL")
    await until("an empty process tree", () => stillRunning(started).length === 0)
  })
})
