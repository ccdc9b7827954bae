import { MailLimits } from "@atrium/domain/mail/MailLimits"
import { allowances, billingPeriod } from "@atrium/domain/meters/Caps"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { AlertStore } from "../meters/AlertStore.ts"
import { MeterStore } from "../meters/MeterStore.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { MailStore } from "./MailStore.ts"

/** A project about which a mail is in the outbox. */
const mailed = Effect.gen(function* () {
  const projectId = yield* newProject
  const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
  const used = allowances.card.roomHours
  yield* (yield* MeterStore).set({ projectId, startMs }, { meter: "roomHours", used })
  yield* (yield* AlertStore).raise
  return projectId
})

/**
 * The behaviour of every layer of `MailStore`.
 * @param name of the layer, as the report shows it
 */
export const mailStoreContract = (
  name: string,
  stores: Layer.Layer<AlertStore | MailStore | MeterStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-505] of many who take mails at once one gets each", () =>
      Effect.gen(function* () {
        const { take, settle } = yield* MailStore
        const projectId = yield* mailed
        const taken = yield* Effect.all([take, take, take, take], { concurrency: 4 })
        const mails = taken.flat()
        expect(mails.map((mail) => mail.projectId)).toEqual([projectId])
        expect(mails[0]).toMatchObject({ kind: "cap", address: null })
        // Its taker has ended: nobody knows whether it was sent.
        yield* TestClock.adjust(2 * MailLimits.mailTries.ms)
        expect(yield* take).toEqual([])
        expect(yield* settle(mails[0]?.mailId ?? 0, "sent")).toBe("sent")
        expect(yield* take).toEqual([])
      })
    )

    it.effect("[C-505] a mail that was not taken by the mail server is due again, for a day", () =>
      Effect.gen(function* () {
        const { take, settle } = yield* MailStore
        yield* mailed
        const [mail] = yield* take
        const mailId = mail?.mailId ?? 0
        expect(yield* settle(mailId, "unsent")).toBe("unsent")
        yield* TestClock.adjust(MailLimits.mailRetry.ms - 1)
        expect(yield* take).toEqual([])
        yield* TestClock.adjust(1)
        expect((yield* take).map((again) => again.mailId)).toEqual([mailId])
        yield* TestClock.adjust(MailLimits.mailTries.ms - MailLimits.mailRetry.ms - 1)
        expect(yield* settle(mailId, "unsent")).toBe("unsent")
        yield* TestClock.adjust(MailLimits.mailRetry.ms)
        expect(yield* take).toHaveLength(1)
        expect(yield* settle(mailId, "unsent")).toBe("given up")
        yield* TestClock.adjust(MailLimits.mailTries.ms)
        expect(yield* take).toEqual([])
      })
    )

    it.effect("[C-504] a mail goes to the address that its owner's account has now", () =>
      Effect.gen(function* () {
        const { take, contact, setContact } = yield* MailStore
        const accountId = yield* (yield* TestTables).account
        expect(yield* contact(accountId)).toBe(null)
        yield* setContact(accountId, "one@example.com")
        yield* mailed
        yield* setContact(accountId, "two@example.com")
        expect(yield* contact(accountId)).toBe("two@example.com")
        expect((yield* take).map(({ address }) => address)).toEqual(["two@example.com"])
        yield* setContact(accountId, null)
        expect(yield* contact(accountId)).toBe(null)
      })
    )
  })
