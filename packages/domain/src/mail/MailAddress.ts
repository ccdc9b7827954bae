import { Schema } from "effect"

import { MailLimits } from "./MailLimits.ts"

const { max } = MailLimits.mailAddressChars
const addressForm = `must be a mail address of at most ${max} characters, such as ops@example.com`

/** One address without a display name. No character of it can end a header line or begin a second address. */
export const MailAddress = Schema.String.annotate({ message: addressForm }).check(
  Schema.makeFilter(
    (text) =>
      (text.length <= max &&
        /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$/.test(text)) ||
      addressForm
  )
)
