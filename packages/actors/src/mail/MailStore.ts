import { MailLimits } from "@atrium/domain/mail/MailLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

/** A mail about a project, to the address of its owner. */
export interface NewMail {
  readonly projectId: ProjectId
  readonly kind: "cap"
  readonly subject: string
  readonly text: string
}

const TakenMail = Schema.Struct({
  mailId: Schema.Int,
  projectId: ProjectId,
  kind: Schema.Literal("cap"),
  subject: Schema.String,
  text: Schema.String,
  /** The address that the owner's account has set; `null` = none. */
  address: Schema.NullOr(Schema.String)
})

/** A mail that the caller alone sends now. */
export type TakenMail = typeof TakenMail.Type

/** What became of sending a mail. `unsent` = the mail server certainly did not take it. */
export type MailOutcome = "sent" | "logged" | "unsent" | "given up"

/** A mail as the outbox has it. */
export interface MailRow extends NewMail {
  readonly madeAtMs: number
  /** The next moment at which it is tried; `null` = somebody has taken it. */
  readonly nextAtMs: number | null
  readonly outcome: MailOutcome | null
}

/** The outbox, by the number of the mail. */
export const mailTable = new MemoryTable<MailRow>()

/** The address for mails of each account, by its id. */
const contactTable = new MemoryTable<string>()

const readTaken = readRows(TakenMail)

/** Puts a mail into the outbox, in the transaction of its caller. */
export const insertMail = (sql: SqlClient.SqlClient, mail: NewMail, nowMs: number) =>
  sql`insert into mails (project_id, kind, subject, text, made_at_ms, next_at_ms)
    values (${mail.projectId}, ${mail.kind}, ${mail.subject}, ${mail.text}, ${nowMs}, ${nowMs})`

/** The same in memory. */
export const addMail = (tables: MemoryTables, mail: NewMail, nowMs: number): void => {
  const row: MailRow = { ...mail, madeAtMs: nowMs, nextAtMs: nowMs, outcome: null }
  mailTable.rowsIn(tables).set(String(tables.next("mails.id")), row)
}

/**
 * The outbox. A mail is taken before it is sent, and comes back only when the mail server certainly did not
 * take it: no runner sends it twice, and one whose sender ended meanwhile is not sent. A failing store is a
 * defect. Source: C-505.
 */
export class MailStore extends Context.Service<
  MailStore,
  {
    /** Mails that are due, oldest first; no other caller gets them. */
    readonly take: Effect.Effect<ReadonlyArray<TakenMail>>
    /** An `unsent` mail is due again later, until it has been tried for long enough. */
    settle(mailId: number, outcome: "sent" | "logged" | "unsent"): Effect.Effect<MailOutcome>
    /** The mails about a project, oldest first. */
    list(projectId: ProjectId): Effect.Effect<ReadonlyArray<Pick<MailRow, "kind" | "subject">>>
    /** The address for mails to an account; `null` = none is set. */
    contact(accountId: string): Effect.Effect<string | null>
    setContact(accountId: string, address: string | null): Effect.Effect<void>
  }
>()("@atrium/actors/mail/MailStore") {
  static readonly layerSql = Layer.effect(
    MailStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const take = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        return yield* readTaken(sql`
          with due as (
            select mail_id from mails where next_at_ms <= ${nowMs}
            order by mail_id limit ${MailLimits.mailBatch.max} for update skip locked
          ), taken as (
            update mails m set next_at_ms = null from due where m.mail_id = due.mail_id
            returning m.mail_id, m.project_id, m.kind, m.subject, m.text
          )
          select t.*, c.address from taken t
            join projects p on p.project_id = t.project_id
            left join mail_contacts c on c.account_id = p.account_id
          order by t.mail_id`)
      }).pipe(Effect.withSpan("MailStore.take"))

      const settle = Effect.fn("MailStore.settle")(function* (
        mailId: number,
        outcome: "sent" | "logged" | "unsent"
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const lastMs = nowMs - MailLimits.mailTries.ms
        const [row] = yield* Effect.orDie(sql<{ readonly outcome: MailOutcome }>`
          update mails set
            outcome = case when ${outcome} = 'unsent' and made_at_ms <= ${lastMs} then 'given up'
              else ${outcome} end,
            next_at_ms = case when ${outcome} = 'unsent' and made_at_ms > ${lastMs}
              then ${nowMs + MailLimits.mailRetry.ms}::bigint end
          where mail_id = ${mailId} returning outcome`)
        return row?.outcome ?? outcome
      })

      const list = Effect.fn("MailStore.list")((projectId: ProjectId) =>
        Effect.orDie(sql<{ readonly kind: "cap"; readonly subject: string }>`
          select kind, subject from mails where project_id = ${projectId} order by mail_id`)
      )

      const contact = Effect.fn("MailStore.contact")(function* (accountId: string) {
        const rows = yield* Effect.orDie(sql<{ readonly address: string }>`
          select address from mail_contacts where account_id = ${accountId}`)
        return rows[0]?.address ?? null
      })

      const setContact = Effect.fn("MailStore.setContact")(function* (
        accountId: string,
        address: string | null
      ) {
        yield* Effect.orDie(
          address === null
            ? sql`delete from mail_contacts where account_id = ${accountId}`
            : sql`insert into mail_contacts (account_id, address) values (${accountId}, ${address})
                on conflict (account_id) do update set address = excluded.address`
        )
      })

      return { take, settle, list, contact, setContact }
    })
  )

  static readonly layerMemory = Layer.effect(
    MailStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables, ask } = database
      const mails = mailTable.rowsIn(tables)
      const contacts = contactTable.rowsIn(tables)
      const at = atNow(database)
      return {
        take: at("MailStore.take", (nowMs) =>
          [...mails]
            .filter(([, { nextAtMs }]) => nextAtMs !== null && nextAtMs <= nowMs)
            .slice(0, MailLimits.mailBatch.max)
            .map(([key, row]) => {
              mails.set(key, { ...row, nextAtMs: null })
              const { projectId, kind, subject, text } = row
              const account = projectIn(tables, projectId)?.accountId ?? ""
              const address = contacts.get(account) ?? null
              return { mailId: Number(key), projectId, kind, subject, text, address }
            })
        ),
        settle: (mailId, outcome) =>
          at("MailStore.settle", (nowMs) => {
            const row = mails.get(String(mailId))
            if (row === undefined) return outcome
            const again = outcome === "unsent"
            const over = again && row.madeAtMs <= nowMs - MailLimits.mailTries.ms
            const became: MailOutcome = over ? "given up" : outcome
            const nextAtMs = again && !over ? nowMs + MailLimits.mailRetry.ms : null
            mails.set(String(mailId), { ...row, outcome: became, nextAtMs })
            return became
          }),
        list: (projectId) =>
          ask("MailStore.list", () =>
            [...mails.values()]
              .filter((row) => row.projectId === projectId)
              .map(({ kind, subject }) => ({ kind, subject }))
          ),
        contact: (accountId) => ask("MailStore.contact", () => contacts.get(accountId) ?? null),
        setContact: (accountId, address) =>
          ask("MailStore.setContact", () => {
            if (address === null) contacts.delete(accountId)
            else contacts.set(accountId, address)
          })
      }
    })
  )
}
