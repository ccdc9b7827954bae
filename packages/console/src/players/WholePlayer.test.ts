import { afterEach, expect, it, vi } from "vitest"

import { fileNameOf, readWhole } from "./WholePlayer.ts"

afterEach(() => void vi.unstubAllGlobals())

const page = (key: string, next: string | null) => ({
  accountId: "ann",
  playerId: "ann",
  rows: { kv: [{ key }] },
  next
})

it("[C-807] reads every page of an export, and tells the refusal of one", async () => {
  const asked: Array<string> = []
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path)
    if (path.endsWith("?after=x.%2B")) return Response.json(page("two", "y"))
    if (path.endsWith("?after=y")) return new Response("busy", { status: 503 })
    return Response.json(page("one", path.includes("bea") ? null : "x.+"))
  })
  expect(await readWhole("/bea", "bea")).toEqual({
    accountId: "bea",
    players: [{ playerId: "ann", rows: { kv: [{ key: "one" }] } }]
  })
  expect(await readWhole("/ann", "ann")).toMatchObject({ _tag: "Refused", status: 503 })
  expect(asked).toEqual([
    "/bea/export",
    "/ann/export",
    "/ann/export?after=x.%2B",
    "/ann/export?after=y"
  ])
})

it("[C-807] names the file of an export by the plain signs of the id", () => {
  expect(fileNameOf("pl_0123")).toBe("player-pl_0123.json")
  expect(fileNameOf('../<script>\u202e"')).toBe("player-_script_.json")
  expect(fileNameOf("a".repeat(256))).toBe(`player-${"a".repeat(64)}.json`)
})
