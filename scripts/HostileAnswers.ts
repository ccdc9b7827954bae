import type { Page, Route } from "playwright-core"

import { markup } from "./HostileProject.ts"

/** A text of more than a million signs. */
const longText = markup.repeat(Math.ceil(1_000_000 / markup.length))
const rowsMax = 10_000
/** Each page reads the projects of the account. */
const projectsMax = 1000

/** Fields of answers that hold words of a tenant, of a player or of an operator. */
const worded = new Set(
  "actor address board by detail host label line mail message name period playerId reason roomId stack target title value why".split(
    " "
  )
)

/**
 * Lets each answer that a page reads hold what no service sends: texts of a million signs, ids and names that are
 * markup, lists of ten thousand rows. The state of a room and schemas stay as they are.
 */
export const answerHostile = async (page: Page): Promise<void> => {
  const known = new Map<string, Answer>()
  await page.route(/\/(?:v1|match)\//, (route) => answer(route, known))
}

interface Answer {
  readonly status: number
  /** JSON. */
  readonly body: string
}

/** @param known what was answered before, by address */
const answer = async (route: Route, known: Map<string, Answer>): Promise<void> => {
  const request = route.request()
  const { pathname } = new URL(request.url())
  const isStream = request.headers()["accept"] === "text/event-stream"
  if (request.method() !== "GET" || /\/(?:state|bytes)$/.test(pathname)) return route.continue()
  if (isStream && pathname.endsWith("/logs/tail")) return route.fulfill(streamOf([lineEvent]))
  const { status, body } = known.get(request.url()) ?? (await hostileAnswer(route, pathname))
  known.set(request.url(), { status, body })
  if (!isStream || status !== 200) {
    return route.fulfill({ status, contentType: "application/json", body })
  }
  const at = new Date(0).toISOString()
  await route.fulfill(
    streamOf([
      { event: "rows", data: { at, rows: JSON.parse(body) } },
      { event: "whole", data: { at } }
    ])
  )
}

const hostileAnswer = async (route: Route, pathname: string): Promise<Answer> => {
  const headers = { ...route.request().headers(), accept: "application/json" }
  const response = await route.fetch({ headers })
  const whole: unknown = await response.json().catch(() => null)
  const max = pathname === "/v1/projects" ? projectsMax : rowsMax
  const body = JSON.stringify(lengthened(hostile(whole, longText), max))
  return { status: response.status(), body }
}

interface StreamEvent {
  readonly event: string
  readonly data: unknown
}

const lineEvent: StreamEvent = {
  event: "line",
  data: { at: new Date(0).toISOString(), roomId: longText, level: "error", line: longText }
}

const streamOf = (events: ReadonlyArray<StreamEvent>) => {
  const body = events.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  return { contentType: "text/event-stream", body: body.join("") }
}

/** The value with this text in each of its fields that hold words. */
const hostile = (value: unknown, text: string): unknown => {
  if (Array.isArray(value)) return value.map((each) => hostile(each, text))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, hostilePart(name, part, text)])
  )
}

const hostilePart = (name: string, part: unknown, text: string): unknown => {
  if (name === "schemas" || name === "schema") return part
  if (name === "boards" || name === "queues") return { ...Object(part), [markup]: {} }
  if (typeof part === "string" && worded.has(name)) return text
  return hostile(part, text)
}

/** A list, and each list in an object, with as many rows as a project could never have. */
const lengthened = (value: unknown, max: number): unknown => {
  if (Array.isArray(value)) return longer(value, max)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      Array.isArray(part) ? longer(part, max) : part
    ])
  )
}

/** Rows that are added have short words and ids of their own. */
const longer = (rows: ReadonlyArray<unknown>, max: number): ReadonlyArray<unknown> => {
  const last = rows.at(-1)
  if (typeof last !== "object" || last === null || Array.isArray(last)) return rows
  const short = Object.entries(Object(hostile(last, markup)))
  const added = Array.from({ length: max - rows.length }, (_, at) =>
    Object.fromEntries(
      short.map(([name, part]) => [name, /id$/i.test(name) ? `${String(part)}${at}` : part])
    )
  )
  return [...rows, ...added]
}
