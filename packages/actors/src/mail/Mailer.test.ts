import { MailLimits } from "@atrium/domain/mail/MailLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"

import { makeMailing } from "./Mailer.ts"
import { type AddressedMail, MailFailed, MailSender } from "./MailSender.ts"
import { MailStore, type TakenMail } from "./MailStore.ts"

const mail: TakenMail = {
  mailId: 7,
  projectId: ProjectId.make("p_0000000000000001"),
  kind: "cap",
  subject: "a cap",
  text: "is reached",
  address: "ops@example.com"
}

type Send = (mail: AddressedMail) => Effect.Effect<void, MailFailed>

/** Looks once. @returns what was sent, and what the outbox heard */
const look = Effect.fnUntraced(function* (taken: TakenMail, send: Send | null) {
  const sent: Array<AddressedMail> = []
  const settled: Array<string> = []
  const store = Layer.mock(MailStore, {
    take: Effect.succeed([taken]),
    settle: (mailId, outcome) =>
      Effect.sync(() => {
        settled.push(`${mailId} ${outcome}`)
        return outcome
      })
  })
  const sender: Send | null =
    send &&
    ((each) =>
      Effect.andThen(
        Effect.sync(() => sent.push(each)),
        send(each)
      ))
  yield* Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(yield* makeMailing())
    yield* TestClock.adjust(MailLimits.mailSend.ms)
    yield* Fiber.join(fiber)
  }).pipe(
    Effect.provideService(MailSender, sender),
    Effect.provide(Layer.merge(store, Logger.layer([])))
  )
  return { sent, settled }
})

const fails =
  (taken: boolean): Send =>
  () =>
    new MailFailed({ message: "EAUTH 535", taken })

it.effect.each<readonly [string, Send, string]>([
  ["that takes it", () => Effect.void, "7 sent"],
  ["that certainly did not take it", fails(false), "7 unsent"],
  ["that may have taken it", fails(true), "7 sent"],
  ["that does not answer in time", () => Effect.never, "7 sent"]
])("[C-505] a mail to a server %s", ([, send, outcome]) =>
  Effect.gen(function* () {
    const { sent, settled } = yield* look(mail, send)
    expect(settled).toEqual([outcome])
    expect(sent).toEqual([
      { id: "cap-7", to: "ops@example.com", subject: "a cap", text: "is reached" }
    ])
  })
)

it.effect("[C-504] without a mail server or an address a mail becomes a line of the log", () =>
  Effect.gen(function* () {
    const none = yield* look(mail, null)
    expect(none).toEqual({ sent: [], settled: ["7 logged"] })
    const nobody = yield* look({ ...mail, address: null }, () => Effect.void)
    expect(nobody).toEqual({ sent: [], settled: ["7 logged"] })
  })
)
