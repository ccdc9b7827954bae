import { spawn } from "node:child_process"

import { FrameHeaderBytes, FromRoom } from "@atrium/runtime/host/HostFrames"

import { BundleError } from "./BundleError.ts"

/** Loads the bundle on its standard input and prints, as JSON, what a function says of its exports. */
const programOf = (question: string): string => `
const chunks = []
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const module = { exports: {} }
  const require = (path) => { throw new Error("E_ROOM_IMPORT: " + path) }
  const code = Buffer.concat(chunks).toString()
  new Function("module", "exports", "require", code)(module, module.exports, require)
  const answer = (${question})(module.exports.rooms)
  process.stdout.write(JSON.stringify(answer), () => process.exit(0))
})`

/**
 * Loads the bundle in the same way and prints what its runtime tells a service of it. The kind ends the header of a
 * frame; the payload is a text behind its length.
 */
const description = `
const chunks = []
process.stdin.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
  const module = { exports: {} }
  const require = (path) => { throw new Error("E_ROOM_IMPORT: " + path) }
  const code = Buffer.concat(chunks).toString()
  new Function("module", "exports", "require", code)(module, module.exports, require)
  // A bundle with physics answers when its library is ready.
  const send = (frame) => {
    const bytes = Buffer.from(frame)
    const start = ${FrameHeaderBytes} + 4
    const text = bytes.subarray(start, start + bytes.readUInt32LE(${FrameHeaderBytes})).toString()
    if (bytes[${FrameHeaderBytes - 1}] === ${FromRoom.described}) process.stdout.write(text, () => process.exit(0))
    else throw new Error(text)
  }
  module.exports.connect({ mode: "describe", send, end: () => {} }, module.exports.rooms)
})`

/** Node 20 has the same walls under another name. */
const permissionFlag = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission"

const longestMs = 10_000
const outputBytesMax = 8 * 1024 * 1024
const errorBytesMax = 64 * 1024

/** A part of a question: the schemas of a bundle's rooms, or all schemas where there is no room. */
export const schemasOfRooms = `
  const values = Object.values(rooms)
  const coded = values.filter((room) => room?.[Symbol.for("atrium.room")])
  const alone = values.filter((value) => value?.collections?.byName instanceof Map)
  const schemas = [...new Set(coded.length > 0 ? coded.map((room) => room.schema) : alone)]`

/**
 * Asks room code about itself, in a process without files, network or environment. Rejects with
 * `BundleError` when the bundle does not load within ten seconds.
 *
 * @param question source of a function of the bundle's `rooms`
 * @returns what the function returned, by way of JSON: nobody vouches for it
 */
export const askBundle = (
  bundle: Uint8Array,
  question: string,
  signal?: AbortSignal
): Promise<unknown> => answerOfProgram(programOf(question), bundle, signal)

/**
 * What a bundle tells a service of itself, in the same kind of process: a list of its room types, or an
 * object with `relay`, `types` and, where it has some, `migrations`. Rejects as {@link askBundle} does.
 */
export const describedByBundle = (bundle: Uint8Array, signal?: AbortSignal): Promise<unknown> =>
  answerOfProgram(description, bundle, signal)

const answerOfProgram = (
  program: string,
  bundle: Uint8Array,
  signal?: AbortSignal
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const refuse = (text: string): void => reject(new BundleError("E_BUNDLE_INVALID", [text]))
    const child = spawn(process.execPath, [permissionFlag, "--eval", program], {
      env: {},
      stdio: "pipe",
      timeout: longestMs,
      killSignal: "SIGKILL"
    })
    signal?.addEventListener("abort", () => child.kill("SIGKILL"))
    const out = textOf(child.stdout, outputBytesMax)
    const err = textOf(child.stderr, errorBytesMax)
    // A process that is gone before it has read everything is told by its exit.
    child.stdin.on("error", () => {})
    child.stdin.end(bundle)
    child.on("error", (error) => refuse(`no process to load it: ${error.message}`))
    child.on("close", (code) => {
      const answer = code === 0 ? answerOf(out()) : undefined
      if (answer === undefined) refuse(problemOf(code, err()))
      else resolve(answer)
    })
  })

const textOf = (stream: NodeJS.ReadableStream, max: number): (() => string) => {
  let text = ""
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    text = (text + chunk).slice(0, max)
  })
  return () => text
}

const answerOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const problemOf = (code: number | null, stderr: string): string =>
  code === null
    ? `the bundle did not load within ${longestMs / 1000} seconds`
    : `the bundle does not load: ${/^(?:[A-Za-z]*Error): .*$/m.exec(stderr)?.[0] ?? "no reason was given"}`
