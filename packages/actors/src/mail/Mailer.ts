import { MailLimits } from "@atrium/domain/mail/MailLimits"
import { Effect } from "effect"
import { Singleton } from "effect/cluster"

import { lookEvery } from "../clock/RuleTime.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { MailFailed, MailSender } from "./MailSender.ts"
import { MailStore, type TakenMail } from "./MailStore.ts"

/** Sends the mails of the outbox, once per cluster. Source: C-505. */
export const Mailer = Singleton.make(
  "Mailer",
  Effect.flatMap(makeMailing(), (sendDue) =>
    sendDue.pipe(
      logFailure("mails could not be sent", Effect.logWarning),
      lookEvery(MailLimits.mailLook.ms)
    )
  )
)

/** @returns sends what is due, one mail after the other */
export function makeMailing() {
  return Effect.gen(function* () {
    const mails = yield* MailStore
    const send = yield* MailSender

    const sent = Effect.fnUntraced(function* (mail: TakenMail) {
      const { mailId, subject, text, address } = mail
      if (send === null || address === null) {
        const why = send === null ? "no ATRIUM_SMTP_URL" : "the account has no mail address"
        yield* Effect.logWarning(`${subject} (not mailed: ${why})`)
        return yield* mails.settle(mailId, "logged")
      }
      const outcome = yield* send({ id: `cap-${mailId}`, to: address, subject, text }).pipe(
        Effect.as("sent" as const),
        Effect.timeoutOrElse({
          duration: MailLimits.mailSend.ms,
          orElse: () => new MailFailed({ message: "no answer in time", taken: true })
        }),
        Effect.catchTag("MailFailed", ({ message, taken }) =>
          Effect.as(
            Effect.logWarning(`the mail server did not take a mail: ${message}`),
            taken ? ("sent" as const) : ("unsent" as const)
          )
        )
      )
      const became = yield* mails.settle(mailId, outcome)
      if (became === "given up") yield* Effect.logError(`given up: ${subject}`)
    })

    return Effect.flatMap(mails.take, (due) =>
      Effect.forEach(due, (mail) => Effect.annotateLogs(sent(mail), { project: mail.projectId }), {
        discard: true
      })
    )
  })
}
