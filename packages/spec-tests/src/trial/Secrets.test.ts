import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

import { Secrets } from "./Secrets.ts"

const knowing = (...secrets: ReadonlyArray<string>): Secrets => {
  const found = new Secrets()
  for (const secret of secrets) found.add(secret)
  return found
}

describe("masking", () => {
  it("[conformance.redaction] hides a known secret: whole, cut off, in JSON and in an address", () => {
    const secret = 'pass"word of/the <operator>'
    const secrets = knowing(secret)
    const shown = [
      secret,
      `before ${secret} after`,
      `cut ${secret.slice(0, 15)}`,
      JSON.stringify({ secret }),
      encodeURIComponent(secret)
    ].map((text) => secrets.masked(text))
    expect(shown).toEqual(["…", "before … after", "cut …", '{"secret":"…"}', "…"])
  })

  it("[conformance.redaction] hides short ones as a whole, and nothing else", () => {
    expect(knowing("alice").masked("alice, alic and bob")).toBe("…, alic and bob")
  })

  it("[conformance.redaction] of two that begin alike the longer match goes", () => {
    const secrets = knowing("prefix-prefix-one", "prefix-prefix-two-and-more")
    expect(secrets.masked("prefix-prefix-two-and-more!")).toBe("…!")
  })

  it("[conformance.redaction] hides an unknown text that has the form of a secret", () => {
    const token = `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`
    expect(new Secrets().masked(`rk_${"A".repeat(43)} ${"B".repeat(43)} ${token}`)).toBe(
      "rk_… … eyJ…"
    )
    const plain = "p_0123456789abcdef 2026-11-21T15:09:17.169Z " + "B".repeat(44)
    expect(new Secrets().masked(plain)).toBe(plain)
  })

  it("[conformance.redaction] learns what answers give out, wherever it stands", () => {
    const secrets = new Secrets()
    const json = {
      secret: "first-secret-value",
      list: [{ joinToken: "second-secret-value" }],
      name: "not-a-secret-value",
      token: "short"
    }
    secrets.learn({ json })
    expect(secrets.masked(JSON.stringify(json))).toBe(
      '{"secret":"…","list":[{"joinToken":"…"}],"name":"not-a-secret-value","token":"short"}'
    )
  })

  it("[conformance.redaction] no known secret is left in any text", () => {
    const secret = fc.string({ unit: "binary", minLength: 12, maxLength: 60 })
    const text = fc.string({ unit: "binary", maxLength: 40 })
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(text),
        (all, texts) => {
          const secrets = knowing(...all)
          const told = texts.map((one, at) => one + all[at % all.length]).join("|")
          const shown = secrets.masked(told)
          for (const one of all) expect(shown.includes(one)).toBe(false)
        }
      )
    )
  })
})
