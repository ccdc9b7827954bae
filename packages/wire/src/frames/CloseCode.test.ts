import { expect, test } from "vitest"

import { sizeText, spanText } from "../limits/LimitText.ts"
import { type CloseCode, CloseCodes } from "./CloseCode.ts"
import { closeCodeOf, mayReconnect } from "./Closing.ts"
import { ClosingLimits } from "./ClosingLimits.ts"
import { FrameLimits } from "./FrameLimits.ts"

const rows = Object.values<CloseCode>(CloseCodes)

test("[D-24] no two close codes share a name, and only 4403 and 4410 are numbers of two", () => {
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  const codes = rows.map(({ code }) => code)
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([4403, 4410])
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
  [4403, "E_PROJECT_MISMATCH"],
  [4403, "E_ORIGIN"],
  [4404, "E_ROOM_NOT_FOUND"],
  [4408, "E_HANDSHAKE_TIMEOUT"],
  [4409, "E_ROOM_FULL"],
  [4410, "E_KICKED"],
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
  expect(rows).toHaveLength(21)
})

test("[D-24] a close code names the limit that was passed", () => {
  const { handshake, restarts, restartsWindow } = ClosingLimits
  expect(CloseCodes.crashed.says).toBe(
    `the room failed ${restarts.max} times within ${spanText(restartsWindow)}`
  )
  expect(CloseCodes.handshakeTimeout.says).toBe(`no hello within ${spanText(handshake)}`)
  expect(CloseCodes.tooLarge.says).toBe(`a frame of more than ${sizeText(FrameLimits.frameBytes)}`)
})
