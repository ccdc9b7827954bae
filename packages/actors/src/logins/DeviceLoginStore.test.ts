import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { makeSecret } from "../store/Secrets.ts"
import { TestStores } from "../store/testing/TestStores.ts"
import { AccountStore } from "./AccountStore.ts"
import { DeviceLoginStore } from "./DeviceLoginStore.ts"
import { LoginStore } from "./LoginStore.ts"

/** An account of its own, and the logins of devices. */
const given = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { accountId } = yield* accounts.create("Ann")
  return { accountId, devices: yield* DeviceLoginStore, logins: yield* LoginStore }
})

const refusal = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

layer(TestStores)((it) => {
  it.effect("[D-23] a device gets its token once, after somebody has allowed it", () =>
    Effect.gen(function* () {
      const { accountId, devices, logins } = yield* given
      const nowMs = yield* Clock.currentTimeMillis
      const { deviceCode, userCode } = yield* devices.start("Ann's laptop")
      expect(deviceCode).toMatch(/^cd_[A-Za-z0-9_-]{43}$/)
      expect(userCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
      expect(yield* refusal(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
      const expiresAtMs = nowMs + LoginLimits.deviceLoginLife.ms
      const asking = { userCode, label: "Ann's laptop", expiresAtMs }
      expect(yield* devices.look(userCode)).toEqual(asking)
      expect(yield* devices.decide({ userCode, accountId, allow: true })).toEqual(asking)
      const { account, login, secret } = yield* devices.poll(deviceCode)
      expect(account.accountId).toBe(accountId)
      expect([login.label, login.kind]).toEqual(["Ann's laptop", "cli"])
      expect(Option.isSome(yield* logins.find(secret))).toBe(true)
      expect(yield* refusal(devices.poll(deviceCode))).toBe("E_LOGIN_CODE")
      expect(yield* refusal(devices.look(userCode))).toBe("E_LOGIN_CODE")
      expect(yield* logins.list(accountId)).toEqual([login])
    })
  )

  it.effect("[D-23] of twenty who poll at once one gets the token", () =>
    Effect.gen(function* () {
      const { accountId, devices, logins } = yield* given
      const { deviceCode, userCode } = yield* devices.start("laptop")
      yield* devices.decide({ userCode, accountId, allow: true })
      const polls = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => Effect.exit(devices.poll(deviceCode)),
        { concurrency: 8 }
      )
      expect(polls.filter(Exit.isSuccess)).toHaveLength(1)
      expect(yield* logins.list(accountId)).toHaveLength(1)
    })
  )

  it.effect("[D-23] who polls faster than every five seconds is told how long to wait", () =>
    Effect.gen(function* () {
      const { devices } = yield* given
      const { deviceCode } = yield* devices.start("laptop")
      expect(yield* refusal(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
      yield* TestClock.adjust(LoginLimits.devicePoll.ms - 1)
      const early = yield* Effect.flip(devices.poll(deviceCode))
      expect(early).toMatchObject({ _tag: "E_RATE_LIMITED", retryAfterMs: 1 })
      // It is five seconds after the last answer that counted, not after the refusal.
      yield* TestClock.adjust(1)
      expect(yield* refusal(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
    })
  )

  it.effect("[D-23] a denied login, one that is over and an unknown one are one answer", () =>
    Effect.gen(function* () {
      const { accountId, devices, logins } = yield* given
      const denied = yield* devices.start("denied")
      yield* devices.decide({ userCode: denied.userCode, accountId, allow: false })
      const late = yield* devices.start("late")
      yield* devices.decide({ userCode: late.userCode, accountId, allow: true })
      expect(yield* refusal(devices.poll(denied.deviceCode))).toBe("E_LOGIN_CODE")
      expect(yield* refusal(devices.poll(makeSecret("deviceCode")))).toBe("E_LOGIN_CODE")
      const again = devices.decide({ userCode: denied.userCode, accountId, allow: true })
      expect(yield* refusal(again)).toBe("E_LOGIN_CODE")
      yield* TestClock.adjust(LoginLimits.deviceLoginLife.ms)
      expect(yield* refusal(devices.poll(late.deviceCode))).toBe("E_LOGIN_CODE")
      expect(yield* refusal(devices.look(late.userCode))).toBe("E_LOGIN_CODE")
      const unknown = devices.decide({ userCode: "0000-0000", accountId, allow: true })
      expect(yield* refusal(unknown)).toBe("E_LOGIN_CODE")
      expect(yield* logins.list(accountId)).toEqual([])
    })
  )

  it.effect(
    "[D-23] one login less than the most are under way: one more starts, a second not",
    () =>
      Effect.gen(function* () {
        const { devices } = yield* given
        const sql = yield* SqlClient.SqlClient
        // Those of the other tests are over, and go when the next one starts.
        yield* TestClock.adjust(2 * LoginLimits.deviceLoginLife.ms)
        const { userCode } = yield* devices.start("first")
        const rows = yield* sql<{ readonly code: string; readonly row: string }>`
        select user_code as code, d::text as row from device_logins d`
        expect(rows.map(({ code }) => code)).toEqual([userCode])
        yield* sql`insert into device_logins
          (device_hash, user_code, label, state, created_at_ms, expires_at_ms)
        select sha256(n::text::bytea), n::text, 'others', 'Waiting', 0, ${yield* Clock.currentTimeMillis} + 600000
        from generate_series(1, ${LoginLimits.deviceLogins.max - 2}) n`
        const last = yield* devices.start("last")
        expect(yield* refusal(devices.start("one too many"))).toBe("E_RATE_LIMITED")
        expect(yield* refusal(devices.poll(last.deviceCode))).toBe("E_LOGIN_PENDING")
        yield* sql`delete from device_logins where label = 'others'`
      })
  )

  it.effect(
    "[keys.secret.only-hash-stored] of a device code only its SHA-256 is in the table",
    () =>
      Effect.gen(function* () {
        const { devices } = yield* given
        const { deviceCode } = yield* devices.start("laptop")
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly row: string }>`
        select d::text as row from device_logins d`
        expect(rows.length).toBeGreaterThan(0)
        for (const { row } of rows) expect(row).not.toContain(deviceCode.slice(3))
      })
  )
})
