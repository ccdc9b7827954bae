import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { expect, layer } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { RoomObjects } from "../rooms/RoomObjects.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { newRoomKey } from "../store/testing/TestStores.ts"
import { ObjectStore, placeAll } from "./ObjectStore.ts"
import { makeObjectSweep } from "./ObjectSweep.ts"
import { InlineBytes, Remote, type RemoteBytes } from "./RemoteBytes.ts"
import { makeS3Bytes } from "./S3Bytes.ts"
import { makeSqlObjects } from "./SqlObjects.ts"
import { S3Stores, settingsOf, StubOfTest } from "./testing/S3Stores.ts"

const bytesOf = (text: string): Uint8Array => Buffer.from(text.repeat(100))

/** The name that the row of a key has in the S3. */
const nameOf = Effect.fnUntraced(function* (key: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly blob: string }>`select blob from objects where key = ${key}`
  return row?.blob ?? ""
})

const isHeld = (name: string) =>
  Effect.map(StubOfTest, ({ objects }) => objects.has(`live/${name}`))

const remoteOfTest = Effect.map(StubOfTest, (stub) => makeS3Bytes(settingsOf(stub)))

const sweep = Effect.gen(function* () {
  const once = yield* Effect.provideService(makeObjectSweep, Remote, yield* remoteOfTest)
  // A page that begins anywhere, what follows it, and all from the first name on.
  for (let pages = 0; pages < 3; pages++) yield* once
})

/** The store with another S3, which is asked as this one wants it. */
const storeOn = (remote: RemoteBytes) =>
  makeSqlObjects.pipe(Effect.provideService(Remote, remote), Effect.provideService(InlineBytes, 0))

const { ms: keptMs } = ObjectLimits.objectKept
const { ms: orphanMs } = ObjectLimits.objectOrphan

layer(S3Stores)("objects in an S3", (it) => {
  it.effect("[C-466] bytes up to the bound stay in their row, others go to the S3", () =>
    Effect.gen(function* () {
      const objects = yield* Effect.provideService(makeSqlObjects, Remote, yield* remoteOfTest)
      const { max } = ObjectLimits.objectInline
      yield* objects.put({ key: "bound/at", bytes: new Uint8Array(max), manifest: {} })
      yield* objects.put({ key: "bound/past", bytes: new Uint8Array(max + 1), manifest: {} })
      expect(yield* nameOf("bound/at")).toBe("")
      expect(yield* isHeld(yield* nameOf("bound/past"))).toBe(true)
    })
  )

  it.effect("[C-468] bytes that rows share go an hour after the last of these rows", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      yield* TestClock.setTime(1_000_000_000)
      const bytes = bytesOf("shared")
      const both = ["shared/a", "shared/b"].map((key) => ({ key, bytes, manifest: {} }))
      yield* objects.putAll(yield* placeAll(objects, both))
      const name = yield* nameOf("shared/a")
      expect(yield* nameOf("shared/b")).toBe(name)
      yield* objects.copy("shared/a", "shared/c")
      yield* objects.delete(["shared/a", "shared/b"])
      yield* sweep
      yield* TestClock.adjust(keptMs)
      yield* sweep
      expect(yield* isHeld(name)).toBe(true)
      yield* objects.put({ key: "shared/c", bytes: bytesOf("new"), manifest: {} })
      yield* sweep
      yield* TestClock.adjust(keptMs - 1)
      yield* sweep
      expect(yield* isHeld(name)).toBe(true)
      yield* TestClock.adjust(1)
      yield* sweep
      expect(yield* isHeld(name)).toBe(false)
      expect(yield* isHeld(yield* nameOf("shared/c"))).toBe(true)
    })
  )

  it.effect("[C-468] bytes whose row never came go after a day and an hour", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      yield* TestClock.setTime(2_000_000_000)
      const at = yield* objects.place(bytesOf("orphan"))
      const name = at._tag === "Blob" ? at.name : ""
      yield* objects.put({ key: "orphan/no", bytes: bytesOf("held"), manifest: {} })
      yield* TestClock.adjust(orphanMs - 1)
      yield* sweep
      yield* TestClock.adjust(keptMs)
      yield* sweep
      expect(yield* isHeld(name)).toBe(true)
      yield* sweep
      yield* TestClock.adjust(keptMs)
      yield* sweep
      expect(yield* isHeld(name)).toBe(false)
      expect(yield* isHeld(yield* nameOf("orphan/no"))).toBe(true)
    })
  )

  it.effect("[C-468] bytes of a write that was refused are swept, too", () =>
    Effect.gen(function* () {
      const roomObjects = yield* RoomObjects
      const { objects: held } = yield* StubOfTest
      yield* TestClock.setTime(3_000_000_000)
      const before = new Set(held.keys())
      const put = { key: "fenced/a", bytes: bytesOf("late"), manifest: {} }
      yield* Effect.flip(roomObjects.put([put], { ...newRoomKey(), epoch: 7 }))
      const added = [...held.keys()].filter((name) => !before.has(name))
      expect(added.length).toBe(1)
      yield* sweep
      yield* TestClock.adjust(keptMs)
      yield* sweep
      expect(added.filter((name) => held.has(name))).toEqual([])
    })
  )

  it.effect("[C-466] bytes that are lost or changed in the S3 are a failure, never an answer", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const { objects: held } = yield* StubOfTest
      const failureOf = Effect.fnUntraced(function* (key: string) {
        const exits: ReadonlyArray<Exit.Exit<unknown>> = [
          yield* Effect.exit(objects.get(key)),
          yield* Effect.exit(objects.listWith(key, [key]))
        ]
        return exits.map((exit) =>
          Exit.isFailure(exit)
            ? [isStoreAway(exit.cause), String(Cause.squash(exit.cause))]
            : "an answer"
        )
      })
      yield* objects.put({ key: "wrong", bytes: bytesOf("good"), manifest: {} })
      const name = yield* nameOf("wrong")
      held.set(`live/${name}`, Buffer.from(bytesOf("evil")))
      const changed = [false, expect.stringContaining("has other bytes of the object")]
      expect(yield* failureOf("wrong")).toEqual([changed, changed])
      held.delete(`live/${name}`)
      const lost = [false, expect.stringContaining(`the S3 has lost the object ${name}`)]
      expect(yield* failureOf("wrong")).toEqual([lost, lost])
    })
  )

  it.effect("[C-466] a reader whose bytes are replaced and swept meanwhile gets the new ones", () =>
    Effect.gen(function* () {
      const remote = yield* remoteOfTest
      const objects = yield* ObjectStore
      const { objects: held } = yield* StubOfTest
      yield* objects.put({ key: "read", bytes: bytesOf("old"), manifest: {} })
      const old = yield* nameOf("read")
      const replacing: RemoteBytes = {
        ...remote,
        get: (name, wanted) =>
          Effect.suspend(() =>
            name === old && held.delete(`live/${old}`)
              ? Effect.andThen(
                  objects.put({ key: "read", bytes: bytesOf("new"), manifest: {} }),
                  remote.get(name, wanted)
                )
              : remote.get(name, wanted)
          )
      }
      const reader = yield* storeOn(replacing)
      expect(Option.getOrThrow(yield* reader.get("read"))).toEqual(new Uint8Array(bytesOf("new")))
    })
  )

  it.effect("[C-466] a row in the S3 is no answer where no S3 is configured", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      yield* objects.put({ key: "far", bytes: bytesOf("away"), manifest: {} })
      const alone = yield* Effect.provideService(makeSqlObjects, Remote, null)
      const exit = yield* Effect.exit(alone.get("far"))
      expect(String(Exit.isFailure(exit) && Cause.squash(exit.cause))).toContain(
        "ATRIUM_OBJECTS_URL is not set"
      )
      expect(yield* Clock.currentTimeMillis).toBeGreaterThanOrEqual(0)
    })
  )
})
