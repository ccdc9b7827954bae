import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

import { untimed } from "@atrium/actors/store/AnswerTime"
import { ConsoleLimits } from "@atrium/domain/console/ConsoleLimits"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Context, Duration, Effect, Exit, Layer } from "effect"

import type { HashedFile } from "../http/HashedFile.ts"

/** The files that a page of the console loads at once, by name. */
export interface FirstFiles {
  readonly script: string
  readonly style: string
  /** Scripts that the first one imports at once. */
  readonly imports: ReadonlyArray<string>
}

/** The pages that are made of these files. */
export type PageName = Exclude<keyof typeof sources, "compare">

/** The console of this version. */
export interface BuiltConsole {
  /** Tells one build from another. */
  readonly build: string
  readonly first: Readonly<Record<PageName, FirstFiles>>
  /** The script of the worker that compares saves. */
  readonly compare: string
  readonly files: ReadonlyMap<string, HashedFile>
}

/** The files of the console, made when somebody first asks for it. Source: C-760. */
export class ConsoleFiles extends Context.Service<
  ConsoleFiles,
  { readonly built: Effect.Effect<BuiltConsole, NotReady> }
>()("@atrium/api/console/ConsoleFiles") {
  static readonly layer = Layer.effect(
    ConsoleFiles,
    Effect.gen(function* () {
      const made = yield* Effect.cachedWithTTL(make, (exit) =>
        Exit.isSuccess(exit) ? Duration.infinity : ConsoleLimits.consoleRefused.ms
      )
      return { built: untimed(Effect.uninterruptible(made)) }
    })
  )
}

const sources = {
  main: fileURLToPath(import.meta.resolve("@atrium/console/main")),
  replay: fileURLToPath(import.meta.resolve("@atrium/console/replay/main")),
  compare: fileURLToPath(import.meta.resolve("@atrium/console/compare"))
}

const make = Effect.gen(function* () {
  // Loaded here, as few services are asked for the console.
  const { bundlePageFiles, withBundler } = yield* Effect.promise(() => import("@atrium/sdk/bundle"))
  const { files, first } = yield* Effect.tryPromise(() =>
    withBundler(() => bundlePageFiles(sources))
  )
  const firstOf = Effect.fnUntraced(function* (name: PageName) {
    const { script, style, imports } = first.get(name) ?? {}
    if (script === undefined || style === undefined || imports === undefined) {
      return yield* Effect.die(new Error(`the console lacks a file of ${name}`))
    }
    const files: FirstFiles = { script, style, imports }
    return files
  })
  const compare = first.get("compare")?.script
  if (compare === undefined) return yield* Effect.die(new Error("the console lacks its worker"))
  const packed = yield* Effect.promise(() => Promise.all([...files].map(packedFile)))
  const names = [...files.keys()].toSorted().join()
  const built: BuiltConsole = {
    // Each name holds a hash of its content.
    build: createHash("sha256").update(names).digest("hex").slice(0, 16),
    first: { main: yield* firstOf("main"), replay: yield* firstOf("replay") },
    compare,
    files: new Map(packed)
  }
  return built
}).pipe(
  Effect.timeout(ConsoleLimits.consoleMade.ms),
  Effect.interruptible,
  Effect.tapError((error) => Effect.logError("the console cannot be made", error)),
  Effect.mapError(
    () => new NotReady({ message: "the console cannot be made: see the service's log" })
  )
)

const [asGzip, asBrotli] = [promisify(gzip), promisify(brotliCompress)]

const packedFile = async ([name, bytes]: readonly [string, Uint8Array]) => {
  const file: HashedFile = {
    contentType: `text/${name.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`,
    bytes: {
      identity: bytes,
      gzip: await asGzip(bytes, { level: 9 }),
      // The highest quality takes a second for a gain of few bytes.
      br: await asBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    }
  }
  return [name, file] as const
}
