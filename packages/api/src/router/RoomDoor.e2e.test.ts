import { ServerFrame, Subprotocol } from "@atrium/wire/frames/Frame"
import { beforeAll, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { RawHttp } from "../testing/RawHttp.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

// Few enough that none comes back while a test looks on.
const perMinute = 4
const service = serviceUnderTest({
  env: {
    ATRIUM_TRUSTED_PROXIES: "127.0.0.1",
    SERVICE_CONNECTIONS_PER_IP_PER_MIN: String(perMinute)
  }
})
let identity = ""

beforeAll(async () => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  identity = String(body["token"])
})

const pathOf = (): string => `/v1/rooms/${service.project}/one`

const connect = (address: string | null): RawClient =>
  new RawClient(
    `${service.url.replace("http", "ws")}${pathOf()}`,
    address === null ? {} : { "x-forwarded-for": address }
  )

/** The outcome of a join from an address: the welcome, a refusal with its close, or no handshake. */
const joined = async (address: string | null): Promise<unknown> => {
  const client = connect(address)
  const open = await Promise.race([client.opened.then(() => true), client.closed.then(() => false)])
  if (!open) return "no handshake"
  const frame = await client.hello(identity, "probe")
  if (frame[0] === ServerFrame.welcome) {
    client.leave()
    return "welcome"
  }
  const { code } = await client.closed
  return [...frame.slice(1), code]
}

const tooMany = ["E_RATE_LIMITED", "too many connections from this address", 4429]

it("[limits.connections.burst] [error.message.too-many-connections] [C-132] an address makes so many connections, is told why so often, then gets no handshake", async () => {
  expect(await joined(null)).toBe("welcome")
  const ann: Array<unknown> = []
  for (let n = 0; n < 3 * perMinute; n++) ann.push(await joined("198.51.100.1"))
  expect(ann).toEqual([
    ...Array(perMinute).fill("welcome"),
    ...Array(perMinute).fill(tooMany),
    ...Array(perMinute).fill("no handshake")
  ])
  // Nobody else is touched, nor who is exempt.
  expect(await joined("198.51.100.2")).toBe("welcome")
  for (let n = 0; n < 3 * perMinute; n++) expect(await joined(null)).toBe("welcome")
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  for (const limit of ["connections", "handshakes"]) {
    expect(metrics).toContain(`atrium_limited_total{limit="${limit}"} ${perMinute}\n`)
  }
})

it("[C-132] tells a client without a handshake by HTTP, and ends the connection", async () => {
  for (let n = 0; n < 2 * perMinute; n++) await connect("198.51.100.3").opened
  const peer = new RawHttp(service.url)
  const head = [
    `GET ${pathOf()} HTTP/1.1`,
    "host: atrium",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    `sec-websocket-protocol: ${Subprotocol}`,
    "x-forwarded-for: 198.51.100.3"
  ]
  peer.write(`${head.join("\r\n")}\r\n\r\n`)
  const answer = await peer.answer()
  expect(answer?.status).toBe(429)
  const error = { code: "E_RATE_LIMITED", message: "too many connections from this address" }
  expect(JSON.parse(String(answer?.body))).toEqual({ error })
  expect(answer?.headers).toContainEqual(["retry-after", expect.stringMatching(/^1[0-5]$/)])
  expect(await peer.ends()).toBe(true)
})
