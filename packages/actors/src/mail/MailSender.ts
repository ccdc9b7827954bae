import { Context, Data, type Effect } from "effect"

/** A mail with its address. */
export interface AddressedMail {
  /** The same at each try: a mail server or a reader can tell a second copy. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Why a mail was not sent. `taken` = the mail server may have it all the same. */
export class MailFailed extends Data.TaggedError("MailFailed")<{
  readonly message: string
  readonly taken: boolean
}> {}

/** Hands a mail to the operator's mail server; `null` = none is configured. */
export const MailSender = Context.Reference<
  ((mail: AddressedMail) => Effect.Effect<void, MailFailed>) | null
>("@atrium/actors/mail/MailSender", { defaultValue: () => null })
