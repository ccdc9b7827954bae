import { describe, expect, it } from "vitest"

import { labelFault, labelsFor } from "./SiteLabel.ts"

const form = "label: must be 1 to 63 of a-z 0-9 and -, and no - at either end"
const marked = "label: must have no -- as its third and fourth character"

describe("labelFault", () => {
  it.each([
    ["a", null],
    ["7", null],
    ["my-game-2", null],
    ["a--b", null],
    ["a".repeat(63), null],
    ["a".repeat(64), form],
    ["", form],
    ["-a", form],
    ["a-", form],
    ["My-game", form],
    ["my_game", form],
    ["my.game", form],
    ["my game", form],
    ["my-game\n", form],
    // The Cyrillic letter that looks like an "a", a full-width one, a Turkish dotless one, and a hyphen that is none.
    ["g\u0430me", form],
    ["g\uff41me", form],
    ["g\u0131me", form],
    ["my\u2010game", form],
    ["xn--gme-5cd", marked],
    ["ab--c", marked],
    ["www", "label: www is reserved"],
    ["atrium", "label: atrium is reserved"],
    ["localhost", "label: localhost is reserved"]
  ])("[C-356] takes a DNS label in lower case that is not reserved: %j", (label, fault) => {
    expect(labelFault(label)).toBe(fault)
  })
})

describe("labelsFor", () => {
  const projectId = "p_0123456789abcdef"
  it.each([
    ["Arena", ["arena", "arena-012345", "arena-0123456789abcdef"]],
    ["Größe & Würde!", ["gro-e-wurde", "gro-e-wurde-012345", "gro-e-wurde-0123456789abcdef"]],
    ["遊び", ["site", "site-012345", "site-0123456789abcdef"]],
    ["API", ["api-012345", "api-0123456789abcdef"]],
    ["xn--a", ["xn-a", "xn-a-012345", "xn-a-0123456789abcdef"]],
    [
      "a".repeat(70),
      ["a".repeat(63), `${"a".repeat(56)}-012345`, `${"a".repeat(46)}-0123456789abcdef`]
    ],
    [
      `${"a".repeat(62)} b`,
      ["a".repeat(62), `${"a".repeat(56)}-012345`, `${"a".repeat(46)}-0123456789abcdef`]
    ]
  ])("[C-356] makes labels of the name of a project: %j", (name, labels) => {
    expect(labelsFor({ projectId, name })).toEqual(labels)
    for (const label of labels) expect(labelFault(label)).toBeNull()
  })
})
