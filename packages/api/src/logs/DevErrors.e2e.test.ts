import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

import { as, ask } from "../testing/KeysUnderTest.ts"
import { faulty } from "../testing/rooms/faultySchema.ts"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "../testing/RunningService.ts"

// As a newcomer starts it: with the project `dev`.
let home: ServiceHome
let service: RunningService
beforeAll(async () => {
  home = await makeHome("prepared")
  service = await home.start()
})
afterAll(async () => {
  await service.stop()
  await home.remove()
})

/** What the client of a failed call is told, and the lines that the room has logged. */
const failIn = async (project: string) => {
  expect((await deploy({ ...service, project }, ["rooms/faulty.ts"])).status).toBe(201)
  const room = await new Client(service.url, { project }).joinOrCreate(faulty, { roomId: "hall" })
  const told = await room.request("fail", {}).then(
    () => null,
    (error: unknown) => [Object(error).code, Object(error).message]
  )
  await room.leave()
  const lines = await until("the lines are stored", async () => {
    const { text } = await ask(service, `/v1/projects/${project}/logs`, as(service.token))
    const stored: ReadonlyArray<{ readonly line: string }> = JSON.parse(text)
    return stored.length === 3 && stored.map(({ line }) => line.split("\n")[0])
  })
  return { told, lines }
}

it("[C-404] [C-405] in `dev` a failed call tells its client the error and its place, and lines their places", async () => {
  expect(await failIn("dev")).toEqual({
    told: ["E_RPC_FAILED", "rooms/faulty.ts:11:13 failed on purpose"],
    lines: [
      "by the room (rooms/faulty.ts:8:16)",
      "by the console (rooms/faulty.ts:10:15)",
      "rpc.fail: Error: failed on purpose"
    ]
  })
})

it("[C-404] [C-405] in another project neither is told", async () => {
  const made = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "x" }
  })
  expect(await failIn(String(made.body["id"]))).toEqual({
    told: ["E_RPC_FAILED", "the room could not answer the call"],
    lines: ["by the room", "by the console", "rpc.fail: Error: failed on purpose"]
  })
})
