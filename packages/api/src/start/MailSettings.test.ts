import { Effect, Option, Redacted } from "effect"
import { expect, test } from "vitest"

import { readMailSettings } from "./MailSettings.ts"

const read = (url: string | null, from: string | null) =>
  Effect.runPromise(
    Effect.match(
      readMailSettings({
        smtp: {
          value: Option.map(Option.fromNullOr(url), (text) => Redacted.make(text)),
          file: Option.none()
        },
        from: Option.fromNullOr(from)
      }),
      { onSuccess: (settings) => settings, onFailure: (refusal) => refusal }
    )
  )

test("[C-504] a service without a mail server sends no mails", async () => {
  expect(await read(null, null)).toEqual(Option.none())
})

test("[C-504] takes a mail server and the address that mails come from", async () => {
  const settings = await read("smtps://user:secret@mail.example.com", "atrium@example.com")
  expect(settings).toMatchObject({ _tag: "Some", value: { from: "atrium@example.com" } })
})

test.each([
  [null, "atrium@example.com", /^ATRIUM_MAIL_FROM/],
  ["smtp://localhost", null, /^ATRIUM_MAIL_FROM/],
  ["smtp://localhost", "no address", /^ATRIUM_MAIL_FROM/],
  ["http://user:secret@localhost", "atrium@example.com", /^ATRIUM_SMTP_URL/],
  ["nothing", "atrium@example.com", /^ATRIUM_SMTP_URL/]
])("[C-504] refuses %s from %s by name, without the password", async (url, from, says) => {
  const refusal = await read(url, from)
  expect(refusal).toMatch(says)
  expect(refusal).not.toContain("secret")
})
