import { expect, test } from "vitest"

import { reaches, type Scope } from "./Scope.ts"

type Row = readonly [held: ReadonlyArray<Scope>, read: boolean, write: boolean]

test.each<Row>([
  [[], false, false],
  [["rooms:read"], true, false],
  [["rooms:write"], true, true],
  [["rooms:read", "rooms:write"], true, true],
  [["rooms:write", "rooms:read"], true, true]
])("[scope.write-implies-read] %j: read %s, write %s", (held, read, write) => {
  expect([reaches(held, "rooms:read"), reaches(held, "rooms:write")]).toEqual([read, write])
})
