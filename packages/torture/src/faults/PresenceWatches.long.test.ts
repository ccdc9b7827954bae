import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"

import { onDatabase } from "@atrium/api/testing/onDatabase"
import { board } from "@atrium/api/testing/rooms/boardSchema"
import { figure } from "@atrium/api/testing/Runners"
import { call, deploy, makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { expect, it } from "vitest"

const projects = 100
const watchesOfProject = 100
const all = projects * watchesOfProject
const lookMs = 8000

/** CPU time of the service so far, in ms. */
const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Transactions of the database so far. PostgreSQL counts them up to a second late. */
const transactions = async ({ databaseUrl }: RunningService): Promise<number> => {
  const [row] = await onDatabase<{ readonly commits: bigint }>(
    databaseUrl,
    (sql) => sql`select xact_commit as commits from pg_stat_database
      where datname = current_database()`
  )
  return Number(row?.commits)
}

/** What the service takes while nothing is asked of it. */
const rest = async (service: RunningService) => {
  const [cpu, commits, beganMs] = [
    cpuMs(service.pid),
    await transactions(service),
    performance.now()
  ]
  await until("the time has passed", () => performance.now() - beganMs > lookMs)
  const tookMs = performance.now() - beganMs
  return {
    corePercent: (100 * (cpuMs(service.pid) - cpu)) / tookMs,
    commitsPerSecond: (1000 * ((await transactions(service)) - commits)) / tookMs
  }
}

/** A watch on a connection of its own. */
class Watch {
  text = ""
  readonly socket: Socket

  constructor(url: string, path: string) {
    const { hostname, port } = new URL(url)
    this.socket = connect(Number(port), hostname)
    this.socket.on("error", () => undefined)
    this.socket.setEncoding("utf8").on("data", (text: string) => (this.text += text))
    this.socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`)
  }
}

it("[C-562] 10,000 watches over 100 projects wait on timers alone, and hear of a change within a second", async () => {
  const home = await makeHome()
  try {
    const service = await home.start({
      env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1", ATRIUM_NEW_PLAN: "card" }
    })
    const { url, token, pid } = service
    const ids: Array<string> = []
    for (let at = 0; at < projects; at++) {
      const { body } = await call(url, "/v1/projects", { token, body: { name: `p${at}` } })
      ids.push(String(body["id"]))
    }
    const [first = ""] = ids
    await deploy({ url, token, project: first }, ["rooms/boardSchema.ts"])
    const minted = await call(url, "/v1/identity", { body: { project: first } })
    const player = String(minted.body["playerId"])
    const query = `players=${player},other`
    const { body: now } = await call(url, `/v1/presence?project=${first}&${query}`)
    const idle = await rest(service)
    const before = residentMiB(pid)

    const waiting = () => figure(service, "atrium_presence_watches")
    const pathOf = (project: string): string =>
      `/v1/presence?project=${project}&${query}&wait=30&cursor=${String(now["cursor"])}`
    const begunMs = performance.now()
    const watches: Array<ReadonlyArray<Watch>> = []
    for (const id of ids) {
      watches.push(Array.from({ length: watchesOfProject }, () => new Watch(url, pathOf(id))))
      await until(`the first ${watches.length * watchesOfProject} wait`, async () => {
        if ((await waiting()) === watches.length * watchesOfProject) return true
        const answered = watches.flat().find(({ text }) => text !== "")
        if (answered !== undefined) throw new Error(answered.text)
        return false
      })
    }
    const waitMs = performance.now() - begunMs
    const busy = await rest(service)
    const after = residentMiB(pid)
    expect(await waiting()).toBe(all)

    const told = watches[0] ?? []
    const client = new Client(url, { project: first, token: String(minted.body["token"]) })
    const joinedMs = performance.now()
    await client.joinOrCreate(board, { roomId: "den" })
    const welcomedMs = performance.now()
    await until("the watches hear", () => told.every(({ text }) => text.includes('"den"')))
    const heardMs = performance.now() - welcomedMs
    expect(await waiting()).toBe(all - watchesOfProject)

    // Half of the others leave, and the rest are told at the end of the runner.
    const others = watches.slice(1).flat()
    const left = others.slice(0, others.length / 2)
    for (const { socket } of left) socket.destroy()
    await until("those that left are gone", async () => {
      const now = await waiting()
      return now <= others.length - left.length
    })
    const stoppedMs = performance.now()
    const stopping = service.stop()
    const rests = others.slice(others.length / 2)
    await until("the rest are answered", () => rests.every(({ text }) => text.includes(" 200 OK")))
    const drainedMs = performance.now() - stoppedMs
    expect(await stopping).toBe(0)
    const figures = {
      waitMs,
      idle,
      busy,
      residentMiB: [before, after],
      joinMs: welcomedMs - joinedMs,
      heardMs,
      drainedMs
    }
    process.stdout.write(`${JSON.stringify(figures)}\n`)
    expect(heardMs).toBeLessThan(1000)
    // A look at the database for each of them in their 30 seconds would be 333 a second.
    expect(busy.commitsPerSecond - idle.commitsPerSecond).toBeLessThan(10)
    expect(busy.corePercent - idle.corePercent).toBeLessThan(10)
  } finally {
    await home.remove()
  }
})
