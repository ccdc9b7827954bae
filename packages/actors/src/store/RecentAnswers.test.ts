import { count, span } from "@atrium/wire/limits/Limit"
import { expect, test } from "vitest"

import { RecentAnswers } from "./RecentAnswers.ts"

const at = (serviceMs: number, machineMs = serviceMs) => ({ serviceMs, machineMs })

/** An answer to a question of the moment 5000. */
const answered = () => {
  const answers = new RecentAnswers<string>({
    age: span("age", { ms: 1000, per: "test", past: "it is asked" }),
    most: count("answers", { max: 2, per: "test", past: "it is asked" })
  })
  answers.ask(at(5000))("a", "yes")
  return answers
}

test.each([
  [at(5000), "yes"],
  [at(6000), "yes"],
  [at(6001), undefined],
  [at(5000, 6000), "yes"],
  [at(5000, 6001), undefined],
  [at(6001, 5000), undefined],
  [at(4000, 5000), "yes"],
  [at(3999, 5000), undefined]
])("[C-920] an answer is used for a second from its question, by both clocks: %j", (now, value) => {
  expect(answered().get("a", now)).toBe(value)
})

test("[C-920] an answer is not used after a change, nor kept when the change came while it was asked", () => {
  const answers = answered()
  const keep = answers.ask(at(5100))
  answers.changed("a")
  expect(answers.get("a", at(5100))).toBe(undefined)
  keep("a", "yes")
  expect(answers.get("a", at(5100))).toBe(undefined)
  answers.ask(at(5200))("a", "no")
  expect(answers.get("a", at(5200))).toBe("no")
})

test("[C-920] of more questions than may be kept, the one that was used the longest ago is forgotten", () => {
  const answers = answered()
  answers.ask(at(5000))("b", "b")
  expect(answers.get("a", at(5000))).toBe("yes")
  answers.ask(at(5000))("c", "c")
  expect(["a", "b", "c"].map((key) => answers.get(key, at(5000)))).toEqual(["yes", undefined, "c"])
})
