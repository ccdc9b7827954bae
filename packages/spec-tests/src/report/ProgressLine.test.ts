import { expect, it } from "vitest"

import { ProgressLine } from "./ProgressLine.ts"

const said = (isTTY: boolean): string => {
  let text = ""
  const line = new ProgressLine({ isTTY, write: (more) => (text += more) })
  line.progress({ phase: "smoke", done: 0, of: 0 })
  line.progress({ phase: "together", done: 0, of: 3 })
  line.result("pass")
  line.progress({ phase: "together", done: 1, of: 3 })
  line.result("fail")
  line.progress({ phase: "together", done: 2, of: 3 })
  line.progress({ phase: "alone", done: 2, of: 3 })
  line.end()
  return text
}

it("[conformance.progress] a log gets a line for what is new, and now and then", () => {
  expect(said(false)).toBe(
    "smoke: 0 s\ntogether: 0 of 3 checks, 0 red, 0 s\nalone: 2 of 3 checks, 1 red, 0 s\n"
  )
})

it("[conformance.progress] a terminal has one line, which goes at the end", () => {
  const lines = said(true).split("\r\u001b[K")
  expect(lines).toEqual([
    "",
    "smoke: 0 s",
    "together: 0 of 3 checks, 0 red, 0 s",
    "together: 1 of 3 checks, 0 red, 0 s",
    "together: 2 of 3 checks, 1 red, 0 s",
    "alone: 2 of 3 checks, 1 red, 0 s",
    ""
  ])
})
