import { spawn } from "node:child_process"

import { Effect } from "effect"

import { Refused } from "../CommandFailure.ts"

/**
 * Loads the bundle on its standard input and prints the projects that its schemas declare: those of
 * its rooms, or all where there is no room. It runs in a process without files, network or environment, since that is room code that runs here.
 */
const program = `
const chunks = []
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const module = { exports: {} }
  const require = (path) => { throw new Error("E_ROOM_IMPORT: " + path) }
  const code = Buffer.concat(chunks).toString()
  new Function("module", "exports", "require", code)(module, module.exports, require)
  const values = Object.values(module.exports.rooms)
  const rooms = values.filter((room) => room?.[Symbol.for("atrium.room")])
  const alone = values.filter((value) => value?.collections?.byName instanceof Map)
  const schemas = rooms.length > 0 ? rooms.map((room) => room.schema) : alone
  const ids = schemas.map((schema) => schema.project).filter((id) => typeof id === "string")
  process.stdout.write(JSON.stringify([...new Set(ids)]), () => process.exit(0))
})`

const longestMs = 10_000
const mostBytes = 64 * 1024

interface Loaded {
  readonly ids: ReadonlyArray<string>
  readonly problem: string | null
}

/**
 * The project that the schemas of a bundle declare, if any. Spec: Resolution order, deploy.
 * Refused when the bundle does not load, or when its schemas name several.
 */
export const projectOfSchemas = Effect.fn("SchemaProject.find")(function* (bundle: Uint8Array) {
  const { ids, problem } = yield* Effect.callback<Loaded>((resume) => {
    const stop = load(bundle, (loaded) => resume(Effect.succeed(loaded)))
    return Effect.sync(stop)
  })
  if (problem !== null) return yield* new Refused({ code: "E_BUNDLE_INVALID", text: problem })
  if (ids.length > 1) {
    return yield* new Refused({
      code: "E_BUNDLE_INVALID",
      text: `the schemas name several projects: ${ids.join(", ")}; say which, with --project`
    })
  }
  return ids[0] ?? null
})

/** @returns ends the process */
const load = (bundle: Uint8Array, done: (loaded: Loaded) => void): (() => void) => {
  const child = spawn(process.execPath, ["--permission", "--eval", program], {
    env: {},
    stdio: "pipe",
    timeout: longestMs,
    killSignal: "SIGKILL"
  })
  const out = textOf(child.stdout)
  const err = textOf(child.stderr)
  // A process that is gone before it has read everything is told by its exit.
  child.stdin.on("error", () => {})
  child.stdin.end(bundle)
  child.on("error", (error) =>
    done({ ids: [], problem: `no process to load it: ${error.message}` })
  )
  child.on("close", (code) => {
    const ids = code === 0 ? idsOf(out()) : null
    done(ids === null ? { ids: [], problem: problemOf(code, err()) } : { ids, problem: null })
  })
  return () => child.kill("SIGKILL")
}

const textOf = (stream: NodeJS.ReadableStream): (() => string) => {
  let text = ""
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    text = (text + chunk).slice(0, mostBytes)
  })
  return () => text
}

const idsOf = (text: string): ReadonlyArray<string> | null => {
  try {
    const ids: unknown = JSON.parse(text)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : null
  } catch {
    return null
  }
}

const problemOf = (code: number | null, stderr: string): string =>
  code === null
    ? `the bundle did not load within ${longestMs / 1000} seconds`
    : `the bundle does not load: ${/^(?:[A-Za-z]*Error): .*$/m.exec(stderr)?.[0] ?? "no reason was given"}`
