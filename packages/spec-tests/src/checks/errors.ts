import fc from "fast-check"

import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import { type Check, manyAskedMs } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import { forAll } from "../check/ForAll.ts"
import { rowOf } from "../tables/Tables.ts"
import type { HttpAnswer } from "../trial/HttpProbe.ts"
import type { Project } from "../trial/Project.ts"
import type { Trial } from "../trial/Trial.ts"
import { callOf, keyRouteIds, loginRouteIds, managementRouteIds, noProject } from "./RouteCall.ts"

const most = () => rowOf("boundary", "error.message.96-bytes").accept
const ellipsis = () => String(rowOf("statement", "error.message.ellipsis").is?.["end"])
const endBytes = () => Buffer.byteLength(ellipsis())

/** The table of errors, and how the service words its own. */
export const errorChecks: ReadonlyArray<Check> = [
  {
    ids: ["error.http.E_BAD_REQUEST", "error.http.400-names"],
    title: "an unknown parameter, a filter and a field that are refused are 400, and named",
    run: badRequests
  },
  {
    ids: ["error.http.E_UNAUTHENTICATED"],
    title: "no credential, an unknown one and one of the wrong kind are 401 on every route",
    run: async (trial) => {
      const project = await trial.project()
      const { secret } = await project.key("rooms:read", "rooms:write")
      for (const id of managementRouteIds) {
        const call = callOf(trial, id, { project: project.id })
        for (const credential of [{}, { bearer: "unknown" }, { bearer: `${secret}x` }]) {
          const answer = await trial.send({ ...call, ...credential })
          isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
        }
      }
      for (const id of loginRouteIds) {
        const call = callOf(trial, id, { project: project.id })
        const answer = await trial.send({ ...call, bearer: secret })
        isRefusal(trial, answer, rowOf("error", "error.http.E_UNAUTHENTICATED"))
      }
    }
  },
  {
    ids: ["error.http.E_SCOPE"],
    title: "a key that lacks the scope of a route is 403 with its name",
    run: async (trial) => {
      const project = await trial.project()
      const { secret: bearer } = await project.key("rooms:read")
      for (const id of keyRouteIds) {
        const { scope = "" } = rowOf("route", id)
        const answer = await trial.send({ ...callOf(trial, id, { project: project.id }), bearer })
        if (scope === "rooms:read") holds(`${id} is not 403`, answer.status !== 403, answer.text)
        else isRefusal(trial, answer, { ...rowOf("error", "error.http.E_SCOPE"), naming: scope })
      }
    }
  },
  {
    ids: ["error.http.E_NOT_FOUND"],
    title: "a project that the caller cannot reach is 404 on every route",
    run: async (trial) => {
      const [project, foreign] = [await trial.project(), await trial.project(1)]
      const key = await project.key("rooms:read", "rooms:write")
      for (const id of managementRouteIds) {
        const isKeyRoute = keyRouteIds.some((route) => route === id)
        for (const to of [foreign.id, noProject(trial)]) {
          const call = callOf(trial, id, { project: to })
          const answer = await trial.send({
            ...call,
            bearer: isKeyRoute ? key.secret : project.login
          })
          const refused = () => isRefusal(trial, answer, rowOf("error", "error.http.E_NOT_FOUND"))
          if (isKeyRoute) refused()
          else trial.chosen("D-03", refused)
        }
      }
    }
  },
  {
    ids: ["error.http.E_ROOM_NOT_FOUND"],
    title: "a room with neither row nor state is 404 E_ROOM_NOT_FOUND, not E_NOT_FOUND",
    run: async (trial) => {
      const project = await trial.project()
      const { secret: bearer } = await project.key("rooms:read", "rooms:write")
      for (const id of keyRouteIds) {
        if (id === "route.rooms.list") continue
        const answer = await trial.send({ ...callOf(trial, id, { project: project.id }), bearer })
        const refused = () =>
          isRefusal(trial, answer, rowOf("error", "error.http.E_ROOM_NOT_FOUND"))
        if (id === "route.rooms.get") refused()
        else trial.chosen("T-29", refused)
      }
    }
  },
  {
    ids: [
      ...(["error.message.96-bytes", "error.message.cut-on-character"] as const),
      "error.message.ellipsis"
    ],
    title: "a message has at most 96 bytes, cut between characters, ending in one … if cut",
    timeoutMs: manyAskedMs,
    run: messages
  },
  {
    ids: ["error.message.96-bytes", "error.message.cut-on-character"],
    title: "a name that is no text, or half a character, leaves the message readable",
    timeoutMs: manyAskedMs,
    run: brokenNames
  },
  {
    ids: ["http.json-bodies"],
    title:
      "answers are JSON by name and by content; a body that is none is refused, and changes nothing",
    timeoutMs: manyAskedMs,
    run: jsonBodies
  }
]

async function badRequests(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { secret: bearer } = await project.key("rooms:read", "rooms:write")
  const refused = (answer: HttpAnswer, naming: string): void =>
    isRefusal(trial, answer, { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming })
  refused(await project.ask("/rooms?colour=red", { bearer }), "colour")
  refused(await project.ask("/rooms?active=true&colour", { bearer }), "colour")
  refused(await project.ask("/rooms?idle-longer-than=soon", { bearer }), "idle-longer-than")
  const { name } = project
  const bodies: ReadonlyArray<readonly [string, string, unknown]> = [
    ["", "colour", { name, colour: "red" }],
    ["/keys", "colour", { scopes: ["rooms:read"], label: "l", colour: "red" }],
    ["/rooms/nobody", "colour", { colour: "red" }],
    ["/rooms/nobody", "class", { class: "large" }]
  ]
  for (const [path, naming, body] of bodies) {
    const method = path === "/keys" ? "POST" : "PATCH"
    const answer = await project.ask(path, { method, body })
    // That unknown fields are refused is said of rooms only; that it comes before the room, of none.
    trial.chosen("D-02", () => refused(answer, naming))
  }
}

/** Where the name of something unknown comes into a message. */
const namings = (project: Project) => [
  (name: string) => project.ask(`/rooms?${encodeURIComponent(name)}=1`),
  (name: string) =>
    project.ask("", { method: "PATCH", body: { name: project.name, [`${name}`]: 1 } })
]

async function messages(trial: Trial): Promise<void> {
  const project = await trial.project()
  const examples = [...families.map((one) => one.repeat(200)), "x".repeat(1000), "é".repeat(48)]
  const short = ["a", "é", "👩‍👩‍👧", "…", "a…", "x".repeat(60), "x".repeat(71), "x".repeat(72)]
  const around = Array.from({ length: 20 }, (_, at) => `${"x".repeat(60 + at)}€🎲é`)
  const law = { of: names, runs: 24, examples: [...examples, ...short, ...around], atOnce: 8 }
  await forAll(trial, law, async (name) => {
    for (const ask of namings(project)) {
      const answer = await ask(name)
      isRefused(answer)
      const message = messageOf(trial, answer)
      isReadable(message, answer)
      same("characters that were not sent", message.includes("\ufffd"), false)
      isCutRightly(message, name)
    }
  })
}

/** Either it is whole, or it ends in one ellipsis behind the beginning of the name. */
const isCutRightly = (message: string, name: string): void => {
  const isWhole = message.includes(name)
  if (Buffer.byteLength(name) <= 16) return holds("a short name is named whole", isWhole, message)
  if (isWhole) {
    // What comes behind the name may be cut, when it had to be.
    const mayEnd = name.includes(ellipsis()) || Buffer.byteLength(message) > most() - 2 * endBytes()
    return holds("what is whole has no ellipsis", mayEnd || !message.endsWith(ellipsis()), message)
  }
  matches("a message that was cut", message, new RegExp(`[^${ellipsis()}]${ellipsis()}$`, "u"))
  const kept = message.slice(0, -ellipsis().length)
  // Names of the ellipsis alone lose all of it: their message ends with what stands before them.
  const beginnings = prefixes(name.replace(new RegExp(`^${ellipsis()}+`, "u"), ""))
  const ends = beginnings.some((part) => kept.endsWith(part)) || name.startsWith(ellipsis())
  holds("what was kept is a beginning of the name, in whole characters", ends, message)
}

/** Beginnings of a name in whole code points, as long as a message can be. */
const prefixes = (name: string): ReadonlyArray<string> => {
  const characters = [...name].slice(0, most())
  return characters.map((_, at) => characters.slice(0, at + 1).join(""))
}

async function brokenNames(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { name } = project
  const json = { "content-type": "application/json" }
  // Halves of surrogate pairs come as escapes in JSON, and as bytes that are no UTF-8 in a query.
  const halves = [
    "\\ud83d",
    "\\ude00",
    "\\ude00\\ud83d",
    "a\\ud83d",
    "\\u0000",
    "\\ud83d".repeat(50)
  ]
  for (const half of [...halves, `${"x".repeat(68)}\\ud83d\\ude00`, `${"x".repeat(70)}\\ud83d`]) {
    const body = `{"name":${JSON.stringify(name)},"${half}":1}`
    const answer = await project.ask("", { method: "PATCH", body, headers: json })
    isRefused(answer)
    // Whoever repeats half a character has it from whoever sent it.
    trial.chosen("T-46", () => isReadable(messageOf(trial, answer), answer))
  }
  const bytes = ["%FF", "%C3", "%F0%9F%98", "%ED%A0%BD", "%00", "%F0%9F%98".repeat(60), "%E2%80%A6"]
  for (const query of [
    ...bytes,
    ...bytes.map((byte) => `${"x".repeat(70)}${byte}`),
    "%",
    "%zz",
    ""
  ]) {
    const answer = await project.ask(`/rooms?${query}=1`)
    isRefused(answer)
    isReadable(messageOf(trial, answer), answer)
  }
  await forAll(trial, { of: codePoints, runs: 20, atOnce: 8 }, async (field) => {
    const body = { name, [`zz${field}`]: 1 }
    const answer = await project.ask("", { method: "PATCH", body })
    isRefused(answer)
    isReadable(messageOf(trial, answer), answer)
  })
}

/** At most 96 bytes, and nothing in the answer that is no UTF-8. */
const isReadable = (message: string, answer: HttpAnswer): void => {
  const bytes = Buffer.byteLength(message)
  holds(`a message of at most ${most()} bytes`, bytes <= most(), `${bytes} bytes: ${message}`)
  holds("a message of whole characters", message.isWellFormed(), message)
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const isUtf8 = ((): boolean => {
    try {
      return strict.decode(answer.bytes) !== ""
    } catch {
      return false
    }
  })()
  holds("a body of UTF-8", isUtf8, answer.text)
}

const messageOf = ({ codecs }: Trial, answer: HttpAnswer): string => {
  const error = codecs.error(answer)
  holds("a body that is an error", error !== null, answer.text)
  return error?.message ?? ""
}

async function jsonBodies(trial: Trial): Promise<void> {
  const project = await trial.project()
  const { name } = project
  const named = (answer: HttpAnswer): void => {
    const { method, path } = answer.request
    const type = answer.headers["content-type"]
    matches(`${method} ${path}: the content type`, type, /^application\/json(\s*;|$)/i)
    holds(`${method} ${path}: a body of JSON`, answer.json !== undefined, answer.text)
  }
  const before = await project.ask("", { method: "PATCH", body: { name } })
  isSuccess(before)
  for (const id of managementRouteIds) {
    for (const bearer of [project.login, "unknown"]) {
      named(await trial.send({ ...callOf(trial, id, { project: project.id }), bearer }))
    }
  }
  const headers = { "content-type": "application/json" }
  const text = JSON.stringify({ name, connectionsPerIpPerMin: 7 })
  const keys = await project.ask("/keys")
  const takers = [["PATCH", ""] as const, ["POST", "/keys"] as const, ["PATCH", "/caps"] as const]
  for (const body of [...notJson(text), ...notUtf8(text)]) {
    const asked = takers.map(([method, path]) => project.ask(path, { method, body, headers }))
    for (const answer of await Promise.all(asked)) {
      named(answer)
      const bad = rowOf("error", "error.http.E_BAD_REQUEST")
      if (typeof body === "string") isRefused(answer)
      trial.chosen("D-02", () => isRefusal(trial, answer, bad))
    }
  }
  await forAll(trial, { of: fc.json({ maxDepth: 3 }), atOnce: 8 }, async (body) => {
    const answer = await project.ask("", { method: "PATCH", body, headers })
    isRefused(answer)
    named(answer)
  })
  same("the keys afterwards", (await project.ask("/keys")).json, keys.json)
  const after = await project.ask("", { method: "PATCH", body: { name } })
  same("the project afterwards", after.json, before.json)
}

const notJson = (text: string): ReadonlyArray<string> => [
  "",
  "{",
  text.slice(0, -1),
  `${text}}`,
  `${text},`,
  text.replaceAll('"', "'"),
  `<a>${text}</a>`,
  `[${text}]`,
  "null",
  "true",
  "7",
  JSON.stringify(text),
  "[]",
  `${text}${text}`,
  "{name:1}"
]

/** JSON in bytes that are no UTF-8: some read it all the same. */
const notUtf8 = (text: string): ReadonlyArray<Uint8Array> => [
  Uint8Array.from([...Buffer.from(text.slice(0, -1)), 0xff, 0x7d]),
  Uint8Array.from([0x7b, 0x22, 0xc3, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from(text, "utf16le")
]

/** Letters of one to four bytes, families joined by ZWJ, flags, marks on marks, right to left. */
const families = [
  "a",
  "é",
  "€",
  "🎲",
  "👩‍👩‍👧‍👦",
  "🏳️‍🌈",
  "🇩🇪",
  "é",
  "Z͑ͫ̓",
  "مرحبا",
  "שלום",
  "日本",
  "‍",
  "​",
  "‮",
  "﻿",
  "\0",
  "\x07",
  "\\",
  '"',
  "&",
  "<",
  "%"
]

const unitsOf = (maxLength: number) =>
  fc
    .array(fc.oneof(fc.constantFrom(...families), fc.string({ unit: "grapheme", maxLength: 3 })), {
      minLength: 1,
      maxLength
    })
    .map((parts) => parts.join(""))

const names = fc
  .oneof(
    unitsOf(6),
    unitsOf(200),
    fc
      .record({ pad: fc.nat({ max: 100 }), text: unitsOf(20) })
      .map(({ pad, text }) => "x".repeat(pad) + text)
  )
  .filter((name) => name !== "" && name.isWellFormed() && !known.has(name))

/** Any text whatever: unassigned, private and control characters among it. */
const codePoints = fc
  .array(fc.oneof(fc.nat({ max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff })), {
    minLength: 1,
    maxLength: 200
  })
  .map((points) => String.fromCodePoint(...points))

const known: ReadonlySet<string> = new Set([
  "active",
  "idle-longer-than",
  "name",
  "connectionsPerIpPerMin",
  "vmMemMib",
  "queues",
  "boards"
])
