import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { makeSecret } from "../store/Secrets.ts"
import { refusalTag } from "../store/testing/Refusals.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { AccountStore } from "./AccountStore.ts"
import { InvitationStore } from "./InvitationStore.ts"
import { LoginStore } from "./LoginStore.ts"

/** An account of its own, and the invitations. */
const given = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { accountId } = yield* accounts.create("Ann")
  return { accountId, invitations: yield* InvitationStore, logins: yield* LoginStore }
})

/**
 * The behaviour of every layer of `InvitationStore`.
 * @param name of the layer, as the report shows it
 */
export const invitationStoreContract = (
  name: string,
  stores: Layer.Layer<AccountStore | InvitationStore | LoginStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[C-66] an invitation makes an account of the chosen name, with its first token",
      () =>
        Effect.gen(function* () {
          const { accountId, invitations, logins } = yield* given
          const nowMs = yield* Clock.currentTimeMillis
          const { code, ...row } = yield* invitations.invite({
            accountId,
            name: "Ben, for the demo"
          })
          expect(code).toMatch(/^ci_[A-Za-z0-9_-]{43}$/)
          expect(row).toEqual({
            invitationId: row.invitationId,
            name: "Ben, for the demo",
            acceptedBy: null,
            createdAtMs: nowMs,
            expiresAtMs: nowMs + LoginLimits.invitationLife.ms
          })
          expect(yield* invitations.list(accountId)).toEqual([row])
          const { account, login, secret } = yield* invitations.accept({ code, name: "Ben" })
          expect(account.name).toBe("Ben")
          expect(account.accountId).not.toBe(accountId)
          expect([login.kind, login.expiresAtMs]).toEqual(["account", null])
          expect(Option.map(yield* logins.find(secret), (found) => found.account)).toEqual(
            Option.some(account)
          )
          const accepted = { ...row, acceptedBy: account.accountId }
          expect(yield* invitations.list(accountId)).toEqual([accepted])
          expect(yield* refusalTag(invitations.withdraw(accountId, row.invitationId))).toBe(
            "E_INVITATION"
          )
          expect(yield* refusalTag(invitations.accept({ code, name: "Eve" }))).toBe("E_INVITATION")
          expect(yield* logins.list(accountId)).toEqual([])
        })
    )

    it.effect("[C-66] of twenty who accept one invitation at once one gets an account", () =>
      Effect.gen(function* () {
        const { accountId, invitations } = yield* given
        const { code } = yield* invitations.invite({ accountId, name: "Ben" })
        const tries = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => Effect.exit(invitations.accept({ code, name: "racer" })),
          { concurrency: 8 }
        )
        expect(tries.filter(Exit.isSuccess)).toHaveLength(1)
        expect(yield* (yield* TestTables).countAccounts("racer")).toBe(1)
      })
    )

    it.effect("[C-66] an invitation is good for seven days, and until it is withdrawn", () =>
      Effect.gen(function* () {
        const { accountId, invitations } = yield* given
        const { accountId: strangerId } = yield* given
        const last = yield* invitations.invite({ accountId, name: "in time" })
        const late = yield* invitations.invite({ accountId, name: "late" })
        const back = yield* invitations.invite({ accountId, name: "withdrawn" })
        const strangers = invitations.withdraw(strangerId, back.invitationId)
        expect(yield* refusalTag(strangers)).toBe("E_INVITATION")
        const { code, ...row } = back
        expect(yield* invitations.withdraw(accountId, back.invitationId)).toEqual(row)
        expect(yield* refusalTag(invitations.accept({ code, name: "Eve" }))).toBe("E_INVITATION")
        expect(
          yield* refusalTag(invitations.accept({ code: makeSecret("invitation"), name: "Eve" }))
        ).toBe("E_INVITATION")
        yield* TestClock.adjust(LoginLimits.invitationLife.ms - 1)
        yield* invitations.accept({ code: last.code, name: "Ben" })
        yield* TestClock.adjust(1)
        expect(yield* refusalTag(invitations.accept({ code: late.code, name: "Cyd" }))).toBe(
          "E_INVITATION"
        )
        expect(yield* refusalTag(invitations.withdraw(accountId, late.invitationId))).toBe(
          "E_INVITATION"
        )
        expect(yield* invitations.list(accountId)).toEqual([])
        expect(yield* invitations.list(strangerId)).toEqual([])
      })
    )

    it.effect("[C-66] an account has a hundred invitations under way, and no more", () =>
      Effect.gen(function* () {
        const { accountId, invitations } = yield* given
        const invite = invitations.invite({ accountId, name: "guest" })
        yield* Effect.forEach(Array.from({ length: LoginLimits.invitations.max }), () => invite)
        expect(yield* refusalTag(invite)).toBe("E_INVITATIONS_FULL")
        expect(yield* invitations.list(accountId)).toHaveLength(LoginLimits.invitations.max)
        const others = yield* given
        yield* invitations.invite({ accountId: others.accountId, name: "guest" })
        yield* TestClock.adjust(LoginLimits.invitationLife.ms)
        yield* invite
        expect(yield* invitations.list(accountId)).toHaveLength(1)
      })
    )
  })
