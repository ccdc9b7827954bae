// @module-tag thorough

import { readFileSync } from "node:fs"

import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { until } from "@atrium/domain/testing/Until"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { KiB, MiB } from "@atrium/wire/limits/Limit"
import { pack } from "msgpackr"
import { expect, it } from "vitest"

import { RawHttp } from "../testing/RawHttp.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

/** The head of a binary message, and a mask that changes nothing. */
const headOf = (payloadBytes: number): Buffer => {
  const head = Buffer.alloc(14)
  head[0] = 0x82
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(payloadBytes), 2)
  return head
}

/** A client that says what it likes, and reads what comes without understanding it. */
const connectTo = async (room: string): Promise<RawHttp> => {
  const peer = new RawHttp(service.url)
  const head = [
    `GET /v1/rooms/${service.project}/${room} HTTP/1.1`,
    "host: atrium",
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol: rooms.v1"
  ]
  peer.write(`${head.join("\r\n")}\r\n\r\n`)
  expect((await peer.answer())?.status).toBe(101)
  return peer
}

const enter = async (room: string, token: string): Promise<RawHttp> => {
  const peer = await connectTo(room)
  const hello = pack([ClientFrame.hello, token, "probe"])
  peer.write(Buffer.concat([headOf(hello.length), hello]))
  await until("the welcome", () => peer.left !== "")
  return peer
}

const memoryMiB = (): number => {
  const status = readFileSync(`/proc/${service.pid}/status`, "utf8")
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KiB
}

const closeFrame = (code: number, reason: string): string =>
  Buffer.concat([
    Buffer.from([0x88, 2 + reason.length, code >> 8, code & 0xff]),
    Buffer.from(reason)
  ]).toString("latin1")

it("[C-187] 300 clients with 1.9 MiB of a message that never ends hold what the bound allows", async () => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const token = String(body["token"])
  const beside = await roomsOf(service).join("beside")
  const peers: Array<RawHttp> = []
  for (let at = 0; at < 300; at++) peers.push(await enter(`flood-${at % 6}`, token))
  const beforeMiB = memoryMiB()
  let mostMiB = beforeMiB
  const part = Buffer.alloc(64 * KiB)
  for (const peer of peers) peer.write(headOf(2 * MiB - KiB))
  for (let sent = 0; sent < 1.9 * MiB; sent += part.length) {
    for (const peer of peers) peer.write(part)
    // A player beside them is answered all the while.
    await beside.request("add", { by: 1 })
    mostMiB = Math.max(mostMiB, memoryMiB())
  }
  const stay = Math.floor(ConnectionLimits.clientsHeldAllBytes.max / (1.9 * MiB))
  await until("the rest is within the bound", () => {
    mostMiB = Math.max(mostMiB, memoryMiB())
    return peers.filter(({ ended }) => !ended).length <= stay
  })
  const told = closeFrame(4424, "E_UNFINISHED")
  expect(peers.filter(({ left }) => left.includes(told)).length).toBeGreaterThan(150)
  // Without the bound it is 570 MiB. What comes on top of the bound is not collected yet.
  expect(mostMiB - beforeMiB).toBeLessThan(ConnectionLimits.clientsHeldAllBytes.max / MiB + 320)
  for (const peer of peers) peer.destroy()
  expect(await beside.request("add", { by: 1 })).toMatchObject({ value: expect.any(Number) })
  await beside.leave()
})

it("[C-188] before the hello a message may be no longer than a hello: what goes on is 1003", async () => {
  const peer = await connectTo("early")
  peer.write(headOf(MiB))
  const told = closeFrame(1003, "E_BAD_FRAME")
  const part = Buffer.alloc(4 * KiB)
  let sent = 0
  await until("the close", () => {
    if (sent < MiB) {
      peer.write(part)
      sent += part.length
    }
    return peer.left.includes(told)
  })
  expect(await until("the end", () => peer.ended)).toBe(true)
  peer.destroy()
})
