import { expect } from "vitest"

import type { RunningService } from "./RunningService.ts"

/** A live list, as its reader sees it. */
export interface LiveReader<Row> {
  /** The rows by their key. */
  readonly rows: ReadonlyMap<string, Row>
  readonly whole: () => boolean
  /** The name of each event that came. */
  readonly events: ReadonlyArray<string>
  readonly ended: Promise<void>
  readonly close: () => void
}

interface Wanted<Row> {
  readonly path: string
  readonly keyOf: (row: Row) => string
  readonly bearer?: string
}

interface Told<Row> {
  readonly rows?: ReadonlyArray<Row>
  readonly gone?: ReadonlyArray<string>
}

/** Follows a list of the management API. Source: C-765. */
export const followList = async <Row>(
  service: Pick<RunningService, "url" | "token">,
  { path, keyOf, bearer = service.token }: Wanted<Row>
): Promise<LiveReader<Row>> => {
  const stop = new AbortController()
  const response = await fetch(`${service.url}${path}`, {
    signal: stop.signal,
    headers: { authorization: `Bearer ${bearer}`, accept: "text/event-stream" }
  })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/)
  const rows = new Map<string, Row>()
  const events: Array<string> = []
  let whole = false
  const take = (text: string): void => {
    const [, event = "", data = ""] = /^event: (.*)\ndata: (.*)$/.exec(text) ?? []
    // Written by the service that is tested.
    const told: Told<Row> = JSON.parse(data)
    for (const row of told.rows ?? []) rows.set(keyOf(row), row)
    for (const key of told.gone ?? []) rows.delete(key)
    whole ||= event === "whole"
    events.push(event)
  }
  const read = async (): Promise<void> => {
    let text = ""
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const parts = text.split("\n\n")
      text = parts.pop() ?? ""
      for (const part of parts) take(part)
    }
  }
  const ended = read().catch(() => undefined)
  return { rows, whole: () => whole, events, ended, close: () => stop.abort() }
}
