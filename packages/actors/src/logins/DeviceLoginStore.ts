import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { LoginCodeUnknown, LoginPending, RateLimited } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"
import { hashSecret, hashSecretHex, makeSecret, makeUserCode } from "../store/Secrets.ts"
import {
  DeviceLoginAction,
  DeviceLoginEvent,
  DeviceLoginState,
  step
} from "./DeviceLoginMachine.ts"
import { type IssuedLogin, issueLogin, type NewLogin } from "./LoginRows.ts"
import { LoginStore } from "./LoginStore.ts"

/** The code that a device shows, and the one that it polls with. */
export interface StartedDeviceLogin {
  readonly deviceCode: string
  readonly userCode: string
}

/** A device's login as the person sees it who may allow it. */
export interface AskingDevice {
  readonly userCode: string
  readonly label: string
  readonly expiresAtMs: number
}

const DeviceRow = Schema.Struct({
  userCode: Schema.String,
  label: Schema.String,
  accountId: Schema.NullOr(Schema.String),
  state: Schema.Literals(["Waiting", "Approved", "Denied", "Taken"]),
  expiresAtMs: Schema.Int,
  polledAtMs: Schema.NullOr(Schema.Int)
})
type DeviceRow = typeof DeviceRow.Type
const readDevices = readRows(DeviceRow)

/** The key under which a login is looked for: its owner's secret, or what a person typed. */
type DeviceKey = { readonly deviceCode: string } | { readonly userCode: string }

/** Logins of devices; of a device code only the SHA-256 is stored. A failing store is a defect. */
export class DeviceLoginStore extends Context.Service<
  DeviceLoginStore,
  {
    start(label: string): Effect.Effect<StartedDeviceLogin, RateLimited>
    look(userCode: string): Effect.Effect<AskingDevice, LoginCodeUnknown>
    decide(decision: {
      readonly userCode: string
      readonly accountId: string
      readonly allow: boolean
    }): Effect.Effect<AskingDevice, LoginCodeUnknown>
    /** The device's token, once: a second request at the same moment gets none. */
    poll(
      deviceCode: string
    ): Effect.Effect<IssuedLogin, LoginPending | LoginCodeUnknown | RateLimited>
  }
>()("@atrium/actors/logins/DeviceLoginStore") {
  static readonly layerSql = Layer.effect(
    DeviceLoginStore,
    Effect.gen(function* () {
      return deviceLogins(sqlDevices(yield* SqlClient.SqlClient, yield* LoginStore))
    })
  )

  static readonly layerMemory = Layer.effect(
    DeviceLoginStore,
    Effect.map(MemoryDatabase, (database) => deviceLogins(memoryDevices(database)))
  )
}

/** The action of one step, and the login as a person sees it; `asking` = `null`: there is no such login. */
interface Stepped {
  readonly action: DeviceLoginAction
  readonly asking: AskingDevice | null
}

/** The rows of device logins; each method is one transaction. */
interface DeviceRows {
  /** @returns whether there was a place for one more */
  insert(device: StartedDeviceLogin & { readonly label: string }): Effect.Effect<boolean>
  happen(userCode: string, event: DeviceLoginEvent): Effect.Effect<Stepped>
  /** The token is there when the login is taken, or the device would have lost its one chance. */
  poll(
    deviceCode: string,
    event: DeviceLoginEvent
  ): Effect.Effect<Stepped & { readonly issued: IssuedLogin | null }>
}

const deviceLogins = (rows: DeviceRows): DeviceLoginStore["Service"] => {
  const confirmed = Effect.fnUntraced(function* (userCode: string, event: DeviceLoginEvent) {
    const { action, asking } = yield* rows.happen(userCode, event)
    if (action._tag !== "Confirm" || asking === null) return yield* new LoginCodeUnknown()
    return asking
  })

  const start = Effect.fn("DeviceLoginStore.start")(function* (label: string) {
    const deviceCode = makeSecret("deviceCode")
    const userCode = makeUserCode()
    if (yield* rows.insert({ deviceCode, userCode, label })) {
      return { deviceCode, userCode }
    }
    return yield* new RateLimited({ retryAfterMs: LoginLimits.devicePoll.ms })
  })

  const look = Effect.fn("DeviceLoginStore.look")(function* (userCode: string) {
    const nowMs = yield* Clock.currentTimeMillis
    return yield* confirmed(userCode, DeviceLoginEvent.Looked({ nowMs }))
  })

  const decide = Effect.fn("DeviceLoginStore.decide")(function* (decision: {
    readonly userCode: string
    readonly accountId: string
    readonly allow: boolean
  }) {
    const { userCode, accountId, allow } = decision
    const nowMs = yield* Clock.currentTimeMillis
    const event = DeviceLoginEvent.Decided({ nowMs, accountId, allow })
    return yield* confirmed(userCode, event)
  })

  const poll = Effect.fn("DeviceLoginStore.poll")(function* (deviceCode: string) {
    const nowMs = yield* Clock.currentTimeMillis
    const event = DeviceLoginEvent.Polled({ nowMs })
    const { action, issued } = yield* rows.poll(deviceCode, event)
    if (issued !== null) return issued
    if (action._tag === "AskLater") return yield* new LoginPending()
    if (action._tag === "RefuseTooSoon") {
      return yield* new RateLimited({ retryAfterMs: action.retryAfterMs })
    }
    return yield* new LoginCodeUnknown()
  })

  return { start, look, decide, poll }
}

/** The login with which a device comes of a decision, if it comes now. */
const newLoginOf = ({ action, asking }: Stepped): NewLogin | null =>
  action._tag === "IssueToken" && asking !== null
    ? { accountId: action.accountId, kind: "cli", label: asking.label }
    : null

const sqlDevices = (sql: SqlClient.SqlClient, logins: LoginStore["Service"]): DeviceRows => {
  const insert: DeviceRows["insert"] = Effect.fnUntraced(function* (device) {
    const nowMs = yield* Clock.currentTimeMillis
    // Rows that somebody holds just now are left to the next start.
    yield* Effect.orDie(sql`delete from device_logins where device_hash in (
      select device_hash from device_logins where expires_at_ms <= ${nowMs}
      for update skip locked)`)
    const rows = yield* Effect.orDie(sql`
      insert into device_logins
        (device_hash, user_code, label, state, created_at_ms, expires_at_ms)
      select ${hashSecret(device.deviceCode)}, ${device.userCode}, ${device.label}, 'Waiting',
        ${nowMs}::bigint, ${nowMs + LoginLimits.deviceLoginLife.ms}::bigint
      where (select count(*) from device_logins) < ${LoginLimits.deviceLogins.max}
      returning user_code`)
    return rows.length > 0
  })

  const stepped = Effect.fn("DeviceLoginStore.step")(function* (
    key: DeviceKey,
    event: DeviceLoginEvent
  ) {
    const [row] = yield* readDevices(
      "userCode" in key
        ? sql`select * from device_logins where user_code = ${key.userCode} for update`
        : sql`select * from device_logins
            where device_hash = ${hashSecret(key.deviceCode)} for update`
    )
    if (row === undefined) return unknownDevice
    const state = stateOf(row)
    const [next, action] = step(state, event)
    if (next !== state) {
      const accountId = next._tag === "Approved" ? next.accountId : null
      const polledAtMs = next._tag === "Waiting" ? next.polledAtMs : null
      yield* sql`update device_logins set state = ${next._tag}, account_id = ${accountId},
          polled_at_ms = ${polledAtMs} where user_code = ${row.userCode}`
    }
    return { action, asking: askingOf(row) }
  })

  const polled = Effect.fnUntraced(function* (deviceCode: string, event: DeviceLoginEvent) {
    const happened = yield* stepped({ deviceCode }, event)
    const login = newLoginOf(happened)
    return { ...happened, issued: login === null ? null : yield* logins.issue(login) }
  })

  return {
    insert,
    happen: (userCode, event) => Effect.orDie(sql.withTransaction(stepped({ userCode }, event))),
    poll: (deviceCode, event) => Effect.orDie(sql.withTransaction(polled(deviceCode, event)))
  }
}

const unknownDevice: Stepped = { action: DeviceLoginAction.RefuseUnknown(), asking: null }

interface MemoryDevice {
  readonly asking: AskingDevice
  readonly state: DeviceLoginState
}

/** The logins of devices, by the SHA-256 of their device codes. */
export const deviceTable = new MemoryTable<MemoryDevice>()

const memoryDevices = (database: MemoryDatabase["Service"]): DeviceRows => {
  const { tables } = database
  const at = atNow(database)
  const devices = deviceTable.rowsIn(tables)
  const stepped = (hash: string | undefined, event: DeviceLoginEvent): Stepped => {
    const device = devices.get(hash ?? "")
    if (hash === undefined || device === undefined) return unknownDevice
    const [state, action] = step(device.state, event)
    devices.set(hash, { ...device, state })
    return { action, asking: device.asking }
  }
  return {
    insert: ({ deviceCode, userCode, label }) =>
      at("DeviceLoginStore.insert", (nowMs) => {
        for (const [hash, { asking }] of devices) {
          if (asking.expiresAtMs <= nowMs) devices.delete(hash)
        }
        if (devices.size >= LoginLimits.deviceLogins.max) return false
        const expiresAtMs = nowMs + LoginLimits.deviceLoginLife.ms
        devices.set(hashSecretHex(deviceCode), {
          asking: { userCode, label, expiresAtMs },
          state: DeviceLoginState.Waiting({ expiresAtMs, polledAtMs: null })
        })
        return true
      }),
    happen: (userCode, event) =>
      at("DeviceLoginStore.happen", () => {
        const found = [...devices].find(([, { asking }]) => asking.userCode === userCode)
        return stepped(found?.[0], event)
      }),
    poll: (deviceCode, event) =>
      at("DeviceLoginStore.poll", (nowMs) => {
        const happened = stepped(hashSecretHex(deviceCode), event)
        const login = newLoginOf(happened)
        return { ...happened, issued: login === null ? null : issueLogin(tables, login, nowMs) }
      })
  }
}

const stateOf = ({ state, expiresAtMs, polledAtMs, accountId }: DeviceRow): DeviceLoginState => {
  switch (state) {
    case "Waiting":
      return DeviceLoginState.Waiting({ expiresAtMs, polledAtMs })
    case "Approved":
      if (accountId === null) throw new Error("an approved device login has no account")
      return DeviceLoginState.Approved({ expiresAtMs, accountId })
    case "Denied":
      return DeviceLoginState.Denied({ expiresAtMs })
    case "Taken":
      return DeviceLoginState.Taken({ expiresAtMs })
  }
}

const askingOf = ({ userCode, label, expiresAtMs }: DeviceRow): AskingDevice => ({
  userCode,
  label,
  expiresAtMs
})
