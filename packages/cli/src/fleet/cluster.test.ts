import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const row = {
  runner: "10.0.0.7:34431",
  status: "draining",
  version: "0.1.0",
  startedAt: ago(7500),
  heardAt: ago(1),
  rooms: 4,
  clients: 9,
  load: 60,
  freeBytes: 5 * 1_048_576
}

const service = serviceOfEachTest()
const game = gameOfEachTest({})

const cluster = (...argv: ReadonlyArray<string>) =>
  runCommand(["cluster", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })

describe("atrium cluster", () => {
  it("[C-432] shows the runners, in a table or as JSON", async () => {
    service.answer = () => ({ status: 200, body: [row] })
    const { code, out } = await cluster()
    expect(code).toBe(0)
    expect(out).toMatch(/^RUNNER +STATUS +ROOMS +CLIENTS +LOAD/)
    expect(out).toMatch(
      /\n10\.0\.0\.7:34431 +draining +4 +9 +0\.5 servers +5\.0 MiB +0\.1\.0 +2h ago/
    )
    expect((await cluster("--json")).out).toBe(JSON.stringify([row]))
  })

  it.each(["cordon", "drain", "uncordon"])("[C-432] orders a runner to %s", async (order) => {
    service.answer = () => ({ status: 200, body: row })
    expect((await cluster(order, row.runner)).out).toMatch(/^runner +10\.0\.0\.7:34431\nstatus/)
    expect((await cluster(order, row.runner, "--json")).out).toBe(JSON.stringify(row))
    expect(service.requests).toMatchObject(
      Array(2).fill({ method: "PATCH", path: `/v1/fleet/${encodeURIComponent(row.runner)}` })
    )
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect((await cluster(order, "nobody")).code).toBe(1)
  })

  it("[C-419] moves a room, to a runner or to the one with the least load", async () => {
    service.answer = () => ({ status: 200, body: { runner: row.runner } })
    const moved = await cluster("move", "arena-2", "--project", "p_0123456789abcdef")
    expect(moved.out).toBe(`arena-2 is on ${row.runner}`)
    const to = ["move", "arena-2", "--project", "dev", "--to", row.runner, "--json"]
    expect((await cluster(...to)).out).toBe(JSON.stringify({ runner: row.runner }))
    expect(service.requests).toMatchObject([
      {
        method: "POST",
        path: "/v1/fleet/rooms/p_0123456789abcdef/arena-2/move",
        body: JSON.stringify({ runner: null })
      },
      {
        method: "POST",
        path: "/v1/fleet/rooms/dev/arena-2/move",
        body: JSON.stringify({ runner: row.runner })
      }
    ])
    service.answer = () => refusal(503, "E_TENANT_WAKING", "no other runner takes rooms now")
    expect((await cluster("move", "arena-2", "--project", "dev")).code).toBe(1)
  })

  it("[C-507] sets the plan of a project, which must be free or card", async () => {
    const set = { id: "p_0123456789abcdef", plan: "free" }
    service.answer = () => ({ status: 200, body: set })
    const plan = (...argv: ReadonlyArray<string>) => cluster("plan", ...argv)
    expect((await plan(set.id, "free")).out).toBe(`${set.id} has the plan free`)
    expect((await plan(set.id, "free", "--json")).out).toBe(JSON.stringify(set))
    expect(service.requests).toMatchObject(
      Array(2).fill({
        method: "PUT",
        path: `/v1/fleet/projects/${set.id}/plan`,
        body: JSON.stringify({ plan: "free" })
      })
    )
    expect((await plan(set.id, "gold")).code).toBe(2)
    expect(service.requests).toHaveLength(2)
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect((await plan("p_0", "card")).code).toBe(1)
  })
})
