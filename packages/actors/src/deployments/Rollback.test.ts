import { expect, test } from "vitest"

import { rollbackObjection, versionBefore } from "./Rollback.ts"

const uploaded = (version: number) => ({ version, rollbackOf: null })
const again = (version: number, rollbackOf: number) => ({ version, rollbackOf })

test.each([
  ["the first version", uploaded(1), null],
  ["an upload", uploaded(3), 2],
  ["a rollback to the first version", again(3, 1), null],
  ["a rollback to a later version", again(4, 2), 1]
])("[C-351] the version before %s", (_, current, before) => {
  expect(versionBefore(current)).toBe(before)
})

test.each([
  ["a named version", { target: uploaded(1), chosenAt: null }, uploaded(2), null],
  ["a named version, past a deploy", { target: uploaded(1), chosenAt: null }, uploaded(3), null],
  ["the version before", { target: uploaded(1), chosenAt: 2 }, uploaded(2), null],
  [
    "the version before, past a deploy",
    { target: uploaded(1), chosenAt: 2 },
    uploaded(3),
    "version 3 was deployed meanwhile; name a version, or ask again"
  ],
  [
    "the current version",
    { target: uploaded(2), chosenAt: null },
    uploaded(2),
    "version 2 is the current one"
  ],
  [
    "an upload that a rollback has made current",
    { target: uploaded(1), chosenAt: null },
    again(3, 1),
    "version 3 is current and has the code of version 1"
  ],
  [
    "a rollback whose upload is current",
    { target: again(3, 1), chosenAt: null },
    again(5, 1),
    "version 5 is current and has the code of version 3"
  ],
  [
    "any version of a project without one",
    { target: uploaded(1), chosenAt: null },
    null,
    "the project has no version yet"
  ]
])("[C-350] a rollback to %s", (...row) => {
  const [, rollback, current, objection] = row
  expect(rollbackObjection(rollback, current)).toBe(objection)
})
