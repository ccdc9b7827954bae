import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { expect, test } from "vitest"

import { ArrivingMessage } from "./ArrivingMessage.ts"

const chunk = ConnectionLimits.chunkBytes.max
const KiB = 1024

test.each([
  [0, 6],
  [125, 131],
  [126, 134],
  [65_535, 65_543],
  [65_536, 65_550]
])("[C-187] a whole message of %i bytes leaves nothing of its %i", (payload, wire) => {
  const arriving = new ArrivingMessage()
  arriving.came(wire)
  expect(arriving.heldBytes).toBe(wire + chunk)
  arriving.whole(payload)
  expect([arriving.unreadBytes, arriving.heldBytes]).toEqual([0, 0])
  arriving.came(wire - 1)
  arriving.came(1)
  arriving.whole(payload)
  expect([arriving.unreadBytes, arriving.heldBytes]).toEqual([0, 0])
})

test("[C-187] every read of an unfinished message counts, with its objects, until it is whole", () => {
  const arriving = new ArrivingMessage()
  for (let at = 0; at < 106; at++) arriving.came(1)
  expect([arriving.unreadBytes, arriving.heldBytes]).toEqual([106, 106 * (1 + chunk)])
  arriving.whole(100)
  expect([arriving.unreadBytes, arriving.heldBytes]).toEqual([0, 0])
})

test("[C-187] a message that begins in the read that ends another holds the whole read", () => {
  const arriving = new ArrivingMessage()
  arriving.came(10 * KiB)
  arriving.came(60 * KiB)
  arriving.whole(65 * KiB)
  expect(arriving.unreadBytes).toBe(5 * KiB - 14)
  expect(arriving.heldBytes).toBe(60 * KiB + chunk)
})

test("[C-187] pings and pongs of a client that says nothing else leave nothing behind", () => {
  const arriving = new ArrivingMessage()
  for (let at = 0; at < 1000; at++) {
    arriving.came(2 * (6 + 4))
    arriving.control(4)
    arriving.control(4)
    expect([arriving.unreadBytes, arriving.heldBytes]).toEqual([0, 0])
  }
})

test("[C-187] reads that control frames fill count while a piece of a message is in them", () => {
  const arriving = new ArrivingMessage()
  for (let at = 1; at <= 8; at++) {
    // A piece of one byte, and pongs: `ws` keeps the piece as a part of the whole read.
    arriving.came(64 * KiB)
    const pongs = Math.floor((64 * KiB - 7) / 131)
    for (let pong = 0; pong < pongs; pong++) arriving.control(125)
    expect(arriving.heldBytes).toBe(at * (64 * KiB + chunk))
  }
})

test("[C-187] headers of a message in pieces do not add up", () => {
  const arriving = new ArrivingMessage()
  for (let at = 0; at < 1000; at++) {
    arriving.came(3 * 7)
    arriving.whole(3)
    expect(arriving.heldBytes).toBeLessThanOrEqual(21 + chunk)
  }
})
