import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { bundleRooms } from "@atrium/sdk/bundle"
import { Client } from "@atrium/sdk/client"
import { pack, unpack } from "msgpackr"

import { echo } from "./measure/echo.ts"
import { echoFrame, type FanOut, fanOut, plainFrame, type Target } from "./measure/fanOut.ts"

// node scripts/measure.ts: what a message, a join, a wake and a start cost, beside plain `ws` in the
// same run. Ratios count; the absolute figures are those of the machine and the moment.

const here = fileURLToPath(new URL(".", import.meta.url))
const load = { clients: 32, perSecond: 20, seconds: 5 }
const joins = 20

interface Started {
  readonly child: ChildProcess
  readonly output: string
  readonly ms: number
}

const start = async (
  file: string,
  ready: RegExp,
  env: Record<string, string> = {}
): Promise<Started> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [join(here, file)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env }
  })
  let output = ""
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (ready.test(output)) break
  }
  return { child, output, ms: performance.now() - startedAt }
}

const stop = async ({ child }: Started): Promise<void> => {
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

const deploy = async (url: string, token: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const made = await fetch(`${url}/v1/projects`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name: "measure" })
  })
  const { id }: { id: string } = JSON.parse(await made.text())
  const bundle = await bundleRooms({ entries: ["measure/echo.ts"], resolveDir: here })
  const answer = await fetch(`${url}/v1/projects/${id}/deployments`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/javascript" },
    body: new Uint8Array(bundle.bytes)
  })
  if (answer.status !== 201) throw new Error(await answer.text())
  return id
}

const measureJoins = async (url: string, project: string) => {
  const client = new Client(url, { project })
  const times: Record<"fresh" | "hot" | "wake", Array<number>> = { fresh: [], hot: [], wake: [] }
  const timed = async (into: Array<number>, roomId: string): Promise<void> => {
    const startedAt = performance.now()
    const room = await client.joinOrCreate(echo, { roomId })
    into.push(performance.now() - startedAt)
    await room.request("add", {})
    await room.leave()
  }
  await timed([], "warm-up")
  const keeper = await client.joinOrCreate(echo, { roomId: "hot" })
  for (let index = 0; index < joins; index++) {
    await timed(times.hot, "hot")
    await timed(times.fresh, `fresh-${index}`)
    // The spare process is made in the background; a wake right after a start would measure that.
    await new Promise((resolve) => setTimeout(resolve, 400))
    await timed(times.wake, `fresh-${index}`)
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  await keeper.leave()
  return times
}

const serviceTarget = async (url: string, project: string, pid: number): Promise<Target> => {
  const minted = await fetch(`${url}/v1/identity`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ project })
  })
  const { token }: { token: string } = JSON.parse(await minted.text())
  return {
    name: "atrium",
    pid,
    url: `${url.replace("http", "ws")}/v1/rooms/${project}/fan-out`,
    greeting: pack([1, token, "steady-echo"]),
    frame: echoFrame,
    stampOf: (data) => {
      if (data[1] !== 18) return null
      const record: Buffer = unpack(data)[2]
      return record.readDoubleLE(1)
    }
  }
}

const rawTarget = (port: string, pid: number): Target => ({
  name: "ws",
  pid,
  url: `ws://127.0.0.1:${port}`,
  greeting: null,
  frame: plainFrame,
  stampOf: (data) => data.readDoubleLE(0)
})

const dataDir = await mkdtemp(join(tmpdir(), "atrium-measure-"))
const env = { PORT: "0", ATRIUM_DATA: dataDir, DATABASE_URL: "" }
const ready = /^ready (\S+)$/m
const first = await start("../packages/api/src/main.ts", ready, env)
await stop(first)
const service = await start("../packages/api/src/main.ts", ready, env)
const url = ready.exec(service.output)?.[1] ?? ""
const token = /^ +(ct_\S+)$/m.exec(first.output)?.[1] ?? ""
const project = await deploy(url, token)
const raw = await start("measure/rawServer.ts", /\n/)

const times = await measureJoins(url, project)
const ofService = await serviceTarget(url, project, service.child.pid ?? 0)
const ofRaw = rawTarget(raw.output.trim(), raw.child.pid ?? 0)
const rows: Array<readonly [string, FanOut]> = []
for (let round = 0; round < 3; round++) {
  rows.push([ofRaw.name, await fanOut(ofRaw, load)])
  rows.push([ofService.name, await fanOut(ofService, load)])
}
await stop(service)
await stop(raw)
await rm(dataDir, { recursive: true, force: true })

const of = (name: string, pick: (row: FanOut) => number): number =>
  median(rows.filter(([row]) => row === name).map(([, row]) => pick(row)))
const ratio =
  of("atrium", (row) => row.deliveriesPerCpuSecond) / of("ws", (row) => row.deliveriesPerCpuSecond)
const lines = [
  `first start to ready     ${first.ms.toFixed(0)} ms`,
  `later start to ready     ${service.ms.toFixed(0)} ms`,
  `join a new room          ${median(times.fresh).toFixed(1)} ms (median of ${joins})`,
  `join a room in memory    ${median(times.hot).toFixed(1)} ms`,
  `wake a sleeping room     ${median(times.wake).toFixed(1)} ms`,
  `deliveries per CPU second, ${load.clients} clients × ${load.perSecond}/s to all:`,
  `  ws       ${of("ws", (row) => row.deliveriesPerCpuSecond)}   p50 ${of("ws", (row) => row.p50Ms).toFixed(2)} ms`,
  `  atrium   ${of("atrium", (row) => row.deliveriesPerCpuSecond)}   p50 ${of("atrium", (row) => row.p50Ms).toFixed(2)} ms   ${ratio.toFixed(2)} × ws`
]
process.stdout.write(`${lines.join("\n")}\n`)
