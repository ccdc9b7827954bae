import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { untimed } from "@atrium/actors/store/AnswerTime"
import { innermostReason } from "@atrium/domain/shared/Innermost"
import { NotFound, NotReady } from "@atrium/domain/shared/Refusal"
import { TarballLimits } from "@atrium/domain/tarballs/TarballLimits"
import { Cause, Context, Duration, Effect, Exit, Layer } from "effect"

import { refreshTarballs } from "./RefreshTarballs.ts"

export type PackageName = "sdk" | "cli" | "spec-tests"

interface Tarball {
  readonly bytes: Uint8Array
  readonly etag: string
}

interface Places {
  /** Where `npm run packages` and the image put the tarballs. */
  readonly folder: string
  /** The program that makes them in a clone; the image does not have it. */
  readonly program: string
}

const repository = fileURLToPath(new URL("../../../..", import.meta.url))
const ofRepository: Places = {
  folder: join(repository, "dist/packages"),
  program: join(repository, "scripts/packages.ts")
}

/** The npm packages of this version, as the service hands them out: the same bytes at each request. */
export class Tarballs extends Context.Service<
  Tarballs,
  { readonly read: (name: PackageName) => Effect.Effect<Tarball, NotFound | NotReady> }
>()("@atrium/api/tarballs/Tarballs") {
  static readonly layerOf = ({ folder, program }: Places) =>
    Layer.effect(
      Tarballs,
      Effect.gen(function* () {
        const made = yield* remembered(make(program))
        const tarballOf = (name: PackageName) =>
          remembered(Effect.andThen(made, load(join(folder, `${name}.tgz`))))
        const tarballs = {
          sdk: yield* tarballOf("sdk"),
          cli: yield* tarballOf("cli"),
          "spec-tests": yield* tarballOf("spec-tests")
        }
        return { read: (name) => tarballs[name] }
      })
    )

  static readonly layer = Tarballs.layerOf(ofRepository)
}

/** A request that goes away does not stop what others wait for. A failure is tried again after a while. */
const remembered = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> =>
  Effect.map(
    Effect.cachedWithTTL(effect, (exit) =>
      Exit.isSuccess(exit) ? Duration.infinity : TarballLimits.packagesRefused.ms
    ),
    (known) => untimed(Effect.uninterruptible(known))
  )

/** In a clone the sources may be newer than the tarballs. */
const make = (program: string) =>
  Effect.suspend(() =>
    existsSync(program)
      ? Effect.tryPromise((signal) => refreshTarballs(program, signal)).pipe(
          Effect.timeout(TarballLimits.packagesMade.ms),
          Effect.interruptible,
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.logError(
                `the packages cannot be made: ${innermostReason(Cause.squash(cause))}`
              ),
              Effect.fail(
                new NotReady({ message: "the packages cannot be made: see the service's log" })
              )
            )
          )
        )
      : Effect.void
  )

const load = (path: string) =>
  Effect.tryPromise(() => readFile(path)).pipe(
    Effect.mapError(() => new NotFound()),
    Effect.map((bytes): Tarball => {
      const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`
      return { bytes, etag }
    })
  )
