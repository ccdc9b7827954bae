import { expect, it } from "vitest"

import { codeOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy, makeHome } from "../testing/RunningService.ts"
import { examplesFolder, firstExamples } from "./Examples.ts"

it("[C-874] an owner's deployment beside the first request for marbles is current, or is told; the page says what to do", async () => {
  const home = await makeHome("prepared")
  const { url, token } = await home.start()
  const { body } = await call(url, "/v1/projects", { token })
  const project = String(
    Object(Object.values(body).find((each) => Object(each).name === "demo")).id
  )
  const own = "../packages/api/src/testing/rooms/single.ts"
  const rooms = [...firstExamples.map((name) => `./${name}/room.ts`), own]
  const [page, deployed] = await Promise.all([
    fetch(`${url}/play/marbles`),
    deploy({ url, token, project }, rooms, examplesFolder)
  ])
  const versions = await call(url, `/v1/projects/${project}/deployments`, { token })
  const current = Object(Object.values(versions.body)[0])
  const types: ReadonlyArray<string> = current.roomTypes.map((each: unknown) => Object(each).type)
  // One of two has made the next version, and nobody a third one.
  expect(current.version).toBe(2)
  if (deployed.status === 201) {
    expect(types.toSorted()).toEqual(["arena", "single", "tic-tac-toe"])
    expect(page.status).toBe(503)
    expect(await page.text()).toContain("load the page again")
    expect((await fetch(`${url}/play/marbles`)).status).toBe(404)
  } else {
    expect(["E_NOT_READY", "E_SCHEMA_BREAKING"]).toContain(codeOf(deployed))
    expect(types.toSorted()).toEqual(["arena", "marbles", "tic-tac-toe"])
    expect(page.status).toBe(200)
  }
  await home.remove()
})
