import { tmpdir } from "node:os"

import { describe, expect, it } from "vitest"

import { runCommand } from "../testing/RunCommand.ts"

const explain = (...argv: ReadonlyArray<string>) =>
  runCommand(["explain", ...argv], { cwd: tmpdir(), env: {} })

describe("atrium explain", () => {
  it("[C-353] says what a code means, why it comes and what to do, without a service", async () => {
    expect(await explain("E_ROOM_IN_USE")).toEqual({
      code: 0,
      err: "",
      out: [
        "code     E_ROOM_IN_USE",
        "seen as  HTTP 409",
        "means    The room is awake, or it is a relay room, so it was not deleted.",
        "why      Clients are in the room, or it has not fallen asleep yet.",
        "next     Add --force to send its clients away first. A relay room ends by itself with its last client."
      ].join("\n")
    })
  })

  it.each(["E_ROOM_FULL", "e_room_full", "room_full", "room-full", "4409"])(
    "[C-353] finds E_ROOM_FULL as %s",
    async (asked) => {
      const { code, out } = await explain(asked, "--json")
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject([
        { code: "E_ROOM_FULL", status: null, closeCode: 4409, client: "stop" }
      ])
    }
  )

  it("[C-401] shows every code of a close code that has two", async () => {
    const { out } = await explain("4403")
    expect(out.match(/^code .*$/gm)).toEqual(["code     E_ORIGIN", "code     E_PROJECT_MISMATCH"])
  })

  it("[C-353] suggests the nearest code for an unknown one", async () => {
    expect(await explain("E_ROM_FULL")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("did you mean E_ROOM_FULL?")
    })
    expect(await explain("4999")).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("`atrium explain` lists the codes")
    })
  })

  it("[D-41] without a code lists all, as a table and as JSON", async () => {
    const listed = JSON.parse((await explain("--json")).out)
    const { out } = await explain()
    expect(out.split("\n")).toHaveLength(listed.length + 1)
    expect(listed.length).toBeGreaterThan(70)
  })
})
