import { readFileSync } from "node:fs"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { type ProbeRoom, roomsOf } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const document = readFileSync(
  join(import.meta.dirname, "../../../../docs/conformance-adapter.md"),
  "utf8"
)

interface Example {
  readonly request: string
  readonly answer: string
}

/** What stands in the blocks of the document, in its order. */
const examples: ReadonlyArray<Example> = [...document.matchAll(/^```control\n([^]*?)^```$/gm)]
  .flatMap(([, block = ""]) => block.trim().split("\n\n"))
  .map((lines) => {
    const [request = "", answer = ""] = lines.split("\n")
    return { request, answer }
  })

const service = sharedService("controlled")
const control = controlOf(service)
let room: ProbeRoom
let names: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  room = await roomsOf(service).join("documented")
  const { project } = service
  const key = `rooms/${project}/documented/extra`
  await control.ask("storage/put", { key, base64: "aGVsbG8=" })
  const servers = await until("its server", async () => {
    const { body } = await control.ask("servers/list", { project })
    return Object(body["servers"])[0]
  })
  names = { project, key, room: "documented", server: Object(servers).id }
})

afterAll(() => room.leave())

const named = (text: string): string =>
  text.replace(/\{(project|server|room|key)\}/g, (all, name: string) => names[name] ?? all)

/** Any number stands for a number; all other values are meant, and so is every field. */
const expected = (value: unknown): unknown => {
  if (typeof value === "number") return expect.any(Number)
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expected(each)]))
}

/** How an example's list is meant: it shows some of those that there are. */
const firstOf = (path: string, body: unknown): unknown => {
  if (path === "/_control/listeners/list") {
    const listeners: ReadonlyArray<{ readonly address: string; readonly router: boolean }> =
      Object(body).listeners
    const ofService = listeners.find(({ address }) => service.url.endsWith(address))
    const ofControl = listeners.find(({ address }) => control.url.endsWith(address))
    const shown = ["127.0.0.1:8787", "127.0.0.1:8788"]
    return {
      listeners: [ofService, ofControl].map((each, at) => ({ ...each, address: shown[at] }))
    }
  }
  if (path !== "/_control/storage/list") return body
  const objects: ReadonlyArray<unknown> = Object(body).objects
  return { objects: objects.filter((object) => Object(object).key === names["key"]) }
}

describe("the examples of docs/conformance-adapter.md", () => {
  it("[D-49] there are some, of every hook that is offered", () => {
    const hooks: unknown = JSON.parse((examples[0]?.answer ?? "").slice(4)).hooks
    const shown = examples.flatMap(({ request }) => /_control\/(\w+)/.exec(request)?.[1] ?? [])
    expect([...new Set(shown)]).toEqual(hooks)
  })

  it.each(examples.map(({ request, answer }) => [request, answer] as const))(
    "[D-49] %s",
    async (request, answer) => {
      const [method = "", path = "", body] = named(request).split(/ (.*?)(?: (.*))?$/)
      const response = await fetch(`${control.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${control.token}` },
        ...(body === undefined ? {} : { body })
      })
      const [, status, shown = ""] = /^(\d+) (.*)$/.exec(named(answer)) ?? []
      expect([response.status, firstOf(path, await response.json())]).toEqual([
        Number(status),
        expected(JSON.parse(shown))
      ])
    }
  )
})
