import { readFileSync } from "node:fs"

import { until } from "@atrium/domain/testing/Until"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import { roomPath } from "@atrium/wire/frames/RoomPath"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"

import { type CollectorStub, startCollector } from "../testing/CollectorStub.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { figureIn } from "../testing/Runners.ts"
import { call, makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"

let collector: CollectorStub
let home: ServiceHome
let service: RunningService
let privateUrl: string

beforeAll(async () => {
  collector = await startCollector()
  home = await makeHome()
  service = await home.start({
    env: {
      ATRIUM_PRIVATE_ADDRESS: "127.0.0.1:0",
      ATRIUM_DATABASE_CONNECTIONS: "7",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_METRIC_EXPORT_INTERVAL: "200"
    }
  })
  privateUrl = /^ +private +(http:\S+)$/m.exec(service.output())?.[1] ?? ""
})
afterAll(async () => {
  try {
    expect(await service.stop()).toBe(0)
  } finally {
    await home.remove()
    await collector.close()
  }
})

/** The families of a page of metrics, with the names of their labels. */
const familiesOf = (text: string) => {
  const families = new Map<string, { type: string; labels: Set<string> }>()
  for (const line of text.split("\n")) {
    const [, family = "", type = ""] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    if (family !== "") families.set(family, { type, labels: new Set() })
    const [, name = "", labels = ""] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    const known = families.get(name) ?? families.get(name.replace(/_(?:bucket|sum|count)$/, ""))
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) {
      if (label !== "le") known?.labels.add(label)
    }
  }
  return families
}

/** The rows of the table of metrics in the operators' documentation. */
const documented = () => {
  const text = readFileSync(new URL("../../../../docs/operations.md", import.meta.url), "utf8")
  const section = text.split("\n## Metrics\n")[1]?.split("\n## ", 1)[0] ?? ""
  const rows = [...section.matchAll(/^\| `(atrium_\w+)(?:\{([\w,]+)\})?` +\| (\w+) +\|/gm)]
  return new Map(
    rows.map(([, name = "", labels = "", type = ""]) => [
      name,
      { type, labels: new Set(labels === "" ? [] : labels.split(",")) }
    ])
  )
}

const metricsAt = async (url: string, token?: string): Promise<string> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return (await fetch(`${url}/metrics`, { headers })).text()
}

const valueOf = (text: string, series: string): number => figureIn(text, series) ?? Number.NaN

describe("the private listener", () => {
  it("[C-460] answers metrics and the management API, as the public one does", async () => {
    expect(privateUrl).not.toBe("")
    for (const url of [privateUrl, service.url]) {
      expect((await call(url, "/health")).status).toBe(200)
      expect((await call(url, "/v1/me", { token: service.token })).status).toBe(200)
      expect((await call(url, "/v1/me")).status).toBe(401)
      expect(await metricsAt(url)).toContain("atrium_sockets")
      expect(await metricsAt(url)).not.toContain("project")
    }
  })

  it("[C-460] lets nobody into a room", async () => {
    const path = roomPath(service.project, "lobby")
    const socket = new WebSocket(`${privateUrl.replace("http", "ws")}${path}`, Subprotocol)
    const refused = await new Promise((resolve) => {
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode))
      socket.on("open", () => resolve("open"))
      socket.on("error", () => undefined)
    })
    socket.terminate()
    expect(refused).toBe(404)
  })
})

describe("the metrics of a runner", () => {
  it("[C-461] count joins, frames and closes, and name the build and the pool", async () => {
    const before = await metricsAt(privateUrl)
    const room = await roomsOf(service).join("counted")
    await room.request("add", { by: 1 })
    await room.leave()
    await until("the socket is closed", async () =>
      /^atrium_sockets 0$/m.test(await metricsAt(privateUrl))
    )
    const after = await metricsAt(privateUrl)
    const grown = (series: string) => valueOf(after, series) - valueOf(before, series)
    expect(grown('atrium_joins_total{outcome="welcomed"}')).toBe(1)
    expect(grown("atrium_join_seconds_count")).toBe(1)
    expect(grown('atrium_closes_total{code="1000",by="client"}')).toBe(1)
    // A hello and a call; a welcome and an answer at least.
    expect(grown("atrium_frames_in_total")).toBe(2)
    expect(grown("atrium_frames_out_total")).toBeGreaterThanOrEqual(2)
    expect(grown('atrium_cpu_seconds_total{mode="user"}')).toBeGreaterThan(0)
    expect(grown("atrium_event_loop_busy_seconds_total")).toBeGreaterThan(0)
    expect(after).toMatch(/^atrium_build_info\{version="\d+\.\d+\.\d+",node="26\.[\d.]+"\} 1$/m)
    expect(valueOf(after, "atrium_store_connections_max")).toBe(7)
    expect(valueOf(after, "atrium_store_connections_used")).toBeGreaterThanOrEqual(1)
    expect(valueOf(after, "atrium_store_connections_waiting")).toBe(0)
  })

  it("[docs.metrics] are those of the table in docs/operations.md", async () => {
    const room = await roomsOf(service).join("shown")
    const served = familiesOf(await metricsAt(privateUrl, service.token))
    await room.leave()
    const told = documented()
    expect(served.size).toBeGreaterThan(25)
    for (const [name, family] of served) {
      // Those of Effect's cluster are its own.
      if (!name.startsWith("effect_")) expect([name, told.get(name)]).toEqual([name, family])
    }
  })
})

describe("the export to a collector", () => {
  const texts = (path: string): string =>
    collector.exports
      .filter((each) => each.path === path)
      .map(({ text }) => text)
      .join("\n")

  it("[C-464] brings logs, metrics and traces", async () => {
    await call(service.url, "/v1/me", { token: service.token })
    await until("all of them have come", () =>
      ["/v1/logs", "/v1/metrics", "/v1/traces"].every((path) => texts(path) !== "")
    )
    const metrics = texts("/v1/metrics")
    for (const name of ["atrium_rooms", "atrium_event_loop_turn_seconds", "atrium_joins_total"]) {
      expect(metrics).toContain(`"name":"${name}"`)
    }
    expect(texts("/v1/logs")).toContain('"service.version"')
    await until("a request has its span", () => texts("/v1/traces").includes('"name":"me.read"'))
    for (const { text } of collector.exports) expect(text).not.toContain(service.token)
  })
})
