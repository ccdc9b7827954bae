import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const routes = `/v1/projects/${id}/players/a%2Fb/kv`
const row = {
  key: "purse",
  value: { gold: 5, note: "\u001b[2J" },
  version: 7,
  writtenAt: ago(7500)
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const kv = (...argv: ReadonlyArray<string>) =>
  runCommand(["kv", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const answers = (body: unknown): void => {
  service.answer = () => ({ status: 200, body })
}
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())

describe("atrium kv", () => {
  it("[C-574] list shows the entries of a player, and where the next page begins", async () => {
    answers({ entries: [row], next: "purse" })
    const { code, out, err } = await kv("list", "a/b", "--prefix", "p")
    expect({ code, err }).toEqual({ code: 0, err: 'there are more: --after "purse"' })
    expect(out.split("\n")).toEqual([
      "KEY    VERSION  WRITTEN  VALUE",
      `purse  7        2h ago   {"gold":5,"note":"\\u001b[2J"}`
    ])
    expect((await kv("list", "a/b", "--json", "--limit", "2", "--after", "o")).out).toBe(
      JSON.stringify({ entries: [row], next: "purse" })
    )
    answers({ entries: [], next: null })
    expect(await kv("list", "a/b")).toEqual({ code: 0, out: "", err: "no entries" })
    expect(asked()).toEqual([
      `GET ${routes}?prefix=p&limit=128`,
      `GET ${routes}?after=o&limit=2`,
      `GET ${routes}?limit=128`
    ])
  })

  it("[C-574] get, set and delete are about one key, and values are JSON", async () => {
    answers(row)
    expect((await kv("get", "a/b", "..")).out).toBe(JSON.stringify(row.value))
    expect((await kv("get", "a/b", "é&", "--json")).out).toBe(JSON.stringify(row))
    answers({ key: "purse", version: 8 })
    expect((await kv("set", "a/b", "purse", '{"gold":5}')).out).toBe("wrote purse of a/b")
    answers({ key: "purse", deleted: true })
    expect((await kv("delete", "a/b", "purse")).out).toBe("deleted purse of a/b")
    expect(asked()).toEqual([
      `GET ${routes}/entry?key=..`,
      `GET ${routes}/entry?key=%C3%A9%26`,
      `PUT ${routes}/entry {"key":"purse","value":{"gold":5}}`,
      `DELETE ${routes}/entry?key=purse`
    ])
  })

  it("[D-41] wrong use asks nothing, and a refusal is told", async () => {
    for (const argv of [
      ["get", "a/b", ""],
      ["get", "a/b", "k".repeat(257)],
      ["get", "..", "purse"],
      ["set", "a/b", "purse", "gold"],
      ["list"]
    ]) {
      expect(await kv(...argv)).toMatchObject({ code: 2, out: "" })
    }
    expect(asked()).toEqual([])
    service.answer = () => refusal(404, "E_KV_KEY_NOT_FOUND", "key: the player has no such key")
    expect(await kv("delete", "a/b", "purse")).toEqual({
      code: 1,
      out: "",
      err: "E_KV_KEY_NOT_FOUND: key: the player has no such key"
    })
  })
})
