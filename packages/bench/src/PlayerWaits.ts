import { setTimeout as sleep } from "node:timers/promises"

import { lounge } from "@atrium/api/testing/load/rooms/BenchSchemas"
import type { BenchService, HelperChild } from "@atrium/api/testing/load/Servers"
import { median } from "@atrium/api/testing/load/Statistics"
import { call } from "@atrium/api/testing/RunningService"
import { Client } from "@atrium/sdk/client"
import { top } from "@atrium/sdk/leaderboard"
import { watchPresence } from "@atrium/sdk/presence"

import type { Bench } from "./Bench.ts"
import type { Figure } from "./Figure.ts"

/** The parts of W7 that a client waits for: each is done one after another, and has a time. */
interface WaitParts {
  readonly bench: Bench
  readonly service: BenchService
  readonly reference: HelperChild
}

interface WaitSize {
  readonly waits: number
  readonly rounds: number
}

interface Wait {
  readonly says: string
  /** Of `PlayerReferenceChild.ts`, which answers with the median of its times in ms. */
  readonly order: string
  readonly weakness: string
  /** One of them, in ms. */
  once(): Promise<number>
  /** Leaves what it has joined: a client that is there when the service ends would try to come back. */
  end(): Promise<void>
}

export const playerWaits = async (
  parts: WaitParts,
  size: WaitSize
): Promise<ReadonlyArray<Figure>> => [
  await waited(parts, size, boardRead(parts)),
  await waited(parts, size, await presenceWatch(parts)),
  await waited(parts, size, placeInQueue(parts)),
  await waited(parts, size, match(parts))
]

const waited = async (
  { bench, reference }: WaitParts,
  { waits, rounds }: WaitSize,
  { says, order, weakness, once, end }: Wait
): Promise<Figure> => {
  const [atrium, raw]: [Array<number>, Array<number>] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    bench.progress(`W7: ${says}, round ${round} of ${rounds}`)
    reference.write(`${order} 1 ${waits} ${round}`)
    const rawMs = Number(await reference.line())
    const each: Array<number> = []
    for (let wait = 0; wait < waits; wait++) each.push(await once())
    // The first ones warm the code up.
    if (round === 0) continue
    atrium.push(median(each))
    raw.push(rawMs)
  }
  await end()
  const beside = { name: "plain pg", rounds: raw, weakness }
  return { name: `${says}, p50`, unit: "ms", rounds: atrium, reference: beside, goal: null }
}

/** The board to which `clerk` submits. */
export const declareBoard = async ({ url, token, project }: BenchService): Promise<void> => {
  const body = { name: "bench", boards: { race: { direction: "higher" } } }
  const answer = await call(url, `/v1/projects/${project}`, { token, method: "PATCH", body })
  if (answer.status !== 200) throw new Error(`no board: ${JSON.stringify(answer.body)}`)
}

/** The first ten of the board over HTTP. */
const boardRead = ({ service: { url, project } }: WaitParts): Wait => {
  const client = new Client(url, { project })
  return {
    says: "boards: read of the first 10",
    order: "boardRead",
    weakness: "it reads; there is no HTTP",
    once: async () => {
      const startedAtMs = performance.now()
      const { rows } = await top(client, "race")
      if (rows.length !== 10) throw new Error(`the board has ${rows.length} scores`)
      return performance.now() - startedAtMs
    },
    end: async () => {}
  }
}

/** From the start of a join until somebody who watches the player hears of it. */
const presenceWatch = async ({ service }: WaitParts): Promise<Wait> => {
  const { project, url } = service
  const clientOf = (player: string) =>
    new Client(url, { project, token: service.credential(player) })
  // It keeps the room awake.
  const host = await clientOf("host").joinOrCreate(lounge, { roomId: "lounge" })
  let players = 0
  return {
    says: "presence: a join, until a watch hears of it",
    order: "watch",
    weakness: "it writes a row and notifies; nobody joins",
    once: () => {
      players += 1
      return heardAfterMs(clientOf(`watched ${players}`), `watched ${players}`)
    },
    end: () => host.leave()
  }
}

const queueingOf = ({ service: { url, project, credential } }: WaitParts) => {
  let players = 0
  return async (): Promise<string> => {
    players += 1
    const body = { project, identity: credential(`queued ${players}`) }
    const answer = await call(url, "/match", { body })
    if (answer.status !== 200) throw new Error(`no ticket: ${JSON.stringify(answer.body)}`)
    return String(answer.body["ticket"])
  }
}

/** A ticket over HTTP. */
const placeInQueue = (parts: WaitParts): Wait => {
  const queue = queueingOf(parts)
  return {
    says: "match: a ticket",
    order: "ticket",
    weakness: "it inserts a row; there is no HTTP",
    once: async () => {
      const startedAtMs = performance.now()
      await queue()
      return performance.now() - startedAtMs
    },
    end: async () => {}
  }
}

/** How often a player of the bench asks where its ticket stands. */
const pollMs = 50

/** Two players queue, until the ticket of the first says which room. */
const match = (parts: WaitParts): Wait => {
  const queue = queueingOf(parts)
  const { url, project } = parts.service
  return {
    says: "match: two players, until both have a room",
    order: "match",
    weakness: "it matches at once; a queue passes over its tickets once a second",
    once: async () => {
      const startedAtMs = performance.now()
      const ticket = await queue()
      await queue()
      for (;;) {
        const { body } = await call(url, `/match/ticket/${ticket}?project=${project}`)
        if (body["status"] === "matched") return performance.now() - startedAtMs
        if (body["status"] !== "waiting") throw new Error(`no match: ${JSON.stringify(body)}`)
        await sleep(pollMs)
      }
    },
    end: async () => {}
  }
}

const heardAfterMs = async (client: Client, player: string): Promise<number> => {
  let watches: () => void = () => undefined
  let hears: (atMs: number) => void = () => undefined
  const watching = new Promise<void>((resolve) => (watches = resolve))
  const heard = new Promise<number>((resolve) => (hears = resolve))
  const stop = watchPresence(client, [player], {
    onChange: ([there]) => (there?.roomId === "lounge" ? hears(performance.now()) : watches())
  })
  await watching
  const startedAtMs = performance.now()
  const room = await client.joinOrCreate(lounge, { roomId: "lounge" })
  const ms = (await heard) - startedAtMs
  stop()
  await room.leave()
  return ms
}
