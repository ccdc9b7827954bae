import { readFileSync } from "node:fs"

import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { call, deploy, makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { until } from "@atrium/domain/testing/Until"
import { MiB } from "@atrium/wire/limits/Limit"
import { afterAll, beforeAll, expect, test } from "vitest"

import { inspectable, ServiceInspector } from "../soak/ServiceInspector.ts"
import { floodOf, mostOf, newAddress } from "./FloodParts.ts"

const home = await makeHome()
let service: RunningService

beforeAll(async () => {
  service = await home.start({ env: { ...inspectable, ATRIUM_TRUSTED_PROXIES: "127.0.0.1" } })
})
afterAll(() => home.remove())

const residentMiB = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]) / 1024

/** A project whose players this test signs. */
interface Game {
  readonly project: string
  credential(player: string): string
}

const newGame = async (name: string): Promise<Game> => {
  const { url, token } = service
  const { body } = await call(url, "/v1/projects", { token, body: { name } })
  const project = String(body["id"])
  await deploy({ url, token, project }, ["rooms/boardSchema.ts"])
  const minted = await call(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
  const secret = String(minted.body["secret"])
  return { project, credential: (player) => joinCredential({ project, secret, player }) }
}

interface Asking {
  readonly project: string
  readonly identity: string
  readonly from: string
}

const queue = async ({ project, identity, from }: Asking) => {
  const headers = { "content-type": "application/json", "x-forwarded-for": from }
  const body = JSON.stringify({ project, identity })
  const answer = await fetch(`${service.url}/match`, { method: "POST", headers, body })
  const { ticket }: { ticket?: string } = Object(await answer.json())
  return { status: answer.status, ticket }
}

/** Two players of a game queue. @returns how long the first one waits for a room, in ms */
const meets = async ({ project, credential }: Game, nth: number): Promise<number> => {
  const beganMs = performance.now()
  const asked = ["a", "b"].map((player) =>
    queue({ project, identity: credential(`${player}${nth}`), from: newAddress() })
  )
  const [first, second] = await Promise.all(asked)
  expect([first?.status, second?.status]).toEqual([200, 200])
  await until("two players meet", async () => {
    const path = `/match/ticket/${first?.ticket}?project=${project}`
    const headers = { "x-forwarded-for": newAddress() }
    const answer = await fetch(`${service.url}${path}`, { headers })
    return Object(await answer.json()).status === "matched"
  })
  return performance.now() - beganMs
}

let pairs = 0

const requests = 10_000
/** Requests of the flood that are under way at once. */
const lanes = 48

interface Flood {
  readonly counts: ReadonlyMap<number, number>
  readonly seconds: number
  /** What players of another project waited beside it. */
  readonly waitsMs: ReadonlyArray<number>
}

const flood = async (calm: Game, asking: (nth: number) => Asking): Promise<Flood> => {
  let over = false
  const beside = async (): Promise<ReadonlyArray<number>> => {
    const waits: Array<number> = []
    while (!over) waits.push(await meets(calm, ++pairs))
    return waits
  }
  const waiting = beside()
  const flooded = await floodOf({ requests, lanes }, async (at) => (await queue(asking(at))).status)
  over = true
  return { ...flooded, waitsMs: await waiting }
}

test("[C-633] floods of tickets are held to their rates, and leave other projects their matches", async () => {
  const [calm, flooded, foreign] = [
    await newGame("calm"),
    await newGame("flooded"),
    await newGame("foreign")
  ]
  const { project } = flooded
  const alone = Math.max(await meets(calm, ++pairs), await meets(calm, ++pairs))
  const inside = await ServiceInspector.open(service)
  const before = (await inside.look()).heapBytes
  const [one] = [newAddress()]
  const identities = Array.from({ length: requests }, (_, nth) => flooded.credential(`p${nth}`))
  const identityOf = (nth: number): string => identities[nth] ?? ""

  const address = await flood(calm, (nth) => ({ project, identity: identityOf(nth), from: one }))
  const many = await flood(calm, (nth) => ({
    project,
    identity: identityOf(nth),
    from: newAddress()
  }))
  const nobody = foreign.credential("x")
  const strange = await flood(calm, () => ({ project, identity: nobody, from: newAddress() }))

  const resident = residentMiB()
  const after = (await inside.look()).heapBytes
  inside.close()
  const shown = Object.entries({ address, many, strange }).map(([name, { counts, ...rest }]) => ({
    name,
    counts: Object.fromEntries(counts),
    seconds: rest.seconds,
    waitMostMs: Math.max(...rest.waitsMs)
  }))
  const figures = {
    alone,
    floods: shown,
    residentMiB: resident,
    heapMiB: [before / MiB, after / MiB]
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)

  const taken = ({ counts }: Flood): number => counts.get(200) ?? 0
  expect(taken(address)).toBeLessThanOrEqual(
    mostOf(QueueLimits.matchJoinsByAddress, address.seconds)
  )
  expect(taken(many)).toBeLessThanOrEqual(mostOf(QueueLimits.matchJoins, many.seconds))
  // A player of another project is nobody, however often it asks.
  expect(taken(strange)).toBe(0)
  for (const { counts } of [address, many, strange]) {
    expect([...counts.keys()].filter((status) => ![200, 401, 429].includes(status))).toEqual([])
  }
  for (const { waitsMs } of [address, many, strange]) {
    expect(waitsMs.length).toBeGreaterThan(0)
    expect(Math.max(...waitsMs)).toBeLessThan(5000)
  }
  // Garbage does not count: V8 collects it when memory gets scarce.
  expect(after - before).toBeLessThan(50 * MiB)
})
