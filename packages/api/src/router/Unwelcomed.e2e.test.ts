import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { RawHttp } from "../testing/RawHttp.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({
  env: { ATRIUM_TRUSTED_PROXIES: "127.0.0.1", SERVICE_CONNECTIONS_PER_IP_PER_MIN: "100000" }
})
const address = { "x-forwarded-for": "198.51.100.1" }
const path = (): string => `/v1/rooms/${service.project}/one`
const connect = (): RawClient =>
  new RawClient(`${service.url.replace("http", "ws")}${path()}`, address)

/** It goes without a word. */
const cut = async (): Promise<void> => {
  const client = connect()
  await client.opened
  client.cut()
  await client.closed
}

/** It is refused. */
const refused = async (): Promise<void> => {
  const client = connect()
  expect((await client.hello("not.a.token"))[1]).toBe("E_UNAUTHENTICATED")
  await client.closed
}

/** It never becomes a WebSocket. */
const malformed = async (): Promise<void> => {
  const peer = new RawHttp(service.url)
  const head = [
    `GET ${path()} HTTP/1.1`,
    "host: atrium",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 99",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol: rooms.v1",
    "x-forwarded-for: 198.51.100.1"
  ]
  peer.write(`${head.join("\r\n")}\r\n\r\n`)
  expect((await peer.answer())?.status).toBe(400)
  expect(await peer.ends()).toBe(true)
  peer.destroy()
}

it("[C-132] a connection gives its place back, however it ends", { timeout: 120_000 }, async () => {
  let left = ConnectionLimits.unwelcomed.max + 1
  const visitor = async (): Promise<void> => {
    while (left-- > 0) {
      // An address has but so many joins a minute, and those that are refused count.
      if (left % 10 === 0) await refused()
      else await (left % 2 === 0 ? malformed : cut)()
    }
  }
  await Promise.all(Array.from({ length: 16 }, visitor))
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const [type] = await connect().hello(String(body["token"]), "probe")
  expect(type).toBe(ServerFrame.welcome)
})
