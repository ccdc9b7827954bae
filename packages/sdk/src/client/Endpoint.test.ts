import { expect, test } from "vitest"

import { endpointOf } from "./Endpoint.ts"

test.each([
  ["http://localhost:8787", "http://localhost:8787", "ws://localhost:8787", true],
  ["ws://127.0.0.1:1/", "http://127.0.0.1:1", "ws://127.0.0.1:1", true],
  ["http://[::1]:8787", "http://[::1]:8787", "ws://[::1]:8787", true],
  ["http://game.localhost", "http://game.localhost", "ws://game.localhost", true],
  ["https://rooms.example/eu//", "https://rooms.example/eu", "wss://rooms.example/eu", false],
  ["wss://rooms.example", "https://rooms.example", "wss://rooms.example", false],
  ["http://127.0.0.1.example", "http://127.0.0.1.example", "ws://127.0.0.1.example", false],
  ["http://notlocalhost", "http://notlocalhost", "ws://notlocalhost", false]
])("[D-24] %s", (...[address, http, ws, local]) => {
  expect(endpointOf(address)).toEqual({ http, ws, local })
})

test.each([
  "",
  "localhost:8787",
  "rooms.example",
  "ftp://rooms.example",
  "https://rooms.example/?token=x",
  "https://rooms.example/#x",
  "https://ann:secret@rooms.example"
])("[D-24] %j is no address of a service", (address) => {
  expect(() => endpointOf(address)).toThrow(`${address}: `)
})
