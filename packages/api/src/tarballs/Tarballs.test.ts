import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { TarballLimits } from "@atrium/domain/tarballs/TarballLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach } from "vitest"

import { tarballAnswer } from "./TarballPages.ts"
import { Tarballs } from "./Tarballs.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atrium-tarballs-"))
})
afterEach(() => rm(folder, { recursive: true }))

/** What a request for the package `sdk` is answered with. */
const asked = (headers: Readonly<Record<string, string>> = {}) =>
  tarballAnswer("sdk").pipe(
    Effect.map((response) => HttpServerResponse.toWeb(response)),
    Effect.flatMap((response) =>
      Effect.promise(async () => ({
        status: response.status,
        headers: response.headers,
        text: await response.text()
      }))
    ),
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://atrium.test/sdk.tgz", { headers }))
    )
  )

const said: Array<unknown> = []
const withProgram =
  (program: string) =>
  <A, E>(test: Effect.Effect<A, E, Tarballs>) =>
    test.pipe(
      Effect.provide(
        Tarballs.layerOf({ folder, program: join(folder, program) }).pipe(
          Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void said.push(message))]))
        )
      )
    )

it.effect("[C-341] without the program hands out what is there, or answers 404", () =>
  Effect.gen(function* () {
    yield* Effect.promise(() => writeFile(join(folder, "cli.tgz"), "packed"))
    const missing = yield* asked()
    expect([missing.status, JSON.parse(missing.text).error.code]).toEqual([404, "E_NOT_FOUND"])
    yield* Effect.promise(() => writeFile(join(folder, "sdk.tgz"), "packed"))
    // The refusal is remembered for a minute.
    expect((yield* asked()).status).toBe(404)
    yield* TestClock.adjust(TarballLimits.packagesRefused.ms)
    const found = yield* asked()
    const etag = found.headers.get("etag") ?? ""
    expect([found.status, found.text]).toEqual([200, "packed"])
    expect([(yield* asked({ "if-none-match": etag })).status, etag]).toEqual([
      304,
      expect.stringMatching(/^"[\w-]{43}"$/)
    ])
  }).pipe(withProgram("none.mjs"))
)

it.effect(
  "[C-341] a program that fails answers 503 with `retry-after`, and is asked again a minute later",
  () =>
    Effect.gen(function* () {
      const made = `import { existsSync, writeFileSync } from "node:fs"
      if (!existsSync("${folder}/again")) {
        writeFileSync("${folder}/again", "")
        throw new Error("esbuild is missing")
      }
      writeFileSync("${folder}/sdk.tgz", "packed")
      process.stdin.destroy()`
      yield* Effect.promise(() => writeFile(join(folder, "packages.mjs"), made))
      const refused = yield* asked()
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
      expect(JSON.parse(refused.text).error).toEqual({
        code: "E_NOT_READY",
        message: "the packages cannot be made: see the service's log"
      })
      expect(said.join()).toContain("esbuild is missing")
      yield* TestClock.adjust(TarballLimits.packagesRefused.ms - 1)
      expect((yield* asked()).status).toBe(503)
      expect(existsSync(join(folder, "sdk.tgz"))).toBe(false)
      yield* TestClock.adjust(1)
      expect((yield* asked()).text).toBe("packed")
    }).pipe(withProgram("packages.mjs"))
)
