import { expect, it } from "vitest"

import { codeOf, messageOf } from "../testing/RoomsUnderTest.ts"
import { call, makeHome, type RunningService } from "../testing/RunningService.ts"

const namesIn = async ({ url, token }: RunningService): Promise<ReadonlyArray<unknown>> => {
  const { body } = await call(url, "/v1/projects", { token })
  return Object.values(body).map((project) => Object(project).name)
}

/** What strangers see: the links of the first page, and whether a game is there. */
const shownBy = async ({ url }: RunningService): Promise<ReadonlyArray<unknown>> => {
  const html = await (await fetch(`${url}/`)).text()
  const games = [...html.matchAll(/href="(\/play\/[^"]+)"/g)].map(([, path = ""]) => path)
  return [games, (await fetch(`${url}/play/arena`)).status]
}

// The first request for marbles deploys it.
const games = ["/play/arena", "/play/marbles", "/play/tic-tac-toe"]

it("[C-22] [C-71] the demo comes once: renamed or deleted it stays so; dev cannot be deleted", async () => {
  const home = await makeHome("prepared")
  const first = await home.start()
  expect(first.output()).toContain("(demo: arena, tic-tac-toe)")
  expect((await namesIn(first)).toSorted()).toEqual(["demo", "dev", "e2e"])
  const { body } = await call(first.url, "/v1/projects", { token: first.token })
  const id = String(
    Object(Object.values(body).find((project) => Object(project).name === "demo")).id
  )
  expect(await shownBy(first)).toEqual([games, 200])
  const board = await call(first.url, `/v1/leaderboard/rounds/top?project=${id}`)
  expect(board).toMatchObject({ status: 200, body: { board: "rounds", rows: [] } })
  expect(first.output()).toContain(`play       ${first.url}/play/arena`)
  expect(first.output()).toContain(`console    ${first.url}/console`)
  const dev = await call(first.url, "/v1/projects/dev", { token: first.token, method: "DELETE" })
  expect([dev.status, codeOf(dev)]).toEqual([400, "E_BAD_REQUEST"])
  expect(messageOf(dev)).toMatch(/^id: /)
  await call(first.url, `/v1/projects/${id}/name`, {
    token: first.token,
    method: "PUT",
    body: { name: "mine" }
  })
  expect(await first.stop()).toBe(0)

  const second = await home.start()
  expect((await namesIn(second)).toSorted()).toEqual(["dev", "e2e", "mine"])
  // What is the owner's own by now is no place for strangers.
  expect(await shownBy(second)).toEqual([[], 404])
  // The owner's own `demo` is no place for the examples, and `npm run demo` is not sent there.
  const own = await call(second.url, "/v1/projects", {
    token: second.token,
    method: "POST",
    body: { name: "demo" }
  })
  const ownId = String(Object(own.body).id)
  await call(second.url, `/v1/projects/${id}`, { token: second.token, method: "DELETE" })
  expect(await second.stop()).toBe(0)

  const third = await home.start()
  expect((await namesIn(third)).toSorted()).toEqual(["demo", "dev", "e2e"])
  expect(third.output()).not.toContain("(demo: arena, tic-tac-toe)")
  const kept = await call(third.url, `/v1/projects/${ownId}`, { token: third.token })
  expect(Object(kept.body).currentVersion).toBeNull()
  expect(await third.stop()).toBe(0)
  await home.remove()
})
