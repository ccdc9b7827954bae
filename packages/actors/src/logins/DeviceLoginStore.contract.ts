import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Exit, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { makeSecret } from "../store/Secrets.ts"
import { refusalTag } from "../store/testing/Refusals.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { AccountStore } from "./AccountStore.ts"
import { DeviceLoginStore } from "./DeviceLoginStore.ts"
import { LoginStore } from "./LoginStore.ts"

/** An account of its own, and the logins of devices. */
const given = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { accountId } = yield* accounts.create("Ann")
  return { accountId, devices: yield* DeviceLoginStore, logins: yield* LoginStore }
})

/**
 * The behaviour of every layer of `DeviceLoginStore`.
 * @param name of the layer, as the report shows it
 */
export const deviceLoginStoreContract = (
  name: string,
  stores: Layer.Layer<AccountStore | DeviceLoginStore | LoginStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-23] a device gets its token once, after somebody has allowed it", () =>
      Effect.gen(function* () {
        const { accountId, devices, logins } = yield* given
        const nowMs = yield* Clock.currentTimeMillis
        const { deviceCode, userCode } = yield* devices.start("Ann's laptop")
        expect(deviceCode).toMatch(/^cd_[A-Za-z0-9_-]{43}$/)
        expect(userCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
        expect(yield* refusalTag(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
        const expiresAtMs = nowMs + LoginLimits.deviceLoginLife.ms
        const asking = { userCode, label: "Ann's laptop", expiresAtMs }
        expect(yield* devices.look(userCode)).toEqual(asking)
        expect(yield* devices.decide({ userCode, accountId, allow: true })).toEqual(asking)
        const { account, login, secret } = yield* devices.poll(deviceCode)
        expect(account.accountId).toBe(accountId)
        expect([login.label, login.kind]).toEqual(["Ann's laptop", "cli"])
        expect(Option.isSome(yield* logins.find(secret))).toBe(true)
        expect(yield* refusalTag(devices.poll(deviceCode))).toBe("E_LOGIN_CODE")
        expect(yield* refusalTag(devices.look(userCode))).toBe("E_LOGIN_CODE")
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

    it.effect(
      "[D-23] tells a device that polls faster than every five seconds how long to wait",
      () =>
        Effect.gen(function* () {
          const { devices } = yield* given
          const { deviceCode } = yield* devices.start("laptop")
          expect(yield* refusalTag(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
          yield* TestClock.adjust(LoginLimits.devicePoll.ms - 1)
          const early = yield* Effect.flip(devices.poll(deviceCode))
          expect(early).toMatchObject({ _tag: "E_RATE_LIMITED", retryAfterMs: 1 })
          // It is five seconds after the last answer that counted, not after the refusal.
          yield* TestClock.adjust(1)
          expect(yield* refusalTag(devices.poll(deviceCode))).toBe("E_LOGIN_PENDING")
        })
    )

    it.effect("[D-23] a denied login, one that is over and an unknown one are one answer", () =>
      Effect.gen(function* () {
        const { accountId, devices, logins } = yield* given
        const denied = yield* devices.start("denied")
        yield* devices.decide({ userCode: denied.userCode, accountId, allow: false })
        const late = yield* devices.start("late")
        yield* devices.decide({ userCode: late.userCode, accountId, allow: true })
        expect(yield* refusalTag(devices.poll(denied.deviceCode))).toBe("E_LOGIN_CODE")
        expect(yield* refusalTag(devices.poll(makeSecret("deviceCode")))).toBe("E_LOGIN_CODE")
        const again = devices.decide({ userCode: denied.userCode, accountId, allow: true })
        expect(yield* refusalTag(again)).toBe("E_LOGIN_CODE")
        yield* TestClock.adjust(LoginLimits.deviceLoginLife.ms)
        expect(yield* refusalTag(devices.poll(late.deviceCode))).toBe("E_LOGIN_CODE")
        expect(yield* refusalTag(devices.look(late.userCode))).toBe("E_LOGIN_CODE")
        const unknown = devices.decide({ userCode: "0000-0000", accountId, allow: true })
        expect(yield* refusalTag(unknown)).toBe("E_LOGIN_CODE")
        expect(yield* logins.list(accountId)).toEqual([])
      })
    )

    it.effect(
      "[D-23] one login less than the most are under way: one more starts, a second not",
      () =>
        Effect.gen(function* () {
          const { devices } = yield* given
          const tables = yield* TestTables
          yield* tables.removeDeviceLogins
          yield* tables.addDeviceLogins(LoginLimits.deviceLogins.max - 1)
          const last = yield* devices.start("last")
          expect(yield* refusalTag(devices.start("one too many"))).toBe("E_RATE_LIMITED")
          expect(yield* refusalTag(devices.poll(last.deviceCode))).toBe("E_LOGIN_PENDING")
          // Logins that are over go when the next one starts.
          yield* TestClock.adjust(LoginLimits.deviceLoginLife.ms)
          yield* devices.start("first")
          yield* tables.addDeviceLogins(LoginLimits.deviceLogins.max - 2)
          yield* devices.start("last")
          expect(yield* refusalTag(devices.start("one too many"))).toBe("E_RATE_LIMITED")
          yield* tables.removeDeviceLogins
        })
    )
  })
