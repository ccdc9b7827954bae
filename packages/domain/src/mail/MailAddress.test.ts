import { Schema } from "effect"
import { expect, test } from "vitest"

import { MailAddress } from "./MailAddress.ts"

const isAddress = Schema.is(MailAddress)

test.each([
  ["ops@example.com", true],
  ["a.b+caps@mail.example.co", true],
  ["root@localhost", true],
  [`${"a".repeat(242)}@example.com`, true],
  [`${"a".repeat(243)}@example.com`, false],
  ["", false],
  ["ops", false],
  ["ops@", false],
  ["@example.com", false],
  ["ops@example.com\r\nbcc: all@example.com", false],
  ["ops@example.com, all@example.com", false],
  ["Ops <ops@example.com>", false],
  ["ops@exa mple.com", false],
  ["ops@example..com", false]
])("[C-504] %j is an address: %s", (text, is) => {
  expect(isAddress(text)).toBe(is)
})
