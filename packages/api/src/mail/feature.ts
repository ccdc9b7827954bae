import { Mailer } from "@atrium/actors/mail/Mailer"
import { mailTables } from "@atrium/actors/mail/MailTables"

import { defineFeature } from "../defineFeature.ts"

export const feature = defineFeature({
  noun: "mail",
  tables: mailTables,
  control: [() => import("./MailHooks.ts")],
  actors: Mailer
})
