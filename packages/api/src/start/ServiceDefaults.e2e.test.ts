import { expect, it } from "vitest"

import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, makeHome } from "../testing/RunningService.ts"

it("[project.connections.env] the operator's variable reaches servers of projects that set nothing", async () => {
  const home = await makeHome()
  const service = await home.start({ env: { SERVICE_CONNECTIONS_PER_IP_PER_MIN: "30" } })
  const boots = (): ReadonlyArray<string> =>
    [...service.output().matchAll(/SERVICE_CONNECTIONS_PER_IP_PER_MIN=(\d+)/g)].map(
      ([, count = ""]) => count
    )
  await roomsOf(service).asleep("one", 1)
  expect(boots()).toEqual(["30"])
  const set = await call(service.url, `/v1/projects/${service.project}`, {
    token: service.token,
    method: "PATCH",
    body: { name: "e2e", connectionsPerIpPerMin: 50 }
  })
  expect(set.status).toBe(200)
  await roomsOf(service).asleep("one", 1)
  expect(boots()).toEqual(["30", "50"])
  expect(await service.stop()).toBe(0)
  await home.remove()
})
