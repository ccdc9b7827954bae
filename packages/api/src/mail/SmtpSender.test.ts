import { Effect, Redacted, Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

import { type SmtpStub, startSmtpStub } from "../testing/SmtpStub.ts"
import { smtpSender } from "./SmtpSender.ts"

let stub: SmtpStub
beforeEach(async () => {
  stub = await startSmtpStub()
})
afterEach(() => stub.close())

const mail = { id: "cap-7", to: "ops@example.com", subject: "Ein Cap: größer", text: "is\nreached" }
const send = (url = stub.url) => {
  const sender = smtpSender({ url: Redacted.make(url), from: "atrium@example.com" })
  return Effect.runPromise(Effect.result(sender(mail)))
}
const failure = (taken: boolean) =>
  Result.fail(expect.objectContaining({ _tag: "MailFailed", taken }))

describe("smtpSender", () => {
  it("[C-504] hands a mail to the mail server, from and to the addresses, with an id that stays", async () => {
    expect(await send()).toEqual(Result.succeed(undefined))
    expect(await send()).toEqual(Result.succeed(undefined))
    expect(stub.mails).toHaveLength(2)
    for (const { from, to, data } of stub.mails) {
      expect([from, to]).toEqual(["atrium@example.com", "ops@example.com"])
      expect(data).toMatch(/^Message-ID: <cap-7@example\.com>$/m)
      expect(data).toMatch(/is\nreached\s*$/)
    }
  })

  it.each([
    ["EHLO", "554 no"],
    ["MAIL", "451 later"],
    ["RCPT", "550 nobody"],
    ["DATA", "452 full"],
    ["END", "554 spam"]
  ])("[C-505] %s %s: the mail was not taken", async (command, answer) => {
    stub.answers.set(command, answer)
    if (command === "EHLO") stub.answers.set("HELO", answer)
    expect(await send()).toEqual(failure(false))
  })

  it("[C-505] nobody listens: the mail was not taken", async () => {
    const { url } = stub
    await stub.close()
    expect(await send(url)).toEqual(failure(false))
  })

  it("[C-505] the connection ends instead of the last answer: the mail may have been taken", async () => {
    stub.answers.set("END", null)
    expect(await send()).toEqual(failure(true))
  })
})
