import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { ServerFrame, Subprotocol } from "@atrium/wire/frames/Frame"
import { beforeAll, describe, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { headerOf, RawHttp } from "../testing/RawHttp.ts"
import { metricsText } from "../testing/Runners.ts"
import { call, makeProject } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

// The limits of a client's address. A proxy tells the address, so that one test can use many.
const service = serviceUnderTest({
  env: {
    ATRIUM_TRUSTED_PROXIES: "127.0.0.1",
    ATRIUM_EXEMPT_ADDRESSES: "127.0.0.0/8,198.51.100.128/25",
    SERVICE_CONNECTIONS_PER_IP_PER_MIN: "100000"
  }
})

const identityOf = async (project: string): Promise<string> =>
  String((await call(service.url, "/v1/identity", { body: { project } })).body["token"])

const from = (address: string | null): Record<string, string> =>
  address === null ? {} : { "x-forwarded-for": address }
const pathOf = (project: string): string => `/v1/rooms/${project}/one`
const connect = (project: string, address: string | null): RawClient =>
  new RawClient(`${service.url.replace("http", "ws")}${pathOf(project)}`, from(address))

/** The answer to the head of a handshake, on a connection of its own. */
const handshake = async (project: string, address: string, version: number) => {
  const peer = new RawHttp(service.url)
  const head = [
    `GET ${pathOf(project)} HTTP/1.1`,
    "host: atrium",
    "connection: upgrade",
    "upgrade: websocket",
    `sec-websocket-version: ${version}`,
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    `sec-websocket-protocol: ${Subprotocol}`,
    `x-forwarded-for: ${address}`
  ]
  peer.write(`${head.join("\r\n")}\r\n\r\n`)
  const answer = await peer.answer()
  expect(await peer.ends()).toBe(true)
  peer.destroy()
  return answer
}

describe("connections of an address", () => {
  // Few enough that none comes back while a test looks on.
  const perMinute = 4
  const tooMany = ["E_RATE_LIMITED", "too many connections from this address", 4429]
  let project = ""
  let identity = ""

  beforeAll(async () => {
    project = await makeProject(service.url, service.token)
    await call(service.url, `/v1/projects/${project}`, {
      token: service.token,
      method: "PATCH",
      body: { name: "e2e", connectionsPerIpPerMin: perMinute }
    })
    identity = await identityOf(project)
  })

  /** The outcome of a join from an address: the welcome, a refusal with its close, or no handshake. */
  const joined = async (address: string | null): Promise<unknown> => {
    const client = connect(project, address)
    const open = await Promise.race([
      client.opened.then(() => true),
      client.closed.then(() => false)
    ])
    if (!open) return "no handshake"
    const frame = await client.hello(identity, "probe")
    if (frame[0] === ServerFrame.welcome) {
      client.leave()
      return "welcome"
    }
    const { code } = await client.closed
    return [...frame.slice(1), code]
  }

  it("[limits.connections.burst] [error.message.too-many-connections] [C-132] are so many, are told why so often, then get no handshake", async () => {
    // It starts the server, from which on the project's number counts.
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
    const metrics = await metricsText(service)
    for (const limit of ["connections", "handshakes"]) {
      expect(metrics).toContain(`atrium_limited_total{limit="${limit}"} ${perMinute}\n`)
    }
  })

  it("[C-132] without a handshake are told by HTTP, and end", async () => {
    const startedAt = performance.now()
    for (let n = 0; n < 2 * perMinute; n++) await connect(project, "198.51.100.3").opened
    const answer = await handshake(project, "198.51.100.3", 13)
    expect(answer?.status).toBe(429)
    const error = { code: "E_RATE_LIMITED", message: "too many connections from this address" }
    expect(JSON.parse(String(answer?.body))).toEqual({ error })
    // The next place is free a quarter of a minute after the first one was taken.
    const tookS = (performance.now() - startedAt) / 1000
    const retryAfterS = Number(answer && headerOf(answer, "retry-after"))
    expect(retryAfterS).toBeLessThanOrEqual(60 / perMinute)
    expect(retryAfterS).toBeGreaterThanOrEqual(60 / perMinute - tookS)
  })

  it("[C-132] give their places back, however they end", async () => {
    const address = "198.51.100.4"
    const ways: Readonly<Record<"cut" | "refused" | "malformed", () => Promise<void>>> = {
      cut: async () => {
        const client = connect(service.project, address)
        await client.opened
        client.cut()
        await client.closed
      },
      refused: async () => {
        const client = connect(service.project, address)
        expect((await client.hello("not.a.token"))[1]).toBe("E_UNAUTHENTICATED")
        await client.closed
      },
      // It never becomes a WebSocket.
      malformed: async () => {
        expect((await handshake(service.project, address, 99))?.status).toBe(400)
      }
    }
    let left = ConnectionLimits.unwelcomed.max + 1
    const visitor = async (): Promise<void> => {
      while (left-- > 0) {
        // An address has but so many joins a minute, and those that are refused count.
        await ways[left % 10 === 0 ? "refused" : left % 2 === 0 ? "malformed" : "cut"]()
      }
    }
    await Promise.all(Array.from({ length: 16 }, visitor))
    const last = connect(service.project, address)
    const [type] = await last.hello(await identityOf(service.project), "probe")
    expect(type).toBe(ServerFrame.welcome)
    last.leave()
  })
})

describe("identities of an address", () => {
  const { burst } = IdentityLimits.identityMintsByAddress
  const ask = (path: string, address: string, body?: object): Promise<Response> =>
    fetch(`${service.url}${path}`, {
      headers: { "content-type": "application/json", ...from(address) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
  const mint = (address: string) => ask("/v1/identity", address, { project: service.project })
  const statuses = async (times: number, address: string): Promise<Set<number>> => {
    const seen = new Set<number>()
    for (let n = 0; n < times; n++) seen.add((await mint(address)).status)
    return seen
  }

  it("[rate.identity.mint.address.burst] [D-26] are bounded: it is told when to come again, and others are served", async () => {
    const address = "203.0.113.1"
    const startedAt = performance.now()
    expect(await statuses(burst, address)).toEqual(new Set([201]))
    const answer = await mint(address)
    const { code, retryAfterMs } = Object(await answer.json()).error
    expect([answer.status, code]).toEqual([429, "E_RATE_LIMITED"])
    expect(retryAfterMs).toBeGreaterThan(60_000 - (performance.now() - startedAt))
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    expect(answer.headers.get("retry-after")).toBe(String(Math.ceil(retryAfterMs / 1000)))
    expect((await mint("203.0.113.2")).status).toBe(201)
    expect((await ask(`/v1/lobby?project=${service.project}`, address)).status).toBe(200)
  })

  it("[C-130] are as many as it likes where the operator exempts it", async () => {
    expect(await statuses(2 * burst, "198.51.100.207")).toEqual(new Set([201]))
  })
})
