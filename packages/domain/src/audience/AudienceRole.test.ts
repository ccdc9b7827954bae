import { Result, Schema, SchemaIssue } from "effect"
import { expect, test } from "vitest"

import { AudienceRole } from "./AudienceRole.ts"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const read = (value: unknown): string | null =>
  Result.match(Schema.decodeUnknownResult(AudienceRole)(value), {
    onSuccess: () => null,
    onFailure: ({ issue }) => issuesOf(issue).issues[0]?.message ?? ""
  })

test.each([null, "v", "x".repeat(32), "Az09_-.:", "Player", "players"])(
  "[audienceRole.charset] [audienceRole.length] %j is a role",
  (value) => expect(read(value)).toBeNull()
)

test.each(["", "x".repeat(33), "a b", "a/b", "é", "a\n", "a,b", 5, true, [], {}, undefined])(
  "[audienceRole.charset] [audienceRole.length] [file.audienceRole.type] %j is none",
  (value) => expect(read(value)).toBe("must have 1 to 32 of A-Z a-z 0-9 _ - . :, or be null")
)

test("[C-120] the role player is no role of an audience", () => {
  expect(read("player")).toBe("must not be player, which those who play are")
})
