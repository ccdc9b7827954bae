import type { NounTables } from "../store/NounTables.ts"
import { mailTable } from "./MailStore.ts"

/** The outbox of mails. The migration `0019_alerts` of meters makes it. */
export const mailTables: NounTables = {
  migrations: {},
  purge: [{ table: "mails", memory: mailTable.removal(({ projectId }) => projectId) }]
}
