import { expect, test } from "vitest"

import { referencePage, storedPage, undocumented } from "./referencePage.ts"

test("[C-390] every public export of @atrium/sdk has a comment", () => {
  expect(undocumented()).toEqual([])
})

test("[C-390] docs/guide/reference.md is the page of the comments", () => {
  expect(storedPage()).toBe(referencePage())
})

test("[C-390] the page shows what a caller writes, and nothing of the inside", () => {
  const page = referencePage()
  expect(page.match(/^### /gm)?.length).toBeGreaterThan(60)
  expect(page).toContain(
    "  string(maxBytes: number, options?: DefaultOption<string>): Field<string>\n"
  )
  expect(page).toContain(
    "function defineSchema<const D extends SchemaDefinition>(definition: D): RoomSchema<D>"
  )
  expect(page).not.toMatch(/#port|@internal|Source: |=> \{|\wasync /)
})
