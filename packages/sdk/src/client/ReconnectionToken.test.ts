import fc from "fast-check"
import { expect, test } from "vitest"

import { formatReconnectionToken, parseReconnectionToken } from "./ReconnectionToken.ts"

test("[client.reconnect] a token holds any room id and secret", () => {
  const token = fc.record({
    roomId: fc.stringMatching(/^[A-Za-z0-9._~:-]{1,128}$/),
    resume: fc.string({ minLength: 1 })
  })
  fc.assert(
    fc.property(token, (each) => {
      expect(parseReconnectionToken(formatReconnectionToken(each))).toEqual(each)
    })
  )
})

test.each(["", "arena", "/resume", "arena/"])("[client.reconnect] %j is no token", (text) => {
  expect(parseReconnectionToken(text)).toBeNull()
})
