import { type AddressedMail, MailFailed } from "@atrium/actors/mail/MailSender"
import { MailLimits } from "@atrium/domain/mail/MailLimits"
import { Effect, Redacted } from "effect"
import { createTransport } from "nodemailer"

/** The operator's mail server, and the address that mails come from. */
export interface SmtpSettings {
  readonly url: Redacted.Redacted
  readonly from: string
}

const { ms } = MailLimits.mailSend

/**
 * Sends mails by SMTP. The mail server is asked first whether it serves this service: a failure of that
 * is no mail that it may have taken.
 */
export const smtpSender = ({ url, from }: SmtpSettings) => {
  const transport = createTransport({
    url: Redacted.value(url),
    connectionTimeout: ms / 3,
    greetingTimeout: ms / 3,
    socketTimeout: ms / 3
  })
  return ({ id, to, subject, text }: AddressedMail): Effect.Effect<void, MailFailed> => {
    const messageId = `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`
    return Effect.andThen(
      attempt(
        () => transport.verify(),
        () => false
      ),
      attempt(
        () => transport.sendMail({ from, to, subject, text, messageId }),
        // A mail server that answers with a code has not taken the mail; silence says nothing.
        (cause) => typeof Object(cause).responseCode !== "number"
      )
    )
  }
}

const attempt = (
  sending: () => Promise<unknown>,
  mayBeTaken: (cause: unknown) => boolean
): Effect.Effect<void, MailFailed> =>
  Effect.asVoid(
    Effect.tryPromise({
      try: sending,
      catch: (cause) => new MailFailed({ message: faultOf(cause), taken: mayBeTaken(cause) })
    })
  )

/** The error's code and not its text: the text of an answer may repeat a credential or an address. */
const faultOf = (cause: unknown): string => {
  const { code, responseCode } = Object(cause)
  return [code, responseCode].filter((part) => part !== undefined).join(" ") || "unknown"
}
