import { MailAddress } from "@atrium/domain/mail/MailAddress"
import { Config, Effect, Option, Redacted, Schema } from "effect"

import type { SmtpSettings } from "../mail/SmtpSender.ts"
import { readSecret, secretSetting } from "./SecretSettings.ts"

/** The settings of mails, as the environment has them. */
export const mailSettings = Config.all({
  smtp: secretSetting("ATRIUM_SMTP_URL"),
  from: Config.option(Config.String("ATRIUM_MAIL_FROM"))
})
type MailSettings = Config.Success<typeof mailSettings>

const isAddress = Schema.is(MailAddress)

/**
 * Reads where mails go out. Source: C-504.
 *
 * @returns a sentence on what does not fit, which repeats no credential
 */
export const readMailSettings = (
  given: MailSettings
): Effect.Effect<Option.Option<SmtpSettings>, string> =>
  Effect.gen(function* () {
    const url = Option.getOrUndefined(yield* readSecret("ATRIUM_SMTP_URL", given.smtp))
    if (url === undefined) {
      return Option.isSome(given.from)
        ? yield* Effect.fail("ATRIUM_MAIL_FROM is set without ATRIUM_SMTP_URL: set both.")
        : Option.none()
    }
    if (!/^smtps?:$/.test(URL.parse(Redacted.value(url))?.protocol ?? "")) {
      return yield* Effect.fail(
        "ATRIUM_SMTP_URL must be an smtp or smtps URL, such as smtps://user:password@mail.example.com."
      )
    }
    const from = Option.getOrUndefined(given.from)
    if (from === undefined || !isAddress(from)) {
      return yield* Effect.fail(
        "ATRIUM_MAIL_FROM must be the address that mails come from, such as atrium@example.com."
      )
    }
    return Option.some({ url, from })
  })
