import fc from "fast-check"

import { isSuccess, isRefusal, isRefused } from "../../check/Answers.ts"
import { manyAskedMs } from "../../check/Check.ts"
import { same, holds, matches } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { sentWith, hasBody } from "../EveryExchange.ts"
import { namedCodes, overLimitRejects } from "../limits/PlayerStore.ts"
import { boundaries } from "../limits/SchemaLimits.ts"
import { playerStoreRow, sdkRow } from "../RowKinds.ts"
import { section, tierA, tierB, rowOf } from "../Section.ts"
import { atMost, mib } from "../Units.ts"
import { families, unitsOf } from "./ErrorMessagesProbes.ts"

const most = () => rowOf("boundary", "error.message.96-bytes").accept

const ellipsis = () => String(rowOf("statement", "error.message.ellipsis").is?.["end"])

const endBytes = () => Buffer.byteLength(ellipsis())

/** Where the name of something unknown comes into a message. */
const namings = (project: Project) => [
  (name: string) => project.ask(`/rooms?${encodeURIComponent(name)}=1`),
  (name: string) =>
    project.ask("", { method: "PATCH", body: { name: project.name, [`${name}`]: 1 } })
]

/** Either it is whole, or it ends in one ellipsis behind the beginning of the name. */
const isCutRightly = (message: string, name: string): void => {
  const isWhole = message.includes(name)
  if (Buffer.byteLength(name) <= 16) return holds("a short name is named whole", isWhole, message)
  if (isWhole) {
    // The text behind the name may be cut, when it had to be.
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

/** Lines 357 to 360 of the specification: Errors, messages. */
export const errorMessagesSection = section("Errors", {
  "error.message.96-bytes": tierA(
    357,
    "the service's own error messages are at most 96 bytes of UTF-8",
    {
      probe: ["http", "ws"],
      decisions: ["T-46"],
      boundary: { ...atMost(96, "bytes"), outcome: {} },
      ambient: [
        {
          title: "every message of an error has at most 96 bytes",
          look: (answer, codecs) => {
            const error = isError(answer) ? codecs.error(answer) : null
            if (error === null) return undefined
            const bytes = Buffer.byteLength(error.message)
            return bytes <= messageMax() ? null : `${bytes} bytes: ${error.message}`
          }
        }
      ],
      check: [
        {
          name: "cut",
          title: "a message has at most 96 bytes, cut between characters, ending in one … if cut",
          timeoutMs: manyAskedMs,
          run: messages
        },
        {
          title: "a name that is no text, or half a character, leaves the message readable",
          timeoutMs: manyAskedMs,
          run: brokenNames
        }
      ]
    }
  ),
  "error.message.cut-on-character": tierA(357, "longer text is cut on a character boundary", {
    decisions: ["T-46"],
    provedBy: "error.message.96-bytes",
    ambient: [
      {
        title: "every message of an error is UTF-8, and ends in no half of a character",
        look: (answer, codecs) => {
          const error = isError(answer) ? codecs.error(answer) : null
          if (error === null) return undefined
          // Half a character that was sent may come back.
          if (/\\ud[89a-f]/i.test(sentWith(answer))) return undefined
          if (!error.message.isWellFormed()) return `half a character: ${error.message}`
          return isUtf8(answer.bytes) ? null : "bytes that are no UTF-8"
        }
      }
    ]
  }),
  "error.message.ellipsis": tierA(357, "cut text ends with a single … (3 bytes, inside the 96)", {
    decisions: ["T-46"],
    is: { end: "…", endBytes: 3 },
    provedBy: "error.message.96-bytes#cut"
  }),
  "error.app-data-never-trimmed": tierB(
    357,
    "application data that does not fit is an error in the schema library, never trimmed",
    {
      probe: ["sdk"],
      features: ["sdk"],
      check: {
        title: "data that does not fit its field is an error of the schema library, never trimmed",
        run: withRooms(async (stage) => {
          const client = await stage.client("written")
          const write = (text: string) => client.call("write", { text })
          same("16 bytes", await write("sixteen bytes ok"), {
            refused: false,
            stored: "sixteen bytes ok"
          })
          const refused = { refused: true, stored: "sixteen bytes ok" }
          same("17 bytes", await write("seventeen bytes!!"), refused)
          same("9 characters of 2 bytes", await write("é".repeat(9)), refused)
          same("much", await write("x".repeat(10_000)), refused)
          same("8 characters of 2 bytes", await write("é".repeat(8)), {
            refused: false,
            stored: "é".repeat(8)
          })
        })
      }
    }
  ),
  "schema.throws-at-build": sdkRow(
    358,
    "schema definition throws at build time over a schema limit",
    {
      check: {
        title: "every schema limit is refused as the schema is defined, and nothing is deployed",
        run: async (trial) => {
          same("a plain schema", await trial.fixtures.schema({}), null)
          for (const [id, describe] of boundaries) {
            const refusal = await trial.fixtures.schema(describe(rowOf("boundary", id).refuse))
            holds(`${id} is refused with words`, refusal !== null && refusal.length > 0, refusal)
          }
          const alone = await trial.fixtures.schema({ clientRpcs: 60_001 })
          holds("one direction counts as well", alone !== null, "built")
        }
      }
    }
  ),
  "kv.over-limit-rejects": playerStoreRow(
    359,
    "over a player-KV limit the write is rejected by a named code, never truncated",
    { decisions: ["D-36"], check: overLimitRejects }
  ),
  "kv.error-codes": playerStoreRow(359, "the KV codes are not given", {
    level: "decided",
    decisions: ["D-36"],
    check: namedCodes
  }),
  "error.body-shape": tierA(360, "error body shape is not given", {
    level: "decided",
    decisions: ["D-02"],
    ambient: [
      {
        title:
          "the service never fails by itself: of 5xx there are the 502 that is shown, and a 503 that ends",
        look: (answer, codecs) => {
          const { status } = answer
          if (status < 500) return null
          if (status === 502 && codecs.error(answer)?.code === evictFailed()) return null
          if (status === 503 && /^\d+$/.test(answer.headers["retry-after"] ?? "")) return null
          return `${status} ${answer.text.slice(0, 200)}`
        }
      },
      {
        title: "every refusal of the API has the shape of an error, its code E_ and capitals",
        look: (answer, codecs) => {
          if (!isApi(answer) || !isError(answer) || !hasBody(answer)) return undefined
          const error = codecs.error(answer)
          if (error === null) return `${answer.status} ${answer.text.slice(0, 200)}`
          if (!/^E_[A-Z0-9_]+$/.test(error.code)) return `the code ${error.code}`
          return error.message === "" ? "an empty message" : null
        }
      }
    ],
    check: {
      title: "an unrouted path is 404, another method 405 with its `allow`, a body over 1 MiB 413",
      run: async (trial) => {
        const project = await trial.project()
        const notFound = { status: 404, code: "E_NOT_FOUND" }
        isShaped(trial, await project.ask("/no-such-route"), notFound)
        isShaped(trial, await trial.send({ method: "GET", path: "/no/such/path" }), notFound)
        isShaped(trial, await project.ask("/rooms/nobody"), {
          status: 404,
          code: "E_ROOM_NOT_FOUND"
        })
        isShaped(trial, await project.ask("/rooms?x=1"), { status: 400, code: "E_BAD_REQUEST" })
        const unauthenticated = { status: 401, code: "E_UNAUTHENTICATED" }
        isShaped(trial, await project.ask("/rooms", { bearer: null }), unauthenticated)
        const method = await project.ask("/rooms", { method: "PUT", body: {} })
        isShaped(trial, method, { status: 405, code: "E_METHOD_NOT_ALLOWED" })
        const allow = (method.headers["allow"] ?? "").split(/,\s*/)
        const ofRoom = (await project.ask("/rooms/nobody", { method: "PUT", body: {} })).headers
        trial.chosen("D-02", () => {
          holds("allow names GET", allow.includes("GET"), allow)
          const all = (ofRoom["allow"] ?? "").split(/,\s*/).filter((one) => !isForms.test(one))
          same("the methods of a room", all.toSorted(), ["DELETE", "GET", "PATCH"])
        })
        const headers = { "content-type": "application/json" }
        const sized = (bytes: number) => {
          const body = JSON.stringify({ name: project.name })
          return project.ask("", { method: "PATCH", headers, body: body.padEnd(bytes) })
        }
        isSuccess(await sized(mib))
        isShaped(trial, await sized(mib + 1), { status: 413, code: "E_BODY_TOO_LARGE" })
      }
    }
  })
})

/** Methods that a service may answer by itself. */
const isForms = /^(?:HEAD|OPTIONS)$/

const isError = ({ status }: HttpAnswer): boolean => status >= 400

const isApi = ({ request }: HttpAnswer): boolean => request.path.startsWith("/v1/")

const evictFailed = () => rowOf("error", "error.http.E_EVICT_FAILED").outcome.code

const messageMax = () => rowOf("boundary", "error.message.96-bytes").accept

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).length >= 0
  } catch {
    return false
  }
}

const isShaped = (trial: Trial, answer: HttpAnswer, outcome: { status: number; code: string }) =>
  trial.chosen("D-02", () => {
    isRefusal(trial, answer, { outcome })
    same("the fields of the body", Object.keys(Object(answer.json)), ["error"])
    const { code, message, ...others } = Object(Object(answer.json)["error"])
    same("the fields of the error", [typeof code, typeof message, others], ["string", "string", {}])
    const type = answer.headers["content-type"] ?? ""
    matches("the content type", type, /^application\/json;\s*charset=utf-8$/i)
  })

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
  for (const ask of namings(project)) {
    const of = async (chars: number) => messageOf(trial, await ask("x".repeat(chars)))
    // Where each character of the name makes the message a byte longer, one name fills it to the byte.
    const [one, two] = [Buffer.byteLength(await of(1)), Buffer.byteLength(await of(2))]
    if (two !== one + 1) continue
    const fills = most() - one + 1
    const [whole, cut] = [await of(fills), await of(fills + 1)]
    same("a message that fits to the byte", whole, whole.replace(ellipsis(), ""))
    same("its bytes", Buffer.byteLength(whole), most())
    holds("one that is a byte longer is cut", cut.endsWith(ellipsis()), cut)
  }
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
    // A service that repeats half a character has it from the request.
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
