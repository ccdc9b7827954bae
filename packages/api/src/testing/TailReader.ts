import { expect } from "vitest"

import type { RunningService } from "./RunningService.ts"

/** A line as a developer reads it. */
export interface ShownLine {
  readonly at: string
  readonly roomId: string
  readonly level: string
  readonly line: string
}

/** The events of a tail, as they come. */
export interface Tail {
  readonly events: Array<{
    id?: string
    event: string
    data: Partial<ShownLine> & { lines?: number | null }
  }>
  readonly ended: Promise<void>
  readonly close: () => void
}

interface Following {
  readonly query?: string
  readonly lastId?: string | undefined
  readonly project?: string
}

/** Follows the log of a project: of the service's own unless another is named. */
export const followLog = async (
  service: Pick<RunningService, "url" | "token" | "project">,
  { query = "", lastId, project = service.project }: Following = {}
): Promise<Tail> => {
  const stop = new AbortController()
  const response = await fetch(`${service.url}/v1/projects/${project}/logs/tail${query}`, {
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${service.token}`,
      ...(lastId === undefined ? {} : { "last-event-id": lastId })
    }
  })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
  const events: Tail["events"] = []
  const read = async (): Promise<void> => {
    let text = ""
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const whole = text.split("\n\n")
      text = whole.pop() ?? ""
      events.push(...whole.map(eventOf))
    }
  }
  return { events, ended: read().catch(() => undefined), close: () => stop.abort() }
}

const eventOf = (text: string): Tail["events"][number] => {
  const fields = new Map(
    text
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()])
  )
  const id = fields.get("id")
  const data = fields.get("data") ?? ""
  return {
    ...(id === undefined ? {} : { id }),
    event: fields.get("event") ?? "message",
    data: data === "" ? {} : JSON.parse(data)
  }
}

/** The lines that a tail has told so far. */
export const textsOf = ({ events }: Pick<Tail, "events">): ReadonlyArray<string | undefined> =>
  events.filter(({ event }) => event === "line").map(({ data }) => data.line)
