// @module-tag thorough

import { type DatabaseSession, openSession } from "@atrium/api/testing/DatabaseSession"
import { type GivenPostgres, makeGivenPostgres } from "@atrium/api/testing/GivenPostgres"
import { figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let database: GivenPostgres
let session: DatabaseSession
let home: ServiceHome
let runners: ReadonlyArray<RunningService> = []
let project = ""

const queues = ["q0", "q1", "q2", "q3", "q4", "q5"]
/** In it one player waits alone. */
const lonely = "lonely"

beforeAll(async () => {
  database = await makeGivenPostgres()
  session = await openSession(database.url)
  home = await makeHome(database)
  const exempt = { env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" } }
  runners = [await startRunner(home, exempt), await startRunner(home, exempt)]
  await shareShards(runners)
  const [{ url, token } = { url: "", token: "" }] = runners
  const made = await call(url, "/v1/projects", { token, body: { name: "met" } })
  project = String(made.body["id"])
  await deploy({ url, token, project }, ["rooms/boardSchema.ts"])
  const body = {
    name: "met",
    queues: Object.fromEntries([...queues, lonely].map((queue) => [queue, { size: 2 }]))
  }
  await call(url, `/v1/projects/${project}`, { method: "PATCH", token, body })
})

afterAll(async () => {
  await session.close()
  await home.remove()
  await database.remove()
})

interface Ticket {
  readonly ticket: string
  readonly status: string
  readonly roomId?: string
}

const ticketIn = (body: Record<string, unknown>): Ticket => {
  const { ticket, status, roomId } = body
  const place = typeof roomId === "string" ? { roomId } : {}
  return { ticket: String(ticket), status: String(status), ...place }
}

/** A new player queues, with another identity after each answer that did not come: such a ticket may be stored. */
const queued = (queue: string, on: () => RunningService, waitMs = 60_000): Promise<Ticket> =>
  until("a ticket is acknowledged", async () => {
    try {
      const minted = await call(on().url, "/v1/identity", { body: { project } })
      const body = { project, queue, identity: minted.body["token"], waitMs }
      const answer = await call(on().url, "/match", { body })
      return answer.status === 200 ? ticketIn(answer.body) : false
    } catch {
      return false
    }
  })

/** Where the tickets of a queue stand once none of them waits. A ticket that is left alone gets a partner. */
const ended = async (
  queue: string,
  tickets: ReadonlyArray<Ticket>,
  on: RunningService
): Promise<ReadonlyArray<Ticket>> => {
  let alone = 0
  return until(`the tickets of ${queue} end`, async () => {
    const stands = await Promise.all(
      tickets.map(({ ticket }) => call(on.url, `/match/ticket/${ticket}?project=${project}`))
    )
    if (stands.some(({ status }) => status !== 200)) return false
    const now = stands.map(({ body }) => ticketIn(body))
    if (now.every(({ status }) => status !== "waiting")) return now
    const { body } = await call(on.url, `/match/status?project=${project}&queue=${queue}`)
    alone = body["depth"] === 1 ? alone + 1 : 0
    if (alone === 5 && queue !== lonely) await queued(queue, () => on)
    return false
  })
}

it("[C-632] tickets of a queue whose runner is killed are matched by another one, each once", async () => {
  const waiting = await Promise.all(
    queues.map((queue, at) => queued(queue, () => runners[at % 2] ?? expect.fail("no runner")))
  )
  const lone = await queued(lonely, () => runners[0] ?? expect.fail("no runner"), 3000)
  const held = await figures(runners, 'effect_cluster_entities{type="Queue"}')
  const killed = runners[held.indexOf(Math.max(...held))]
  const [other] = runners.filter((runner) => runner !== killed)
  if (killed === undefined || other === undefined) throw new Error("no runner has a queue")
  const entry = { on: killed }
  // They queue while the runner dies: an answer that is cut off may have been stored, and is no acknowledgement.
  const late = queues.map((queue) => queued(queue, () => entry.on))
  await killed.stop("SIGKILL")
  entry.on = other
  const came = await Promise.all(late)
  const ends = await Promise.all([
    ended(lonely, [lone], other),
    ...queues.map((queue, at) =>
      ended(
        queue,
        [waiting[at], came[at]].filter((ticket) => ticket !== undefined),
        other
      )
    )
  ])
  const [[single] = [], ...rest] = ends
  // Nobody came: the player is told so, by whichever runner has the queue then.
  expect(single?.status).toBe("expired")
  const matched = rest.flat()
  expect(matched.map(({ status }) => status)).toEqual(Array(2 * queues.length).fill("matched"))
  const rows = await session.rows<{ room_id: string; queue: string; tickets: string }>(
    `select room_id, queue, string_agg(ticket_id, ' ' order by ticket_id) as tickets
     from match_tickets where project_id = '${project}' and status = 'matched'
     group by room_id, queue`
  )
  // Each room of a match has two tickets of one queue, and each ticket is told the room of its row.
  expect(rows.filter(({ tickets }) => tickets.split(" ").length !== 2)).toEqual([])
  expect(new Set(rows.map((row) => row.room_id)).size).toBe(rows.length)
  for (const { ticket, roomId } of matched) {
    expect(rows.find((row) => row.room_id === roomId)?.tickets).toContain(ticket)
  }
})
