import { createHmac, randomBytes } from "node:crypto"

import { type Device, isDeviceId } from "@atrium/actors/accounts/AccountRows"
import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { hashSecret, makeSecret, Secrets } from "@atrium/actors/store/Secrets"
import { AccountApi } from "@atrium/domain/accounts/AccountApi"
import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { apiOf } from "@atrium/domain/http/Api"
import { readUserCode, userCodeBytes, userCodeOf } from "@atrium/domain/logins/UserCode"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { DeviceNotFound, LinkCodeInvalid, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"

import type { OpenRate } from "../http/OpenRates.ts"
import { makeOpenProject } from "../projects/OpenProject.ts"
import { PlayerTokens, type ProvenPlayer } from "../router/PlayerTokens.ts"
import { EndedPlayers } from "./EndedPlayers.ts"
import { makePlayerPage } from "./PlayerPage.ts"

export const linkCodeRate: OpenRate = {
  address: AccountLimits.linkCodesByAddress,
  subject: AccountLimits.linkCodes
}

export const linkRate: OpenRate = {
  address: AccountLimits.linksByAddress,
  subject: AccountLimits.links
}

/** Of the account and its devices together. Source: T-50. */
export const accountRate: OpenRate = {
  address: AccountLimits.accountCallsByAddress,
  subject: AccountLimits.accountCalls
}

interface Asked {
  readonly project: string
}
interface Query<Part = Asked> {
  readonly query: Part
}
interface Payload<Part = Asked> {
  readonly payload: Part
}
interface Labelled extends Asked {
  readonly label?: string
}

/** Accounts of players. */
export const AccountHandlers = HttpApiBuilder.group(
  apiOf(AccountApi),
  "account",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      ...(yield* linking),
      ...(yield* managing),
      ...(yield* leaving)
    })
  })
)

/** Proves who asks: the allowance of a project is for its own players. */
const makePlayer = Effect.gen(function* () {
  const openProject = yield* makeOpenProject
  const tokens = yield* PlayerTokens
  return Effect.fnUntraced(function* (rate: OpenRate, project: string) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const [, bearer = ""] = /^bearer +(.*)/i.exec(headers["authorization"] ?? "") ?? []
    return yield* openProject(rate, project, ({ projectId }) =>
      Effect.catch(tokens.identify(projectId, bearer), () => Effect.fail(new Unauthenticated()))
    )
  })
})

const makeDevicesOf = Effect.map(
  PlayerAccounts,
  (accounts) =>
    ({ projectId, playerId, identityId }: ProvenPlayer) =>
      Effect.map(accounts.devices(projectId, playerId), (devices) =>
        devices.map((device) => shownOf(device, identityId))
      )
)

/** Two devices become one player. */
const linking = Effect.gen(function* () {
  const player = yield* makePlayer
  const devicesOf = yield* makeDevicesOf
  const accounts = yield* PlayerAccounts
  const secrets = yield* Secrets

  const hashOf = (projectId: ProjectId, code: string): Uint8Array =>
    new Uint8Array(createHmac("sha256", secrets.linkCodeKey(projectId)).update(code).digest())

  return {
    linkCode: Effect.fn("account.linkCode")(function* ({ payload: { project } }: Payload) {
      const caller = yield* player(linkCodeRate, project)
      const expiresAtMs = (yield* Clock.currentTimeMillis) + AccountLimits.linkCodeLife.ms
      const code = userCodeOf(randomBytes(userCodeBytes))
      yield* accounts.offer({ ...caller, codeHash: hashOf(caller.projectId, code) })
      return { code: code.replace("-", ""), expiresAt: isoOf(expiresAtMs) }
    }),
    link: Effect.fn("account.link")(function* ({
      payload: { project, code, label }
    }: Payload<Labelled & { readonly code: string }>) {
      const caller = yield* player(linkRate, project)
      const read = readUserCode(code)
      if (read === null) return yield* new LinkCodeInvalid()
      const codeHash = hashOf(caller.projectId, read)
      const playerId = yield* accounts.redeem({ ...caller, codeHash, label: label ?? null })
      return { accountId: playerId, devices: yield* devicesOf({ ...caller, playerId }) }
    })
  }
})

/** What a player sees and changes of its devices. */
const managing = Effect.gen(function* () {
  const player = yield* makePlayer
  const devicesOf = yield* makeDevicesOf
  const accounts = yield* PlayerAccounts
  const ended = yield* EndedPlayers
  return {
    read: Effect.fn("account.read")(function* ({ query: { project } }: Query) {
      const caller = yield* player(accountRate, project)
      return { accountId: caller.playerId, devices: yield* devicesOf(caller) }
    }),
    devices: Effect.fn("account.devices")(function* ({ query: { project } }: Query) {
      return yield* devicesOf(yield* player(accountRate, project))
    }),
    register: Effect.fn("account.register")(function* ({
      payload: { project, label }
    }: Payload<Labelled>) {
      const caller = yield* player(accountRate, project)
      const credential = makeSecret("playerDevice")
      const secretHash = hashSecret(credential)
      const device = yield* accounts.register({ ...caller, label: label ?? null, secretHash })
      return { device: shownOf(device, caller.identityId), credential }
    }),
    revoke: Effect.fn("account.revoke")(function* ({
      params: { deviceId },
      query: { project }
    }: Query & { readonly params: { readonly deviceId: string } }) {
      const caller = yield* player(accountRate, project)
      const { projectId, identityId } = caller
      if (!isDeviceId(deviceId)) return yield* new DeviceNotFound()
      const device = yield* accounts.revoke(caller, deviceId)
      yield* ended.close({ projectId, identityIds: [device.identityId] })
      return shownOf(device, identityId)
    })
  }
})

/** What a player takes along, and what is left of it. */
const leaving = Effect.gen(function* () {
  const player = yield* makePlayer
  const accounts = yield* PlayerAccounts
  const ended = yield* EndedPlayers
  const page = yield* makePlayerPage
  return {
    delete: Effect.fn("account.delete")(function* ({ query: { project } }: Query) {
      const caller = yield* player(accountRate, project)
      const { identityIds, keptAs } = yield* accounts.delete(caller)
      yield* ended.close({ projectId: caller.projectId, identityIds })
      return { accountId: caller.playerId, deleted: true as const, scoresKeptAs: keptAs }
    }),
    export: Effect.fn("account.export")(function* ({
      query: { project, after }
    }: Query<Asked & { readonly after?: string }>) {
      return yield* page(yield* player(accountRate, project), after)
    })
  }
})

const shownOf = ({ deviceId, identityId, label, linkedAtMs }: Device, caller: string) => ({
  deviceId,
  label,
  linkedAt: isoOf(linkedAtMs),
  current: identityId === caller
})
