import { execFileSync } from "node:child_process"

import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { atriumLine, curlLine } from "./Equivalents.ts"
import { quoted } from "./Quoting.ts"

const end = "\u0001end of the words\u0001"

/** The words that the command of each line gets from a POSIX shell, behind its own name. */
const argvsOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const functions = ["curl", "atrium", "show"].map(
    (name) => `${name}() { for word; do printf '%s\\0' "$word"; done; printf '%s' '${end}'; }`
  )
  const out = execFileSync("/bin/sh", ["-c", [...functions, ...lines].join("\n")], {
    // A substitution that is carried out finds no program.
    env: { PATH: "/nowhere", SERVICE_API_KEY: "rk_key", ATRIUM_TOKEN: "ct_token" },
    encoding: "utf8"
  })
  const words = out.split(end).slice(0, -1)
  return words.map((each) => each.split("\0").slice(0, -1))
}
const argvOf = (line: string): ReadonlyArray<string> => argvsOf([line])[0] ?? []

/** Ids that a shell, `curl` or `atrium` would take for something else. */
const hostile: ReadonlyArray<string> = [
  "arena-1",
  "-rf",
  "--force",
  "~",
  "~root",
  "a b",
  "'",
  "it's",
  "$(touch /tmp/x)",
  "`id`",
  "$ATRIUM_TOKEN",
  "a;b&c|d>e<f",
  "a\nb",
  "a\\",
  '"',
  "*",
  "{a,b}",
  "!!",
  "#",
  "=",
  "a=b",
  "",
  "\u202egnp",
  "ü🎲",
  "<script>alert(1)</script>"
]

describe("a line for a POSIX shell", () => {
  it("[C-764] a shell reads every hostile value back as one word", () => {
    expect(argvOf(`show ${hostile.map(quoted).join(" ")}`)).toEqual(hostile)
  })

  it("[C-764] and every text without a NUL", () => {
    const sign = fc.oneof(fc.integer({ min: 1, max: 0x7f }), fc.integer({ min: 0xa0, max: 0xd7ff }))
    const text = fc.array(sign).map((signs) => String.fromCodePoint(...signs))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (values) => {
        expect(argvOf(`show ${values.map(quoted).join(" ")}`)).toEqual(values)
      }),
      { numRuns: 20 }
    )
  })

  it("[C-764] the line of curl has the credential from the environment, and the address whole", () => {
    const asked = hostile.map((id) => ({
      method: "PATCH" as const,
      path: `/v1/projects/p_0123456789abcdef/rooms/${encodeURIComponent(id)}`,
      body: { retention: id },
      credential: "key" as const
    }))
    const lines = asked.map((each) => curlLine("http://localhost:8787", each))
    expect(lines.join("")).not.toContain("rk_key")
    expect(argvsOf(lines)).toEqual(
      asked.map(({ path, body }) => [
        "-sS",
        "-X",
        "PATCH",
        "-H",
        "authorization: Bearer rk_key",
        "-H",
        "content-type: application/json",
        "-d",
        JSON.stringify(body),
        `http://localhost:8787${path}`
      ])
    )
  })

  it("[C-764] the line of atrium has each value as its command takes it", () => {
    const project = "p_0123456789abcdef"
    const lines = hostile.map((id) =>
      atriumLine("https://play.example", {
        words: ["rooms", "get"],
        flags: { project, level: id, json: null, since: undefined },
        values: [id]
      })
    )
    expect(argvsOf(lines)).toEqual(
      hostile.map((id) => [
        "rooms",
        "get",
        "--project",
        project,
        ...(id.startsWith("-") ? [`--level=${id}`] : ["--level", id]),
        "--json",
        "--url",
        "https://play.example",
        ...(id.startsWith("-") ? ["--"] : []),
        id
      ])
    )
  })

  it("[C-764] the service that commands ask by themselves is not named", () => {
    expect(atriumLine("http://127.0.0.1:8787", { words: ["cluster"] })).toBe("atrium cluster")
    expect(
      curlLine("http://h", { method: "GET", path: "/v1/fleet", credential: "login", live: true })
    ).toBe(
      "curl -sSN -H \"authorization: Bearer $ATRIUM_TOKEN\" -H 'accept: text/event-stream' http://h/v1/fleet"
    )
  })
})
