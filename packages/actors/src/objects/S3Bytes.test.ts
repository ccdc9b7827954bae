import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"

import type { RemoteBytes } from "./RemoteBytes.ts"
import { makeS3Bytes } from "./S3Bytes.ts"
import { sha256Of } from "./Sha256.ts"
import { settingsOf, stubOfTest } from "./testing/S3Stores.ts"
import type { S3Fault, S3Stub } from "./testing/S3Stub.ts"

const { max: wholeBytes } = ObjectLimits.objectWhole
const name = `${"0a".repeat(16)}.lx`
const path = `live/${name}`

const withStub = Effect.map(stubOfTest, (stub) => ({ stub, remote: makeS3Bytes(settingsOf(stub)) }))

const put = Effect.fnUntraced(function* (remote: RemoteBytes, bytes: Uint8Array) {
  yield* remote.put({ name, bytes, sha256: yield* sha256Of(bytes) })
})

/** Retries and deadlines pass on the machine's time. */
const live = <A, E>(body: Effect.Effect<A, E, Scope.Scope>) => TestClock.withLive(body)

/** This fault for the first requests, then none. */
const faultFor = (stub: S3Stub, requests: number, fault: S3Fault): void => {
  const until = stub.asked.length + requests
  stub.fault = () => (stub.asked.length <= until ? fault : null)
}

const status = (code: number, text: string): S3Fault => ({
  _tag: "Status",
  status: code,
  code: text
})

it.effect("[C-467] bytes go under a signed request, and come back whole and in parts", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      const bytes = Uint8Array.from({ length: 10_000 }, (_, index) => index % 251)
      yield* put(remote, bytes)
      expect([...stub.objects.keys()]).toEqual([path])
      expect(yield* remote.get(name, { sizeBytes: 10_000 })).toEqual(bytes)
      const part = yield* remote.get(name, { sizeBytes: 10_000, part: { from: 255, to: 700 } })
      expect(part).toEqual(bytes.subarray(255, 701))
      expect(yield* remote.list("")).toEqual([name])
      expect(yield* remote.list(name)).toEqual([])
      yield* remote.delete(name)
      yield* remote.delete(name)
      expect(yield* remote.get(name, { sizeBytes: 10_000 })).toBeNull()
    })
  )
)

it.effect("[C-467] names of others are not listed", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      yield* remote.setMark("text")
      for (const other of ["live/y", `dead/${name}`]) stub.objects.set(other, Buffer.from("x"))
      yield* put(remote, new Uint8Array(1))
      expect(yield* remote.list("")).toEqual([name])
      expect(yield* remote.mark).toBe("text")
    })
  )
)

it.effect("[C-467] bytes over the bound go in parts, others in one request", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      for (const [length, requests] of [
        [wholeBytes, 1],
        [wholeBytes + 1, 5]
      ] as const) {
        const before = stub.asked.length
        const bytes = new Uint8Array(length).fill(7)
        bytes[length - 1] = 9
        yield* put(remote, bytes)
        expect(stub.asked.length - before).toBe(requests)
        expect(Buffer.compare(stub.objects.get(path) ?? Buffer.alloc(0), bytes)).toBe(0)
      }
      expect(stub.uploads.size).toBe(0)
    })
  )
)

it.effect("[C-467] an upload in parts that fails is taken back", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      stub.fault = ({ query }) =>
        query.get("partNumber") === "2" ? status(403, "QuotaExceeded") : null
      const { message, away } = yield* Effect.flip(put(remote, new Uint8Array(wholeBytes + 1)))
      expect([message, away]).toEqual(["the S3 answered PUT: 403 QuotaExceeded", true])
      expect([stub.uploads.size, stub.objects.size]).toEqual([0, 0])
    })
  )
)

it.effect.each<readonly [string, S3Fault]>([
  ["that says 503", status(503, "SlowDown")],
  ["that says 500", status(500, "InternalError")],
  ["that is torn", { _tag: "Torn" }]
])("[C-467] an answer %s is asked for twice more", ([, fault]) =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      yield* put(remote, new Uint8Array(100))
      faultFor(stub, 2, fault)
      expect(yield* remote.get(name, { sizeBytes: 100 })).toEqual(new Uint8Array(100))
      faultFor(stub, 3, fault)
      const { away } = yield* Effect.flip(remote.get(name, { sizeBytes: 100 }))
      expect([away, stub.asked.length]).toEqual([true, 7])
    })
  )
)

it.effect.each<readonly [string, S3Fault, RegExp]>([
  ["sends elsewhere", { _tag: "Redirect", to: "http://127.0.0.1:1/" }, /307$/],
  ["refuses", status(403, "AccessDenied"), /403 AccessDenied$/],
  ["has no such bucket", status(404, "NoSuchBucket"), /404 NoSuchBucket$/]
])("[C-467] an S3 that %s is not asked again", ([, fault, said]) =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      stub.fault = () => fault
      const { message, away } = yield* Effect.flip(remote.get(name, { sizeBytes: 100 }))
      expect([message, away, stub.asked.length]).toEqual([expect.stringMatching(said), true, 1])
    })
  )
)

it.effect("[C-467] no more of an answer is read than it may have", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      stub.fault = () => ({ _tag: "Endless" })
      const { message } = yield* Effect.flip(remote.get(name, { sizeBytes: 100 }))
      expect(message).toBe("the S3 answered GET: an answer of more than 100 bytes")
    })
  )
)

it.effect("[C-467] a wrong secret is told by its code, and neither half of it is repeated", () =>
  live(
    Effect.gen(function* () {
      const { stub } = yield* withStub
      for (const wrong of [
        { keyId: Redacted.make("AKIDWRONG") },
        { secretKey: Redacted.make("x") }
      ]) {
        const remote = makeS3Bytes({ ...settingsOf(stub), ...wrong })
        const { message } = yield* Effect.flip(remote.mark)
        expect(message).toMatch(/403 (?:InvalidAccessKeyId|SignatureDoesNotMatch)$/)
        expect(message).not.toContain("AKID")
      }
    })
  )
)

it.effect("[C-467] an S3 that refused bytes is well when it takes some again", () =>
  live(
    Effect.gen(function* () {
      const { stub, remote } = yield* withStub
      yield* remote.setMark("text")
      stub.fault = ({ method }) => (method === "PUT" ? status(507, "InsufficientStorage") : null)
      yield* remote.probe
      yield* Effect.flip(put(remote, new Uint8Array(1)))
      expect((yield* Effect.flip(remote.probe)).message).toContain("507")
      stub.fault = () => null
      yield* remote.probe
      expect(stub.asked.at(-1)?.method).toBe("PUT")
      yield* remote.probe
      expect(stub.asked.at(-1)?.method).toBe("GET")
    })
  )
)
