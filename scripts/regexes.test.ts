import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { SecretPrefix } from "@atrium/domain/shared/Ids"
import { roomAddress } from "@atrium/wire/frames/RoomPath"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { parseSync } from "oxc-parser"
import { check } from "recheck"
import { expect, test } from "vitest"

const nameOf = ({ source, flags }: { readonly source: string; readonly flags: string }): string =>
  `/${source}/${flags}`

/** As `withoutSecrets` has it. */
const credentialPrefixes = [...Object.values(SecretPrefix), "rp_"]
const SecretsIn = new RegExp(`(${credentialPrefixes.join("|")})[A-Za-z0-9_-]{20,}`, "g")

/** Patterns that the checker does not prove: the most that they are given, and why it is that. */
const bounded: ReadonlyArray<{
  readonly pattern: string
  readonly inputMax: number
  readonly why: string
  /** The text that the worst input repeats, where the checker finds no such input. */
  readonly pump: string
  /** The checker cannot be waited for: the worst input alone tells. */
  readonly unchecked?: true
}> = [
  {
    pattern: "/^(?!\\.{1,2}$)[A-Za-z0-9._~:-]+$/",
    inputMax: 16 * 1024,
    why: "one pass from the start: an id comes in the head of a request, or in a body of the service",
    pump: "."
  },
  {
    pattern: "/…+$/",
    inputMax: TextLimits.messageBytes.max,
    why: "a message that is cut already",
    pump: "…"
  },
  {
    pattern: nameOf(SecretsIn),
    inputMax: 64 * 1024,
    why: "a run of letters is taken whole or given up within 20: the checker does not finish",
    pump: "ct_",
    unchecked: true
  }
]

const { seasonNameChars } = BoardLimits
const { audienceRoleChars } = AudienceLimits

/** Patterns that are made of texts, by the code that makes them: what it makes. */
const made: ReadonlyMap<string, ReadonlyArray<RegExp>> = new Map([
  ['wire/src/frames/RoomPath.ts `^${roomPath("([^/?#]+)", "([^/?#]+)")}(?:[?#]|$)`', [roomAddress]],
  ["domain/src/projects/Declarations.ts pattern", [/^[a-z0-9._-]{1,64}$/]],
  // Room code clones a pattern of its own, in its own process.
  ["runtime/src/boot/BootRealm.ts value.source, value.flags", []],
  [
    "domain/src/audience/AudienceRole.ts `^[A-Za-z0-9_.:-]{1,${max}}$`",
    [new RegExp(`^[A-Za-z0-9_.:-]{1,${audienceRoleChars.max}}$`)]
  ],
  [
    'domain/src/shared/Ids.ts `(${credentialPrefixes.join("|")})[A-Za-z0-9_-]{20,}`, "g"',
    [SecretsIn]
  ],
  [
    'domain/src/boards/Boards.ts `^(?:daily|weekly|monthly|season:[a-z0-9._-]{1,${BoardLimits.seasonNameChars.max}})$`, "u"',
    [new RegExp(`^(?:daily|weekly|monthly|season:[a-z0-9._-]{1,${seasonNameChars.max}})$`, "u")]
  ],
  [
    'actors/src/process/ProcessMemory.ts `^${name}:\\\\s*(\\\\d+) kB$`, "m"',
    [/^RssAnon:\s*(\d+) kB$/m]
  ],
  [
    'actors/src/servers/MachineMemory.ts `^${group.files} (\\\\d+)$`, "m"',
    [/^inactive_file (\d+)$/m]
  ],
  [
    'actors/src/servers/MachineMemory.ts `^${name}:\\\\s*(\\\\d+) kB$`, "m"',
    [/^MemTotal:\s*(\d+) kB$/m]
  ],
  [
    'api/src/http/PathPattern.ts `^${escaped.replace(/:[A-Za-z]+/g, "[^/]+").replace(/\\/\\\\\\*$/, "(?:/.*)?")}$`',
    [
      /^\/console(?:\/.*)?$/,
      /^\/v1\/projects\/[^/]+\/rooms\/[^/]+\/clients\/[^/]+\/kick$/,
      /^\/openapi\.json$/
    ]
  ]
])

const packages = join(import.meta.dirname, "../packages")
/** What runs in the service, in its room processes and in the one that maps stacks. */
const folders = ["wire", "domain", "runtime", "sdk", "actors", "postgres", "api"].map(
  (name) => `${name}/src`
)
/** Parts of the SDK that run in the programs of players and developers alone. */
const elsewhere = /^sdk\/src\/(?:client|bundle)\b|^wire\/src\/client\b/
const notShipped = /\.(?:test|contract)\.ts$|\/testing\/|\/(?:Test|Fake)[A-Z]\w*\.ts$/

const sources = folders.flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith(".ts") && !notShipped.test(file) && !elsewhere.test(file))
)

interface Pattern {
  readonly file: string
  readonly source: string
  readonly flags: string
}

/** Every pattern that stands in the code, and every place that makes one of a text. */
const patterns: Pattern[] = []
const makers: string[] = []
/** Texts that a method takes for a pattern. */
const hidden: string[] = []

/** A node of the syntax tree: whatever it has. */
type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null

for (const file of sources) {
  const text = readFileSync(join(packages, file), "utf8")
  const textOf = (node: unknown): string =>
    isNode(node) ? text.slice(Number(node["start"]), Number(node["end"])) : ""
  const walk = (node: unknown): void => {
    if (!isNode(node)) return
    const { regex, type, callee } = node
    if (type === "Literal" && isNode(regex)) {
      return void patterns.push({
        file,
        source: String(regex["pattern"]),
        flags: String(regex["flags"])
      })
    }
    const args = Array.isArray(node["arguments"]) ? node["arguments"] : []
    if ((type === "NewExpression" || type === "CallExpression") && textOf(callee) === "RegExp") {
      makers.push(`${file} ${args.map(textOf).join(", ")}`)
    }
    const method = isNode(callee) && isNode(callee["property"]) ? callee["property"]["name"] : null
    const isTaken = method === "match" || method === "matchAll" || method === "search"
    const [first] = args
    if (
      isTaken &&
      isNode(first) &&
      (typeof first["value"] === "string" || first["type"] === "TemplateLiteral")
    ) {
      hidden.push(`${file} ${textOf(first)}`)
    }
    for (const child of Object.values(node)) walk(child)
  }
  const parsed = parseSync(file, text)
  if (parsed.errors.length > 0) throw new Error(`${file} cannot be parsed`)
  walk(parsed.program)
}

const used = new Set<string>()
const verdicts = new Map<string, Promise<string | null>>()

/** What is wrong with a pattern; `null` = it is proved linear, or its input is bounded. */
const faultOf = (pattern: Pick<Pattern, "source" | "flags">): Promise<string | null> => {
  const name = nameOf(pattern)
  const fault = verdicts.get(name) ?? judged(pattern, name)
  verdicts.set(name, fault)
  return fault
}

/**
 * No step of the checker looks at the time: a busy machine changes no verdict. The package has the checker as a program
 * of the machine, and as JavaScript where there is none: both are built of the same source, and the program takes a
 * fifth of the time.
 */
const verdictOf = ({ source, flags }: Pick<Pattern, "source" | "flags">) =>
  check(source, flags, { checker: "automaton", timeout: null, maxRepeatCount: 70 })

const judged = async (
  { source, flags }: Pick<Pattern, "source" | "flags">,
  name: string
): Promise<string | null> => {
  const row = bounded.find((each) => each.pattern === name)
  const verdict =
    row?.unchecked === true ? { status: "unknown" as const } : await verdictOf({ source, flags })
  if (verdict.status === "safe") return null
  if (row === undefined) return `${name}: ${verdict.status}`
  used.add(name)
  const found = verdict.status === "vulnerable" ? verdict.attack : { pumps: [], suffix: "!" }
  const pump = found.pumps.map((each) => each.prefix + each.pump).join("") || row.pump
  const worst = pump.repeat(row.inputMax).slice(0, row.inputMax - found.suffix.length)
  const spentMs = quickestMs(() => `${worst}${found.suffix}`.replace(new RegExp(source, flags), ""))
  return spentMs < 5 ? null : `${name}: ${spentMs} ms for ${row.inputMax} units`
}

/** The quickest of ten: the machine may be busy. */
const quickestMs = (what: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 10 }, () => {
      const beginMs = performance.now()
      what()
      return performance.now() - beginMs
    })
  )

test("[C-172] every pattern of the service is proved linear, or its input is bounded", async () => {
  expect(patterns.length).toBeGreaterThan(40)
  const faults: string[] = []
  for (const pattern of patterns) {
    const fault = await faultOf(pattern)
    if (fault !== null) faults.push(`${pattern.file} ${fault}`)
  }
  expect(faults).toEqual([])
})

test("[C-172] every pattern that is made of a text is known, and so is what is made", async () => {
  expect(hidden).toEqual([])
  expect(makers.toSorted()).toEqual([...made.keys()].toSorted())
  for (const pattern of [...made.values()].flat()) expect(await faultOf(pattern)).toBeNull()
})

test("[C-172] the checker finds a quadratic pattern", async () => {
  expect(await faultOf({ source: "\\s+$", flags: "" })).toMatch(/vulnerable/)
})

test("[C-172] no row of the list is stale", async () => {
  const all = [...patterns, ...[...made.values()].flat()]
  for (const pattern of all) await faultOf(pattern)
  expect(bounded.map(({ pattern }) => pattern).filter((pattern) => !used.has(pattern))).toEqual([])
})
