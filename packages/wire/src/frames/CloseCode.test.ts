import { expect, test } from "vitest"

import { type CloseCode, closeCodeOf, CloseCodes, mayReconnect } from "./CloseCode.ts"

const rows = Object.values<CloseCode>(CloseCodes)

test("[D-24] no two close codes share a number or a name", () => {
  expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length)
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
})

test.each(rows)("[D-24] $code $name can be sent in a close frame", ({ code, name, says }) => {
  // What a WebSocket may send: 1000, 1003, 1007 to 1013, and 3000 to 4999.
  expect(code === 1000 || code === 1003 || (code >= 1007 && code <= 1013) || code >= 4000).toBe(
    true
  )
  expect(code).toBeLessThan(5000)
  // A close reason has at most 123 bytes.
  expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(123)
  expect(says).not.toBe("")
})

test.each([
  [1008, "E_SLOW_CONSUMER"],
  [1011, "E_ROOM_CRASHED"],
  [4290, "E_DATA_OUT"],
  [4291, "E_ROOM_DELETED"],
  [4402, "E_CAP_REACHED"],
  [4404, "E_ROOM_NOT_FOUND"],
  [4408, "E_HANDSHAKE_TIMEOUT"],
  [4409, "E_ROOM_FULL"],
  [4410, "E_AUDIENCE_FULL"],
  [4424, "E_UNFINISHED"],
  [4429, "E_RATE_LIMITED"],
  [4503, "E_TENANT_WAKING"]
])("[D-24] %i belongs to the refusal %s", (code, name) => {
  expect(closeCodeOf(name).code).toBe(code)
})

test("[D-24] a refusal without a close code of its own is the room's", () => {
  expect(closeCodeOf("E_MY_GAME").code).toBe(4420)
  expect(closeCodeOf("").code).toBe(4420)
})

test.each([
  [1000, false],
  [1003, false],
  [1008, true],
  [1011, false],
  [1012, true],
  [4290, false],
  [4291, false],
  [4401, false],
  [4402, false],
  [4403, false],
  [4404, false],
  [4408, true],
  [4409, false],
  [4410, false],
  [4413, false],
  [4420, false],
  [4424, true],
  [4429, true],
  [4503, true]
])("[D-24] after %i a client may reconnect: %s", (code, may) => {
  expect(mayReconnect(code)).toBe(may)
})

test.each([1001, 1005, 1006, 1013, 4999])(
  "[D-24] after %i, a code that the service never sends, a client may reconnect",
  (code) => {
    expect(mayReconnect(code)).toBe(true)
  }
)

test("[events.4291.fatal] the table above names every code", () => {
  expect(rows).toHaveLength(19)
})
