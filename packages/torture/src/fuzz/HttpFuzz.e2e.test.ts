import { randomInt } from "node:crypto"

import { Chance } from "@atrium/api/testing/Chance"
import { RawHttp } from "@atrium/api/testing/RawHttp"
import { call, deploy, deployAnew } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { expect, test } from "vitest"

import { bytesOf } from "./http/HttpDraft.ts"
import { type HttpRoute, routesOf } from "./http/HttpRoute.ts"
import { makeHttpStage, roomFiles } from "./http/HttpStage.ts"
import { rightRequest } from "./http/RightRequest.ts"
import { changesBetween, storedTables } from "./http/StoredTables.ts"
import { fuzzHttp } from "./HttpFuzz.ts"
import { Tally } from "./Tally.ts"

/** New with every run; a failure names it, and the command that does its case again. */
const seed = randomInt(2 ** 31)
const Requests = 7_000
/** What each route of the contract must have been asked. */
const RequestsOfRoute = 40

const service = serviceUnderTest()

const Deletes = 4
/** Orders the routes: a route that makes others impossible comes behind them. */
const rank = ({ method, path, name }: HttpRoute): number => {
  if (path.endsWith("/logout")) return Deletes + 2
  // A player can be deleted as long as there is the project.
  if (name === "DELETE /v1/projects/:id") return Deletes + 1
  return ["GET", "PUT", "POST", "PATCH", "DELETE"].indexOf(method)
}

test("[D-02] the requests that are spoilt are right: as they are, the service takes them", async () => {
  const made = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "e2e" }
  })
  const { url, token } = service
  const own = { url, token, project: String(made.body["id"]) }
  expect((await deploy(own, roomFiles)).status).toBe(201)
  // A rollback to the first version takes a second one.
  expect((await deployAnew(own, roomFiles)).status).toBe(201)
  const stage = await makeHttpStage(own)
  const before = await storedTables(service.databaseUrl, "")
  const routes = routesOf(stage.openApi)
    // A bundle of the right form was deployed above; that of the cases has no rooms.
    .filter(({ bound }) => bound.noun !== "bundle")
    // The answer of the tail of a log goes on for minutes.
    .filter(({ path }) => !path.endsWith("/logs/tail"))
    // A clip is made of a room that is awake; the rooms of the stage sleep.
    .filter(({ path }) => !path.endsWith("/:roomId/clips"))
    // Objects are moved by a service that has an S3, and rooms by one that has another runner.
    .filter(({ name }) => name !== "PATCH /v1/objects" && !name.endsWith("/:roomId/move"))
    // A client that is kicked is connected.
    .filter(({ path }) => !path.endsWith("/kick"))
    // A clock is stepped in a room that is awake, and of project dev.
    .filter(({ path }) => !path.endsWith("/:roomId/clock"))
  const inOrder = routes.toSorted((a, b) => rank(a) - rank(b) || b.path.length - a.path.length)
  const ask = async (route: HttpRoute): Promise<void> => {
    const wire = new RawHttp(stage.url)
    wire.write(bytesOf(rightRequest(route, stage, new Chance(seed))))
    const answer = await wire.answer()
    wire.destroy()
    expect(answer?.status, `${route.name}: ${answer?.body.toString()}`).toBeLessThan(300)
  }
  for (const route of inOrder.filter((each) => rank(each) < Deletes)) await ask(route)
  // A look for changes sees all of them.
  const after = await storedTables(service.databaseUrl, "")
  const changed = changesBetween(before, after).map((line) => line.split(" ", 1)[0] ?? "")
  const tables = ["api_keys", "caps", "device_logins", "invitations", "jwt_secrets", "login_tokens"]
  expect([...new Set(changed)]).toEqual(expect.arrayContaining([...tables, "projects", "rooms"]))
  for (const route of inOrder.filter((each) => rank(each) >= Deletes)) await ask(route)
  expect(inOrder.length).toBeGreaterThan(30)
})

test(`[D-02] every malformed request is refused in the shape of errors, and changes nothing: seed ${seed}`, async () => {
  const tally = new Tally()
  const { problems, asked } = await fuzzHttp(
    { service, databaseUrl: service.databaseUrl },
    { seed, requests: Requests, endsAtMs: Infinity, tally, say: () => undefined }
  )
  const faults = tally.faults.map(
    ({ index, says }) =>
      `${says}\n  again: npm run fuzz -- --seed ${seed} --only http --case ${index}`
  )
  expect([...faults, ...problems]).toEqual([])
  expect(tally.framesOf("http")).toBe(Requests)
  for (const [route, times] of asked) expect(times, route).toBeGreaterThanOrEqual(RequestsOfRoute)
})

test("[D-50] the service ends as it should", async () => {
  expect(await service.stop()).toBe(0)
})
