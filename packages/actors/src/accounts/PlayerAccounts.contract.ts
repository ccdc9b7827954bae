import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { PlayerStore } from "../rooms/PlayerStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { alone } from "./AccountRows.ts"
import { PlayerAccounts } from "./PlayerAccounts.ts"

const hashOf = (text: string): Uint8Array => new TextEncoder().encode(text.padEnd(32, "."))
const identity = (projectId: ProjectId, identityId: string) => ({ projectId, identityId })
const player = (projectId: ProjectId, playerId: string) => ({
  projectId,
  playerId,
  identityId: playerId
})

/** Links an identity to a player by a code of its own. */
const link = Effect.fnUntraced(function* (projectId: ProjectId, from: string, identityId: string) {
  const accounts = yield* PlayerAccounts
  const codeHash = hashOf(`${from}/${identityId}`)
  yield* accounts.offer({ ...player(projectId, from), codeHash })
  return yield* accounts.redeem({ projectId, identityId, codeHash, label: identityId })
})

const devicesOf = Effect.fnUntraced(function* (projectId: ProjectId, playerId: string) {
  const devices = yield* (yield* PlayerAccounts).devices(projectId, playerId)
  return devices.map(({ identityId }) => identityId).toSorted()
})

type Stores = PlayerAccounts | PlayerStore | ProjectStore | TestTables

/**
 * The behaviour of every layer of `PlayerAccounts`.
 * @param name of the layer, as the report shows it
 */
export const playerAccountsContract = (name: string, stores: Layer.Layer<Stores, unknown>): void =>
  layer(stores)(name, (it) => {
    linkCodeCases(it)
    deviceCases(it)
    deletionCases(it)
  })

type It = Parameters<Parameters<ReturnType<typeof layer<Stores, unknown>>>[1]>[0]

const linkCodeCases = (it: It): void => {
  it.effect("[D-28] an identity that redeems a code is the player who offered it", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const projectId = yield* newProject
      expect(yield* accounts.identity(identity(projectId, "ann"))).toEqual(alone)
      expect(yield* link(projectId, "ann", "bea")).toBe("ann")
      const record = { playerId: "ann", endedAtMs: null }
      expect(yield* accounts.identity(identity(projectId, "bea"))).toEqual(record)
      expect(yield* accounts.identity(identity(projectId, "ann"))).toEqual(record)
      expect(yield* devicesOf(projectId, "ann")).toEqual(["ann", "bea"])
    })
  )

  it.effect("[account.link-code.single-use] a code links once, and in its project alone", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const [projectId, other] = [yield* newProject, yield* newProject]
      const codeHash = hashOf("code")
      const redeem = (of: ProjectId, identityId: string) =>
        accounts.redeem({ projectId: of, identityId, codeHash, label: null })
      yield* accounts.offer({ ...player(projectId, "ann"), codeHash })
      expect((yield* Effect.flip(redeem(other, "bea")))._tag).toBe("E_LINK_CODE")
      const tried = yield* Effect.all(
        ["bea", "cid", "dan"].map((each) => Effect.option(redeem(projectId, each))),
        { concurrency: 3 }
      )
      expect(tried.filter(Option.isSome)).toHaveLength(1)
      expect(yield* devicesOf(projectId, "ann")).toHaveLength(2)
      expect(yield* accounts.identity(identity(other, "bea"))).toEqual(alone)
    })
  )

  it.effect(
    "[account.link-code.lifetime] a code lives ten minutes; a new one takes its place",
    () =>
      Effect.gen(function* () {
        const accounts = yield* PlayerAccounts
        const projectId = yield* newProject
        const redeem = (code: string, identityId: string) =>
          Effect.isSuccess(
            accounts.redeem({ projectId, identityId, codeHash: hashOf(code), label: null })
          )
        const offer = (code: string) =>
          accounts.offer({ ...player(projectId, "ann"), codeHash: hashOf(code) })
        yield* offer("first")
        yield* offer("second")
        yield* TestClock.adjust(AccountLimits.linkCodeLife.ms - 1)
        expect(yield* redeem("first", "bea")).toBe(false)
        expect(yield* redeem("second", "bea")).toBe(true)
        yield* offer("third")
        yield* TestClock.adjust(AccountLimits.linkCodeLife.ms)
        expect(yield* redeem("third", "cid")).toBe(false)
      })
  )
}

const deviceCases = (it: It): void => {
  it.effect("[account.devices.max] the tenth device is linked, the eleventh is not", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const projectId = yield* newProject
      const { max } = AccountLimits.devices
      for (let at = 2; at < max; at++) yield* link(projectId, "ann", `device${at}`)
      yield* link(projectId, "ann", "one")
      const over = yield* Effect.flip(link(projectId, "ann", "other"))
      expect(over._tag).toBe("E_DEVICE_LIMIT")
      expect(yield* devicesOf(projectId, "ann")).toHaveLength(max)
      const devices = yield* accounts.devices(projectId, "ann")
      const gone = devices.find(({ identityId }) => identityId === "device2")
      yield* accounts.revoke({ projectId, playerId: "ann" }, gone?.deviceId ?? "")
      // The code is not used up by the refusal.
      const codeHash = hashOf("ann/other")
      yield* accounts.redeem({ projectId, identityId: "other", codeHash, label: null })
      expect(yield* devicesOf(projectId, "ann")).toHaveLength(max)
    })
  )

  it.effect(
    "[limits.projectDevices] [C-643] the 1,000,000th device is linked, the next is not",
    () =>
      Effect.gen(function* () {
        const accounts = yield* PlayerAccounts
        const [projectId, other] = [yield* newProject, yield* newProject]
        const { max } = AccountLimits.projectDevices
        yield* (yield* TestTables).addPlayerDevices(projectId, max - 2)
        yield* link(projectId, "ann", "phone")
        const over = yield* Effect.flip(link(projectId, "ann", "tablet"))
        expect([over._tag, Object(over).message]).toEqual([
          "E_DEVICE_LIMIT",
          "the project has 1000000 devices"
        ])
        // What is there may change, and a device that goes makes room.
        yield* link(projectId, "ann", "phone")
        const devices = yield* accounts.devices(projectId, "ann")
        const phone = devices.find(({ identityId }) => identityId === "phone")
        yield* accounts.revoke({ projectId, playerId: "ann" }, phone?.deviceId ?? "")
        yield* link(projectId, "ann", "tablet")
        yield* link(other, "ann", "phone")
      })
  )

  it.effect("[C-543] a credential finds its identity until another one takes its place", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const [projectId, other] = [yield* newProject, yield* newProject]
      const register = (secret: string, label: string | null) =>
        accounts.register({ ...player(projectId, "ann"), label, secretHash: hashOf(secret) })
      const first = yield* register("one", "phone")
      expect(first).toMatchObject({ identityId: "ann", label: "phone" })
      expect(first.deviceId).toMatch(/^dev_[0-9a-f]{16}$/)
      expect(yield* register("two", null)).toEqual(first)
      const found = (secret: string, of = projectId) =>
        Effect.map(accounts.bySecret(of, hashOf(secret)), Option.getOrNull)
      expect(yield* found("one")).toBeNull()
      expect(yield* found("two")).toBe("ann")
      expect(yield* found("two", other)).toBeNull()
    })
  )

  it.effect("[C-544] a revoked device ends at once; a foreign account revokes nothing", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const [projectId, other] = [yield* newProject, yield* newProject]
      yield* link(projectId, "ann", "bea")
      const device = yield* accounts.register({
        ...player(projectId, "ann"),
        identityId: "bea",
        label: null,
        secretHash: hashOf("bea")
      })
      for (const account of [
        { projectId, playerId: "eve" },
        { projectId: other, playerId: "ann" }
      ]) {
        const refused = yield* Effect.flip(accounts.revoke(account, device.deviceId))
        expect(refused._tag).toBe("E_DEVICE_NOT_FOUND")
      }
      expect(yield* accounts.revoke({ projectId, playerId: "ann" }, device.deviceId)).toEqual(
        device
      )
      const endedAtMs = yield* Clock.currentTimeMillis
      expect(yield* accounts.identity(identity(projectId, "bea"))).toEqual({
        playerId: null,
        endedAtMs
      })
      // The player of a revoked device goes on.
      const [ann] = yield* accounts.devices(projectId, "ann")
      const fields = yield* PlayerStore
      yield* accounts.revoke({ projectId, playerId: "ann" }, ann?.deviceId ?? "")
      yield* fields.save(projectId, [{ playerId: "ann", fields: new Uint8Array([1]) }])
      expect(yield* fields.load(projectId, "ann")).not.toBeNull()
      expect(yield* devicesOf(projectId, "ann")).toEqual([])
      expect(yield* accounts.bySecret(projectId, hashOf("bea"))).toEqual(Option.none())
      const again = yield* Effect.flip(
        accounts.revoke({ projectId, playerId: "ann" }, device.deviceId)
      )
      expect(again._tag).toBe("E_DEVICE_NOT_FOUND")
    })
  )
}

const deletionCases = (it: It): void => {
  it.effect("[D-28] a deletion ends every device of the player, and no other's", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const fields = yield* PlayerStore
      const projectId = yield* newProject
      yield* link(projectId, "ann", "bea")
      yield* link(projectId, "cid", "dan")
      const write = (playerId: string) =>
        fields.save(projectId, [{ playerId, fields: new Uint8Array([1]) }])
      for (const each of ["ann", "bea", "cid"]) yield* write(each)
      const deleted = yield* accounts.delete({ projectId, playerId: "ann", identityId: "bea" })
      expect(deleted.identityIds.toSorted()).toEqual(["ann", "bea"])
      expect(deleted.keptAs).toMatch(/^pl_[0-9a-f]{16}$/)
      const endedAtMs = yield* Clock.currentTimeMillis
      for (const each of ["ann", "bea"]) {
        expect(yield* accounts.identity(identity(projectId, each))).toEqual({
          playerId: null,
          endedAtMs
        })
        expect(yield* fields.load(projectId, each)).toBeNull()
      }
      // A room that held its fields writes them when the client is out.
      expect(yield* write("ann")).toEqual([])
      expect(yield* fields.load(projectId, "ann")).toBeNull()
      expect(yield* devicesOf(projectId, "ann")).toEqual([])
      expect(yield* devicesOf(projectId, "cid")).toEqual(["cid", "dan"])
      expect(yield* fields.load(projectId, "cid")).not.toBeNull()
      // A game may sign in the same id again.
      yield* TestClock.adjust(AccountLimits.endedKept.ms - 1)
      yield* write("ann")
      expect(yield* fields.load(projectId, "ann")).toBeNull()
      yield* TestClock.adjust(1)
      yield* write("ann")
      expect(yield* fields.load(projectId, "ann")).not.toBeNull()
    })
  )

  it.effect("[C-807] a deletion by the owner ends no identity that is another player now", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const projectId = yield* newProject
      yield* link(projectId, "dan", "cid")
      yield* link(projectId, "ann", "dan")
      const remove = (playerId: string) =>
        Effect.map(
          accounts.delete({ projectId, playerId, identityId: null }),
          ({ identityIds }) => identityIds
        )
      expect(yield* remove("dan")).toEqual(["cid"])
      expect(yield* accounts.identity(identity(projectId, "dan"))).toEqual({
        playerId: "ann",
        endedAtMs: null
      })
      expect(yield* devicesOf(projectId, "ann")).toEqual(["ann", "dan"])
      expect(yield* remove("eve")).toEqual(["eve"])
    })
  )

  it.effect("[C-544] a deletion spares a player whom other devices are still", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const fields = yield* PlayerStore
      const projectId = yield* newProject
      // Cid is a device of Dan; then Dan's own device moves to Ann, and Cid stays Dan.
      yield* link(projectId, "dan", "cid")
      yield* link(projectId, "ann", "dan")
      yield* fields.save(projectId, [{ playerId: "dan", fields: new Uint8Array([1]) }])
      const { identityIds } = yield* accounts.delete(player(projectId, "ann"))
      expect(identityIds.toSorted()).toEqual(["ann", "dan"])
      expect(yield* fields.load(projectId, "dan")).not.toBeNull()
      expect(yield* accounts.identity(identity(projectId, "cid"))).toEqual({
        playerId: "dan",
        endedAtMs: null
      })
      // Dan is deleted by Cid: Dan's own identity ended with Ann, and nothing is left.
      yield* accounts.delete({ projectId, playerId: "dan", identityId: "cid" })
      expect(yield* fields.load(projectId, "dan")).toBeNull()
    })
  )

  it.effect("[limits.endedKept] an ended identity is remembered longer than its tokens live", () =>
    Effect.gen(function* () {
      const accounts = yield* PlayerAccounts
      const projectId = yield* newProject
      const endedAtMs = yield* Clock.currentTimeMillis
      yield* accounts.delete(player(projectId, "ann"))
      yield* TestClock.adjust(AccountLimits.endedKept.ms - 1)
      yield* accounts.delete(player(projectId, "bea"))
      const ann = identity(projectId, "ann")
      expect(yield* accounts.identity(ann)).toEqual({ playerId: null, endedAtMs })
      yield* TestClock.adjust(1)
      yield* accounts.delete(player(projectId, "cid"))
      expect(yield* accounts.identity(ann)).toEqual(alone)
    })
  )
}
