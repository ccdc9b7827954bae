import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const google = {
  issuer: "https://accounts.google.com",
  audience: "1234",
  jwksUrl: "https://www.googleapis.com/oauth2/v3/certs"
}
const school = { ...google, issuer: "https://login.school.example" }

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const identity = (...argv: ReadonlyArray<string>) =>
  runCommand(["identity", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const named = ["--issuer", google.issuer, "--audience", google.audience]

/** The service keeps what it is told, from these on. */
const keeping = (...providers: ReadonlyArray<typeof google>): void => {
  let kept: unknown = { providers }
  service.answer = ({ method, body }) => {
    if (method === "PUT") kept = body
    return { status: 200, body: kept }
  }
}

describe("atrium identity", () => {
  it("[C-541] lists the providers of a project, in a table or as JSON", async () => {
    keeping(google)
    const { code, out } = await identity("list")
    expect(code).toBe(0)
    expect(out).toMatch(/^ISSUER +AUDIENCE +KEYS\nhttps:\/\/accounts\.google\.com +1234 +https/)
    expect((await identity("list", "--json")).out).toBe(JSON.stringify([google]))
    keeping()
    expect(await identity("list")).toMatchObject({ code: 0, out: "" })
  })

  it("[C-541] adds a provider beside the others, and moves the keys of one that is there", async () => {
    keeping(school)
    const moved = { ...google, jwksUrl: "https://keys.example/" }
    await identity("add", ...named, "--jwks-url", google.jwksUrl)
    const { out } = await identity("add", ...named, "--jwks-url", moved.jwksUrl, "--json")
    expect(JSON.parse(out)).toEqual([school, moved])
    expect((await identity("add", ...named, "--jwks-url", "http://keys.example/")).code).not.toBe(0)
  })

  it("[C-541] removes a provider that is there, and no other", async () => {
    keeping(school, google)
    expect(JSON.parse((await identity("remove", ...named, "--json")).out)).toEqual([school])
    expect((await identity("remove", ...named)).code).toBe(2)
  })
})
